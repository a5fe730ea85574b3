// The gradient's squared norm (SPEC §8), for GPUs: Partial[g] = Σ x² over the elements of workgroup g: those whose
// number modulo all invocations is one of the group's. Two calls, the second over the partial sums by one workgroup
// with plain = 1 (sum, not squares), give Σ x². The order depends on n and on the number of workgroups alone.
// Barriers: in reduceSum.
#import "shared/reduce.wgsl"

const W : u32 = 256u;

#params n, plain : u32
#write partial : f32
#read x : f32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_index) lane : u32,
  @builtin(workgroup_id) group : vec3u, @builtin(num_workgroups) groups : vec3u) {
  var sum = 0.0;
  for (var i = id.x; i < p.n; i += groups.x * W) {
    let v = x[i];
    sum += select(v * v, v, p.plain != 0u);
  }
  let total = reduceSum(lane, sum);
  if (lane == 0u) {
    partial[group.x] = total;
  }
}
