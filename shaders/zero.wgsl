// X = 0, n elements from the first.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

#import "shared/element.wgsl"

const W : u32 = 64u;

#params first, n : u32
#write x : E

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * W) {
    x[p.first + i] = E(0.0);
  }
}
