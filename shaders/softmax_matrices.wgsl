// The softmax attention's weights in full (SPEC §13): Weights [S, H, T, T] = P_ij of package backend's
// SoftmaxMatrices, for j ≤ i < the sequence's steps. The rest is not touched.
//
// An invocation has one query, and goes through its keys in order, three times; see shared/softmax.wgsl. No barriers.
#import "shared/softmax.wgsl"

#write weights : f32
#read q, k : E
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let first = u32(ints[p.start + p.lo + group.z]);
  let steps = u32(ints[p.end + p.lo + group.z]) - first;
  let i = group.x * W + lane;
  if (i >= steps) {
    return;
  }
  let own = place(first + i, group.y);
  let to = ((group.z * p.heads + group.y) * p.T + i) * p.T;
  var top = -1e30;
  for (var j = 0u; j <= i; j++) {
    let key = place(first + j, group.y);
    var dots = E(0.0);
    for (var c = 0u; c < D; c++) {
      dots = fma(q[own + c] * p.scale, k[key + c], dots);
    }
    let score = sumE(dots);
    weights[to + j] = score;
    top = max(top, score);
  }
  var sum = 0.0;
  for (var j = 0u; j <= i; j++) {
    let e = wexp(weights[to + j] - top);
    weights[to + j] = e;
    sum += e;
  }
  for (var j = 0u; j <= i; j++) {
    weights[to + j] /= sum;
  }
}
