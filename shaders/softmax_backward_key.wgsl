// The gradients of the softmax attention's keys and values (SPEC §13): dv_j = Σ_{i ≥ j} P_ij do_i and
// dk_j = Σ_{i ≥ j} dS_ij q_i/sqrt(d); dS and Sums as in softmax_backward_query. The row after a sequence's last step,
// which has no queries, becomes 0.
//
// An invocation has one key, and goes through its queries in order; see shared/softmax.wgsl. No barriers.
#import "shared/softmax.wgsl"

#write dk, dv : E
#read q, k, v, dout : E
#read sums : f32
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let first = u32(ints[p.start + p.lo + group.z]);
  let steps = u32(ints[p.end + p.lo + group.z]) - first;
  let j = group.x * W + lane;
  if (j > steps) {
    return;
  }
  let head = group.y;
  let own = place(first + j, head);
  var key : array<E, D>;
  var value : array<E, D>;
  var keys : array<E, D>;   // the gradients
  var values : array<E, D>;
  for (var c = 0u; c < D; c++) {
    key[c] = k[own + c] * p.scale;
    value[c] = v[own + c];
    keys[c] = E(0.0);
    values[c] = E(0.0);
  }
  // From the workgroup's first query on, so that all read the same one.
  for (var i = group.x * W; i < steps; i++) {
    if (i >= j) {
      let at = place(first + i, head);
      let there = 2u * ((first + i) * p.heads + head);
      var scores = E(0.0);
      var weights = E(0.0);
      for (var c = 0u; c < D; c++) {
        scores = fma(key[c], q[at + c], scores);
        weights = fma(value[c], dout[at + c], weights);
      }
      let e = wexp(sumE(scores) - sums[there]);
      let ds = p.scale * e * (sumE(weights) - sums[there + 1u]);
      for (var c = 0u; c < D; c++) {
        keys[c] = fma(E(ds), q[at + c], keys[c]);
        values[c] = fma(E(e), dout[at + c], values[c]);
      }
    }
  }
  for (var c = 0u; c < D; c++) {
    dk[own + c] = keys[c];
    dv[own + c] = values[c];
  }
}
