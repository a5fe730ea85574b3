// What runs along a sequence in the attention of its last row i: C̃_ij from the edges, the blend of the heads, the weights
// P_ij; and for the backward pass, from do_i · h_j, the gradients of D̃ (in GRAD), of the edges, and this sequence's part of
// those of Rho and B (the equations stand in attention_backward.wgsl).
//
// An invocation owns a sequence. No barriers.
#import "shared/math.wgsl"
#import "shared/lse.wgsl"

const W : u32 = 8u;

@group(0) @binding(0) var<uniform> p : AttentionLastParams;
@group(0) @binding(1) var<storage, read_write> work : array<f32>;
@group(0) @binding(2) var<storage, read_write> part : array<f32>; // for each sequence dRho [H], dB [H, H]
@group(0) @binding(3) var<storage, read> rho : array<f32>;
@group(0) @binding(4) var<storage, read> b : array<f32>;
@group(0) @binding(5) var<storage, read> ints : array<i32>;

#import "shared/attention_last.wgsl"

fn grow(a : f32, x : f32) -> f32 {
  if (p.tree == TREE_LSE) {
    return lse(a, x);
  }
  return a + x;
}

// share is the part that e^a has in the sum e^x.
fn share(a : f32, x : f32) -> f32 {
  if (p.tree == TREE_LSE) {
    return wexp(a - x);
  }
  return 1.0;
}

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if (id.x < p.count) {
    let s = spanOf(id.x);
    let H = p.H;
    let end = s.first + s.steps;
    let dist = at(DIST, 0u, 0u);
    let tree = at(TREE, 0u, 0u);
    let weight = at(WEIGHT, 0u, 0u);
    let grad = at(GRAD, 0u, 0u);
    let edge = at(EDGE, 0u, 0u);
    let dedge = at(DEDGE, 0u, 0u);
    let summary = 6u * p.rows * H + id.x * (2u * H + 3u * H * H);
    let dsummary = summary + H;
    let fused = dsummary + H;
    let blend = fused + H * H;
    let dblend = blend + H * H;
    for (var k = 0u; k < H; k++) {
      var x = 0.0;
      for (var n = 0u; n < s.steps; n++) {
        let row = s.first + s.steps - 1u - n;
        if (n > 0u && p.tree != TREE_NONE) {
          x = grow(x, work[edge + row * H + k]);
        }
        work[tree + row * H + k] = x;
      }
      if (p.tree == TREE_NONE) {
        x = wlog1p(work[dist + s.first * H + k]);
      }
      // From here on DIST keeps D̃: without a tree, where it is read again, that is what stood there.
      let scale = softplus(rho[k]);
      for (var j = s.first; j < end; j++) {
        work[dist + j * H + k] += scale * work[tree + j * H + k];
      }
      work[summary + k] = x;
    }
    for (var k = 0u; k < H; k++) {
      var top = -1e30;
      for (var l = 0u; l < H; l++) {
        let x = work[summary + k] * b[k * H + l] * work[summary + l];
        work[fused + k * H + l] = x;
        top = max(top, x);
      }
      var sum = 0.0;
      for (var l = 0u; l < H; l++) {
        let x = wexp(work[fused + k * H + l] - top);
        work[fused + k * H + l] = x;
        sum += x;
      }
      for (var l = 0u; l < H; l++) {
        let x = select(work[fused + k * H + l] / sum, 1.0 / f32(H), p.fusion == FUSION_MEAN);
        work[fused + k * H + l] = x;
        work[blend + k * H + l] = x;
      }
    }
    if (p.fusion == FUSION_POOLED) {
      for (var l = 0u; l < H; l++) {
        var mean = 0.0;
        for (var k = 0u; k < H; k++) {
          mean += work[fused + k * H + l] / f32(H);
        }
        for (var k = 0u; k < H; k++) {
          work[blend + k * H + l] = mean;
        }
      }
    }
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
    if (p.back != 0u) {
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
      let sums = id.x * (H + H * H);
      fuseBackward(sums, summary, dsummary, fused, dblend);
      for (var l = 0u; l < H; l++) {
        var drho = 0.0;
        if (p.tree == TREE_NONE) {
          work[grad + s.first * H + l] += work[dsummary + l] / (1.0 + work[dist + s.first * H + l]);
          for (var j = s.first; j < end; j++) {
            work[dedge + j * H + l] = 0.0;
          }
        } else {
          var g = work[dsummary + l];
          var before = work[tree + s.first * H + l];
          let scale = softplus(rho[l]);
          for (var j = s.first; j < end; j++) {
            let c = work[tree + j * H + l];
            let d = work[grad + j * H + l];
            drho = fma(d, c, drho);
            if (j > s.first) {
              g *= share(c, before);
            }
            g = fma(scale, d, g);
            before = c;
            work[dedge + j * H + l] = select(g * share(work[edge + j * H + l], c), 0.0, j + 1u == end);
          }
        }
        part[sums + l] = drho * sigmoid(rho[l]);
      }
    }
  }
}

// fuseBackward makes the gradients of B and of the summaries from those of the blend.
fn fuseBackward(sums : u32, summary : u32, dsummary : u32, fused : u32, dblend : u32) {
  let H = p.H;
  for (var k = 0u; k < H; k++) {
    work[dsummary + k] = 0.0;
  }
  if (p.fusion == FUSION_POOLED) {
    for (var l = 0u; l < H; l++) {
      var sum = 0.0;
      for (var k = 0u; k < H; k++) {
        sum += work[dblend + k * H + l] / f32(H);
      }
      for (var k = 0u; k < H; k++) {
        work[dblend + k * H + l] = sum;
      }
    }
  }
  for (var k = 0u; k < H; k++) {
    var mean = 0.0;
    for (var l = 0u; l < H; l++) {
      mean = fma(work[fused + k * H + l], work[dblend + k * H + l], mean);
    }
    for (var l = 0u; l < H; l++) {
      let ds = select(work[fused + k * H + l] * (work[dblend + k * H + l] - mean), 0.0, p.fusion == FUSION_MEAN);
      let here = work[summary + k];
      let there = work[summary + l];
      part[sums + H + k * H + l] = ds * here * there;
      let db = ds * b[k * H + l];
      work[dsummary + k] += db * there;
      work[dsummary + l] += db * here;
    }
  }
}
