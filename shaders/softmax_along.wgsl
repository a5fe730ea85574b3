// What the way back of the softmax attention needs of each head of each row besides (SPEC §13): Sums [rows, H, 2] are
// the logarithm of the softmax's sum, as softmax_forward left it, and do·o.
//
// Any number of workgroups: an invocation takes every head of a row whose number is its own modulo all invocations. No
// barriers.
#import "shared/element.wgsl"

const W : u32 = 64u;

struct Params {
  n : u32, // heads of all rows
  d : u32, // of a head, in E
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> sums : array<f32>;
@group(0) @binding(2) var<storage, read> dout : array<E>;
@group(0) @binding(3) var<storage, read> o : array<E>;
@group(0) @binding(4) var<storage, read> logs : array<f32>;

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
