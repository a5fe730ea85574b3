// The backward pass of factor_forward (SPEC §3): DRaw += DΛ on the lower triangle, times sigmoid(Raw) on the diagonal.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/math.wgsl"

const W : u32 = 64u;

#params n, d : u32
#write draw : f32
#read dfactor, raw : f32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * W) {
    let row = i / p.d % p.d;
    let col = i % p.d;
    if (col < row) {
      draw[i] += dfactor[i];
    } else if (col == row) {
      draw[i] += dfactor[i] * sigmoid(raw[i]);
    }
  }
}
