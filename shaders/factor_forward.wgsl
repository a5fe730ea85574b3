// Λ [H, d, d] (SPEC §3): the lower triangle of Raw, softplus on its diagonal, zeros above.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/math.wgsl"

const W : u32 = 64u;

#params n, d : u32
#write factor : f32
#read raw : f32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * W) {
    let row = i / p.d % p.d;
    let col = i % p.d;
    if (col < row) {
      factor[i] = raw[i];
    } else if (col == row) {
      factor[i] = softplus(raw[i]);
    } else {
      factor[i] = 0.0;
    }
  }
}
