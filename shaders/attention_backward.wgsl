// The backward pass of attention_forward (SPEC §§3-6) up to the sums over workgroups. With g_j = do_i · h_j per head:
//
//   dh_j += P_ij do_i,  dD̂_j = −P_ij (g_j − Σ P g),  dA_kl = Σ_j dD̂^(k)_j D̃^(l)_j,  dD̃^(l)_j = Σ_k A_kl dD̂^(k)_j,
//   dB_kl, dc from dA through the softmax,  dRho_l = sigmoid(Rho) Σ_j dD̃ C̃,
//   dq_i += 2 dD̃ (q_i − q_j), dq_j −= the same,  de_j = e^{e_j − C̃_j} G_j,  G_j = Σ_{j'≤j} dC̃_j' e^{C̃_j − C̃_j'}.
//
// Workgroup (s, g) owns the rows of sequence s that p names, a region of
// work, and in part its own copy g of the rows of s: dh and dq [rows, 2N], de [rows, H], and at p.extra, for each (g,
// s), dRho [H] and dB [H, H]. It adds there, or with p.last, where a sequence has one row, overwrites all that is its
// own. Columns of dh and dq belong to one invocation, so do positions of de; barriers stand where an array over j
// changes hands. What attention_forward has left in work is not made again: see done.

const W : u32 = 64u;

#write part, work : f32
#read q, state, dout : f32
#read ints : i32

#import "shared/attention.wgsl"
#import "shared/tree_scan_backward.wgsl"
#import "shared/fusion_backward.wgsl"

const TURNED : u32 = WEIGHT; // dD̃ takes the place of P, which is read before

var<workgroup> dblend : array<f32, MAX_PAIRS>;
var<workgroup> dsummary : array<f32, MAX_HEADS>;

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(num_workgroups) groups : vec3u,
  @builtin(local_invocation_index) lane : u32) {
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
    attentionRow(s, lane, i);
    for (var c = lane; c < width; c += W) {
      let w = at(s, WEIGHT, c % N / d, 0u);
      let x = dout[out + c];
      for (var j = 0u; j <= i; j += 4u) {
        let near = four(j, i);
        addFour(dh + c, near, vec4f(work[w + near.x], work[w + near.y], work[w + near.z], work[w + near.w]) * x);
      }
    }
    for (var x = lane; x < H * (i + 1u); x += W) {
      let j = x % (i + 1u);
      let k = x / (i + 1u);
      work[at(s, GRAD, k, j)] = along(out, (s.first + j) * width, k);
    }
    storageBarrier();
    fuse(s, lane);
    sums(s, lane, i, totals, de);
    storageBarrier();
    for (var c = lane; c < width; c += W) {
      let g = at(s, TURNED, c % N / d, 0u);
      let me = q[(s.first + i) * width + c];
      var sum = 0.0;
      for (var j = 0u; j <= i; j += 4u) {
        let near = four(j, i);
        let row = (vec4u(s.first) + near) * width + c;
        let other = vec4f(q[row.x], q[row.y], q[row.z], q[row.w]);
        let v = 2.0 * vec4f(work[g + near.x], work[g + near.y], work[g + near.z], work[g + near.w]) * (me - other);
        sum += v.x;
        sum += select(0.0, v.y, near.y > near.x);
        sum += select(0.0, v.z, near.z > near.y);
        sum += select(0.0, v.w, near.w > near.z);
        addFour(dq + c, near, -v);
      }
      part[dq + i * width + c] += sum;
    }
    storageBarrier();
    workgroupBarrier();
  }
}

// addFour adds x to a column, which begins at to, at four positions; those that stand there twice count once.
fn addFour(to : u32, near : vec4u, x : vec4f) {
  let row = vec4u(to) + near * 2u * p.N;
  var sum = x;
  if (p.last == 0u) {
    sum += vec4f(part[row.x], part[row.y], part[row.z], part[row.w]);
  }
  part[row.x] = sum.x;
  if (near.y > near.x) {
    part[row.y] = sum.y;
  }
  if (near.z > near.y) {
    part[row.z] = sum.z;
  }
  if (near.w > near.z) {
    part[row.w] = sum.w;
  }
}

// along is g of head k: the product of a row of dout and one of state, four units a turn, added in order.
fn along(out : u32, h : u32, k : u32) -> f32 {
  let d = p.N / p.H;
  let end = (k + 1u) * d;
  var sum = 0.0;
  for (var c = k * d; c < end; c += 4u) {
#each u 4
    let c$u = min(c + $uu, end - 1u);
    let a$u = vec2f(dout[out + c$u], dout[out + p.N + c$u]);
    let b$u = vec2f(state[h + c$u], state[h + p.N + c$u]);
#end
#each u 4
    sum += select(0.0, dot(a$u, b$u), c + $uu < end);
#end
  }
  return sum;
}

fn add(to : u32, x : f32) {
  if (p.last != 0u) {
    part[to] = x;
  } else {
    part[to] += x;
  }
}

// sums goes from do_i · h_j to the gradients of D̃, in TURNED, and of what is summed over a row. Barriers other than
// those of reduceSum: where an array over j changes hands, and where dblend is complete.
fn sums(s : Span, lane : u32, i : u32, totals : u32, de : u32) {
  let H = p.H;
  if (p.last != 0u) {
    for (var x = lane; x < H + H * H; x += W) {
      part[totals + x] = 0.0;
    }
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
  storageBarrier();
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
  for (var x = lane; x < H * (i + 1u); x += W) {
    let j = x % (i + 1u);
    let l = x / (i + 1u);
    var sum = 0.0;
    for (var k = 0u; k < H; k++) {
      sum = fma(blend[k * H + l], work[at(s, GRAD, k, j)], sum);
    }
    work[at(s, TURNED, l, j)] = sum;
  }
  workgroupBarrier();
  fuseBackward(lane, totals);
  storageBarrier();
  for (var l = 0u; l < H; l++) {
    if (p.tree == TREE_NONE) {
      if (lane == 0u) {
        work[at(s, TURNED, l, 0u)] += dsummary[l] / (1.0 + work[at(s, DIST, l, 0u)]);
      }
      if (p.last != 0u) {
        for (var j = lane; j < i; j += W) {
          part[de + j * H + l] = 0.0;
        }
      }
    } else {
      var sum = 0.0;
      for (var j = lane; j <= i; j += W) {
        sum = fma(work[at(s, TURNED, l, j)], work[at(s, TREE, l, j)], sum);
      }
      sum = reduceSum(lane, sum);
      if (lane == 0u) {
        part[totals + l] += sum * work[H + l];
      }
      treeBackward(s, lane, i, l, de);
    }
  }
}
