// What the way back of the softmax attention needs of each head of each row besides (SPEC §13): Sums [rows, H, 2] are
// the logarithm of the softmax's sum, as softmax_forward left it, and do·o.
//
// Any number of workgroups: an invocation takes every head of a row whose number is its own modulo all invocations. No
// barriers.
#import "shared/element.wgsl"

const W : u32 = 64u;

#params n : u32 // heads of all rows
#params d : u32 // of a head, in E
#write sums : f32
#read dout, o : E
#read logs : f32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * W) {
    var dots = E(0.0);
    for (var c = i * p.d; c < (i + 1u) * p.d; c++) {
      dots = fma(dout[c], o[c], dots);
    }
    sums[2u * i] = logs[i];
    sums[2u * i + 1u] = sumE(dots);
  }
}
