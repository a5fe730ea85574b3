// An elementwise kernel does each(i) for every i below count(), both of its own. Any number of workgroups: an
// invocation takes every element whose number is its own modulo all invocations. No barriers.

const W : u32 = 64u;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < count(); i += groups.x * W) {
    each(i);
  }
}
