// The gradient of the softmax attention's queries (SPEC §13): with dP_ij = do_i·v_j and
// dS_ij = P_ij (dP_ij − do_i·o_i), dq_i = Σ_{j ≤ i} dS_ij k_j/sqrt(d). P is made again out of the scores and the
// logarithms of their sums; those and do_i·o_i are in Sums, by softmax_along. A sequence's last row becomes 0.
//
// An invocation has one query, and goes through its keys in order; see shared/softmax.wgsl. No barriers.
#import "shared/softmax.wgsl"

#write dq : E
#read q, k, v, dout : E
#read sums : f32
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let first = u32(ints[p.start + p.lo + group.z]);
  let steps = u32(ints[p.end + p.lo + group.z]) - first;
  let i = group.x * W + lane;
  if (i > steps) {
    return;
  }
  let head = group.y;
  let at = place(first + i, head);
  if (i == steps) {
    for (var c = 0u; c < D; c++) {
      dq[at + c] = E(0.0);
    }
    return;
  }
  var query : array<E, D>;
  var d : array<E, D>;
  var sum : array<E, D>;
  for (var c = 0u; c < D; c++) {
    query[c] = q[at + c] * p.scale;
    d[c] = dout[at + c];
    sum[c] = E(0.0);
  }
  let there = 2u * ((first + i) * p.heads + head);
  let log = sums[there];
  let middle = sums[there + 1u];
  for (var j = 0u; j <= i; j++) {
    let key = place(first + j, head);
    var scores = E(0.0);
    var weights = E(0.0);
    for (var c = 0u; c < D; c++) {
      scores = fma(query[c], k[key + c], scores);
      weights = fma(d[c], v[key + c], weights);
    }
    let ds = p.scale * wexp(sumE(scores) - log) * (sumE(weights) - middle);
    for (var c = 0u; c < D; c++) {
      sum[c] = fma(E(ds), k[key + c], sum[c]);
    }
  }
  for (var c = 0u; c < D; c++) {
    dq[at + c] = sum[c];
  }
}
