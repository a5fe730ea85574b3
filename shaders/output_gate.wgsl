// The gradient of the skip connection's gate (SPEC §6): DGate += Σ_p σ(1 − σ) Re(conj(H[HRow]) dz), dz as in
// output_backward. One invocation sums one unit over the rows in order.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/math.wgsl"

const W : u32 = 64u;

struct Params {
  P : u32,
  N : u32,
  zrow : u32,
  hrow : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dgate : array<f32>;
@group(0) @binding(2) var<storage, read> dy : array<f32>;
@group(0) @binding(3) var<storage, read> y : array<f32>;
@group(0) @binding(4) var<storage, read> inv : array<f32>;
@group(0) @binding(5) var<storage, read> h : array<f32>;
@group(0) @binding(6) var<storage, read> gate : array<f32>;
@group(0) @binding(7) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.N; i += groups.x * W) {
    var sum = 0.0;
    for (var row = 0u; row < p.P; row++) {
      if (ints[p.zrow + row] >= 0) {
        let re = row * 2u * p.N + i;
        let d = vec2f(dy[re], dy[re + p.N]);
        let v = vec2f(y[re], y[re + p.N]);
        let g = inv[row * p.N + i] * (d - v * dot(v, d));
        let at = u32(ints[p.hrow + row]) * 2u * p.N + i;
        sum += dot(g, vec2f(h[at], h[at + p.N]));
      }
    }
    let s = sigmoid(gate[i]);
    dgate[i] += s * (1.0 - s) * sum;
  }
}
