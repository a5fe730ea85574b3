// The softmax attention (SPEC §13): o_i = Σ_{j ≤ i} P_ij v_j, P_ij = softmax over j of q_i·k_j/sqrt(d), and the
// logarithm of the softmax's sum; the row after a sequence's last step becomes 0. The sum goes along with the greatest
// score so far: memory is O(T).
//
// An invocation has one query, and goes through its keys in order; see shared/softmax.wgsl. No barriers.
#import "shared/softmax.wgsl"

#write o : E
#write logs : f32
#read q, k, v : E
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
  let to = (first + i) * p.heads + head;
  if (i == steps) {
    for (var c = 0u; c < D; c++) {
      o[at + c] = E(0.0);
    }
    logs[to] = 0.0;
    return;
  }
  var query : array<E, D>;
  var sum : array<E, D>;
  for (var c = 0u; c < D; c++) {
    query[c] = q[at + c] * p.scale;
    sum[c] = E(0.0);
  }
  var top = -1e30;
  var weight = 0.0;
  for (var j = 0u; j <= i; j++) {
    let key = place(first + j, head);
    var dots = E(0.0);
    for (var c = 0u; c < D; c++) {
      dots = fma(query[c], k[key + c], dots);
    }
    let score = sumE(dots);
    if (score > top) {
      let less = wexp(top - score);
      weight *= less;
      for (var c = 0u; c < D; c++) {
        sum[c] *= less;
      }
      top = score;
    }
    let e = wexp(score - top);
    weight += e;
    for (var c = 0u; c < D; c++) {
      sum[c] = fma(E(e), v[key + c], sum[c]);
    }
  }
  for (var c = 0u; c < D; c++) {
    o[at + c] = sum[c] / weight;
  }
  logs[to] = top + wlog(weight);
}
