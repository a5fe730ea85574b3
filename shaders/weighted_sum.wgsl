// Out[0] = Scale·Σ_r Weight[r]·X[r]. One workgroup; an invocation takes every W-th element. Barriers: in reduceSum.
#import "shared/reduce.wgsl"

const W : u32 = 256u;

#params n : u32
#params scale : f32
#write out : f32
#read x, weight : f32

@compute @workgroup_size(W)
fn main(@builtin(local_invocation_index) lane : u32) {
  var sum = 0.0;
  for (var i = lane; i < p.n; i += W) {
    sum += x[i] * weight[i];
  }
  let total = reduceSum(lane, sum);
  if (lane == 0u) {
    out[0] = p.scale * total;
  }
}
