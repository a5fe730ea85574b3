// The backward pass of attention_forward (SPEC §§3-6) up to the sums over workgroups. With g_j = do_i · h_j per head:
//
//   dh_j += P_ij do_i,  dD̂_j = −P_ij (g_j − Σ P g),  dA_kl = Σ_j dD̂^(k)_j D̃^(l)_j,  dD̃^(l)_j = Σ_k A_kl dD̂^(k)_j,
//   dB_kl, dc from dA through the softmax,  dRho_l = sigmoid(Rho) Σ_j dD̃ C̃,
//   dq_i += 2 dD̃ (q_i − q_j), dq_j −= the same,  de_j = e^{e_j − C̃_j} G_j,  G_j = Σ_{j'≤j} dC̃_j' e^{C̃_j − C̃_j'}.
//
// Workgroup (s, g), or the workgroups (s, g, z) phase by phase, own the rows of sequence s that p names, a region of
// work, and in part its own copy g of the rows of s: dh and dq [rows, 2N], de [rows, H], and at p.extra, for each (g,
// s), dRho [H] and dB [H, H]. It adds there, or with p.last, where a sequence has one row, overwrites all that is its
// own. Columns of dh and dq belong to one invocation, so do positions of de; barriers stand where an array over j
// changes hands.

const W : u32 = 64u;

@group(0) @binding(0) var<uniform> p : AttentionParams;
@group(0) @binding(1) var<storage, read_write> part : array<f32>;
@group(0) @binding(2) var<storage, read_write> work : array<f32>;
@group(0) @binding(3) var<storage, read> q : array<f32>;
@group(0) @binding(4) var<storage, read> state : array<f32>;
@group(0) @binding(5) var<storage, read> dout : array<f32>;
@group(0) @binding(6) var<storage, read> ints : array<i32>;

#import "shared/attention.wgsl"
#import "shared/tree_scan_backward.wgsl"
#import "shared/fusion_backward.wgsl"

var<workgroup> dblend : array<f32, MAX_PAIRS>;
var<workgroup> dsummary : array<f32, MAX_HEADS>;

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(num_workgroups) groups : vec3u,
  @builtin(local_invocation_index) lane : u32) {
  let first = group.z * W + lane;
  let stride = groups.z * W;
  let s = spanOf(group.x, group.y);
  let N = p.N;
  let H = p.H;
  let d = N / H;
  let width = 2u * N;
  let copy = group.y * p.rows * (2u * width + H);
  let dh = copy + s.first * width;
  let dq = copy + (p.rows + s.first) * width;
  let de = copy + 2u * p.rows * width + s.first * H;
  let totals = p.extra + (group.y * groups.x + group.x) * (H + H * H);
  for (var n = 0u; n < p.count; n++) {
    var i = p.row0 + group.y + n * p.stride;
    var out = (s.first - 1u + i) * width;
    if (p.last != 0u) {
      i = s.steps - 1u;
      out = group.x * width;
    }
    if (i >= s.steps) {
      break;
    }
    attentionRow(s, lane, i, first, stride);
    if (phase(PHASE_COLUMNS)) {
      for (var c = first; c < width; c += stride) {
        let k = c % N / d;
        for (var j = 0u; j <= i; j++) {
          add(dh + j * width + c, work[at(s, WEIGHT, k, j)] * dout[out + c]);
        }
      }
      for (var j = first; j <= i; j += stride) {
        let h = (s.first + j) * width;
        for (var k = 0u; k < H; k++) {
          var g = 0.0;
          for (var c = k * d; c < (k + 1u) * d; c++) {
            g += dot(vec2f(dout[out + c], dout[out + N + c]), vec2f(state[h + c], state[h + N + c]));
          }
          work[at(s, GRAD, k, j)] = g;
        }
      }
    }
    storageBarrier();
    if (phase(PHASE_SUMS)) {
      fuse(s, lane);
      sums(s, lane, i, totals, de);
    }
    storageBarrier();
    if (phase(PHASE_EDGES)) {
      for (var c = first; c < width; c += stride) {
        let k = c % N / d;
        let me = q[(s.first + i) * width + c];
        var sum = 0.0;
        for (var j = 0u; j <= i; j++) {
          let v = 2.0 * work[at(s, GRAD, k, j)] * (me - q[(s.first + j) * width + c]);
          sum += v;
          add(dq + j * width + c, -v);
        }
        part[dq + i * width + c] += sum;
      }
    }
    storageBarrier();
    workgroupBarrier();
  }
}

fn add(to : u32, x : f32) {
  if (p.last != 0u) {
    part[to] = x;
  } else {
    part[to] += x;
  }
}

// sums goes from do_i · h_j to the gradients of D̃, in GRAD, and of what is summed over a row.
fn sums(s : Span, lane : u32, i : u32, totals : u32, de : u32) {
  let H = p.H;
  if (p.last != 0u) {
    for (var x = lane; x < H + H * H; x += W) {
      part[totals + x] = 0.0;
    }
    storageBarrier(); // the first lane adds
  }
  for (var k = 0u; k < H; k++) {
    var mean = 0.0;
    for (var j = lane; j <= i; j += W) {
      mean = fma(work[at(s, WEIGHT, k, j)], work[at(s, GRAD, k, j)], mean);
    }
    mean = reduceSum(lane, mean);
    for (var j = lane; j <= i; j += W) {
      work[at(s, GRAD, k, j)] = -work[at(s, WEIGHT, k, j)] * (work[at(s, GRAD, k, j)] - mean);
    }
  }
  for (var x = 0u; x < H * H; x++) {
    var sum = 0.0;
    for (var j = lane; j <= i; j += W) {
      sum = fma(work[at(s, GRAD, x / H, j)], rect(s, x % H, j), sum);
    }
    sum = reduceSum(lane, sum);
    if (lane == 0u) {
      dblend[x] = sum;
    }
  }
  workgroupBarrier();
  for (var j = lane; j <= i; j += W) {
    var turned : array<f32, MAX_HEADS>;
    for (var l = 0u; l < H; l++) {
      var sum = 0.0;
      for (var k = 0u; k < H; k++) {
        sum = fma(blend[k * H + l], work[at(s, GRAD, k, j)], sum);
      }
      turned[l] = sum;
    }
    for (var l = 0u; l < H; l++) {
      work[at(s, GRAD, l, j)] = turned[l];
    }
  }
  if (lane == 0u) {
    fuseBackward(totals);
  }
  workgroupBarrier();
  for (var l = 0u; l < H; l++) {
    if (p.tree == TREE_NONE) {
      if (lane == 0u) {
        work[at(s, GRAD, l, 0u)] += dsummary[l] / (1.0 + work[at(s, DIST, l, 0u)]);
      }
      if (p.last != 0u) {
        for (var j = lane; j < i; j += W) {
          part[de + j * H + l] = 0.0;
        }
      }
    } else {
      var sum = 0.0;
      for (var j = lane; j <= i; j += W) {
        sum = fma(work[at(s, GRAD, l, j)], work[at(s, TREE, l, j)], sum);
      }
      sum = reduceSum(lane, sum);
      if (lane == 0u) {
        part[totals + l] += sum * work[H + l];
      }
      treeBackward(s, lane, i, l, de);
    }
  }
}
