// What runs along a sequence in the attention of its last row i (SPEC §§4-6): C̃_ij from the edges, the blend of the
// heads, the weights P_ij; and for the backward pass, from do_i · h_j, the gradients of D̃ (in GRAD), of the edges,
// and this sequence's part of those of Rho and B. The equations stand in attention_backward.wgsl, tree.wgsl and
// fusion.wgsl.
//
// An invocation owns a sequence. No barriers. For software adapters.
#import "shared/math.wgsl"

const W : u32 = 8u;

@group(0) @binding(0) var<uniform> p : AttentionLastParams;
@group(0) @binding(1) var<storage, read_write> work : array<f32>;
@group(0) @binding(2) var<storage, read_write> part : array<f32>; // for each sequence dRho [H], dB [H, H]
@group(0) @binding(3) var<storage, read> rho : array<f32>;
@group(0) @binding(4) var<storage, read> b : array<f32>;
@group(0) @binding(5) var<storage, read> ints : array<i32>;

#import "shared/attention_last.wgsl"
#import "shared/tree_software.wgsl"
#import "shared/fusion_software.wgsl"

// softmax makes P from D̃, which DIST keeps by now, and the blend.
fn softmax(s : Span, blend : u32) {
  let H = p.H;
  let end = s.first + s.steps;
  let dist = at(DIST, 0u, 0u);
  let weight = at(WEIGHT, 0u, 0u);
  for (var k = 0u; k < H; k++) {
    var top = -1e30;
    for (var j = s.first; j < end; j++) {
      var x = 0.0;
      for (var l = 0u; l < H; l++) {
        x = fma(work[blend + k * H + l], work[dist + j * H + l], x);
      }
      work[weight + j * H + k] = x;
      top = max(top, -x);
    }
    var sum = 0.0;
    for (var j = s.first; j < end; j++) {
      let e = wexp(-work[weight + j * H + k] - top);
      work[weight + j * H + k] = e;
      sum += e;
    }
    for (var j = s.first; j < end; j++) {
      work[weight + j * H + k] /= sum;
    }
  }
}

// softmaxBackward goes from do_i · h_j to the gradients of D̃, in GRAD, and of the blend.
fn softmaxBackward(s : Span, blend : u32, dblend : u32) {
  let H = p.H;
  let end = s.first + s.steps;
  let dist = at(DIST, 0u, 0u);
  let weight = at(WEIGHT, 0u, 0u);
  let grad = at(GRAD, 0u, 0u);
  let dedge = at(DEDGE, 0u, 0u);
  for (var k = 0u; k < H; k++) {
    var mean = 0.0;
    for (var j = s.first; j < end; j++) {
      mean = fma(work[weight + j * H + k], work[grad + j * H + k], mean);
    }
    for (var j = s.first; j < end; j++) {
      work[grad + j * H + k] = -work[weight + j * H + k] * (work[grad + j * H + k] - mean);
    }
    for (var l = 0u; l < H; l++) {
      var sum = 0.0;
      for (var j = s.first; j < end; j++) {
        sum = fma(work[grad + j * H + k], work[dist + j * H + l], sum);
      }
      work[dblend + k * H + l] = sum;
    }
  }
  for (var j = s.first; j < end; j++) {
    // DEDGE keeps the row of turned gradients until they take GRAD's place.
    for (var l = 0u; l < H; l++) {
      var sum = 0.0;
      for (var k = 0u; k < H; k++) {
        sum = fma(work[blend + k * H + l], work[grad + j * H + k], sum);
      }
      work[dedge + j * H + l] = sum;
    }
    for (var l = 0u; l < H; l++) {
      work[grad + j * H + l] = work[dedge + j * H + l];
    }
  }
}

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if (id.x < p.count) {
    let s = spanOf(id.x);
    let H = p.H;
    let summary = 6u * p.rows * H + id.x * (2u * H + 3u * H * H);
    let dsummary = summary + H;
    let fused = dsummary + H;
    let blend = fused + H * H;
    let dblend = blend + H * H;
    for (var k = 0u; k < H; k++) {
      work[summary + k] = treeWalk(s, k);
      // From here on DIST keeps D̃: without a tree, where it is read again, that is what stood there.
      let scale = softplus(rho[k]);
      for (var j = s.first; j < s.first + s.steps; j++) {
        work[at(DIST, j, k)] += scale * work[at(TREE, j, k)];
      }
    }
    fuse(summary, fused, blend);
    softmax(s, blend);
    if (p.back != 0u) {
      softmaxBackward(s, blend, dblend);
      let sums = id.x * (H + H * H);
      fuseBackward(sums, summary, dsummary, fused, dblend);
      for (var l = 0u; l < H; l++) {
        let drho = treeWalkBackward(s, l, softplus(rho[l]), work[dsummary + l]);
        part[sums + l] = drho * sigmoid(rho[l]);
      }
    }
  }
}
