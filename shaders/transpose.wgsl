// Out = Inᵀ: Out [N, M], In [M, N].
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

#params M, N : u32
#write out : f32
#read source : f32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.N; i += groups.x * W) {
    out[i] = source[i % p.M * p.N + i / p.M];
  }
}
