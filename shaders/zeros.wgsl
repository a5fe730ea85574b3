// X = 0 for up to eight windows, n quads of each.
//
// Any number of workgroups: an invocation takes every quad of a window whose number is its own modulo all invocations.
// No barriers.

const W : u32 = 64u;

#params n0, n1, n2, n3, n4, n5, n6, n7 : u32
#write x0, x1, x2, x3, x4, x5, x6, x7 : vec4f

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
#each g 8
  for (var i = id.x; i < p.n$g; i += groups.x * W) {
    x$g[i] = vec4f(0.0);
  }
#end
}
