// The gradient of the softmax attention's queries (SPEC §13): with dP_ij = do_i·v_j and dS_ij = P_ij (dP_ij − do_i·o_i),
// dq_i = Σ_{j ≤ i} dS_ij k_j/sqrt(d); P is made again out of the scores and the logarithms of their sums. Along holds
// do_i·o_i for softmax_backward_key, which makes the gradients of keys and values.
//
// An invocation has one query, and goes through its keys in order; see shared/softmax.wgsl. No barriers.
#import "shared/softmax.wgsl"

@group(0) @binding(1) var<storage, read_write> dqkv : array<E>;
@group(0) @binding(2) var<storage, read_write> along : array<f32>;
@group(0) @binding(3) var<storage, read> qkv : array<E>;
@group(0) @binding(4) var<storage, read> dout : array<E>;
@group(0) @binding(5) var<storage, read> o : array<E>;
@group(0) @binding(6) var<storage, read> logs : array<f32>;
@group(0) @binding(7) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let first = u32(ints[p.start + p.lo + group.z]);
  let steps = u32(ints[p.end + p.lo + group.z]) - first;
  let i = group.x * W + lane;
  if (i > steps) {
    return;
  }
  let head = group.y;
  let own = partAt(first + i, 0u, head);
  if (i == steps) {
    for (var c = 0u; c < D; c++) {
      dqkv[own + c] = E(0.0);
    }
    return;
  }
  var q : array<E, D>;
  var d : array<E, D>;
  var sum : array<E, D>;
  let at = (first + i) * p.N + head * D;
  var dots = E(0.0);
  for (var c = 0u; c < D; c++) {
    q[c] = qkv[own + c] * p.scale;
    d[c] = dout[at + c];
    sum[c] = E(0.0);
    dots = fma(d[c], o[at + c], dots);
  }
  let middle = sumE(dots);
  let log = logs[(first + i) * p.heads + head];
  for (var j = 0u; j <= i; j++) {
    let key = partAt(first + j, 1u, head);
    var scores = E(0.0);
    var weights = E(0.0);
    for (var c = 0u; c < D; c++) {
      scores = fma(q[c], qkv[key + c], scores);
      weights = fma(d[c], qkv[key + p.N + c], weights);
    }
    let ds = p.scale * wexp(sumE(scores) - log) * (sumE(weights) - middle);
    for (var c = 0u; c < D; c++) {
      sum[c] = fma(E(ds), qkv[key + c], sum[c]);
    }
  }
  for (var c = 0u; c < D; c++) {
    dqkv[own + c] = sum[c];
  }
  along[(first + i) * p.heads + head] = middle;
}
