// The backward pass of output_forward: dz = Inv (DY − Y Re(conj(Y) DY)) is added to DZ[ZRow], σ(Gate) dz to DH[HRow].
// Rows of Z and H are named once at most, so no two invocations add to one place.
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
  gated : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dz : array<f32>;
@group(0) @binding(2) var<storage, read_write> dh : array<f32>;
@group(0) @binding(3) var<storage, read> dy : array<f32>;
@group(0) @binding(4) var<storage, read> y : array<f32>;
@group(0) @binding(5) var<storage, read> inv : array<f32>;
@group(0) @binding(6) var<storage, read> gate : array<f32>;
@group(0) @binding(7) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let n = i % p.N;
    let re = (i / p.N) * 2u * p.N + n;
    let row = ints[p.zrow + i / p.N];
    if (row >= 0) {
      let d = vec2f(dy[re], dy[re + p.N]);
      let v = vec2f(y[re], y[re + p.N]);
      let g = inv[i] * (d - v * dot(v, d));
      let at = u32(row) * 2u * p.N + n;
      dz[at] += g.x;
      dz[at + p.N] += g.y;
      if (p.gated != 0u) {
        let to = u32(ints[p.hrow + i / p.N]) * 2u * p.N + n;
        let s = sigmoid(gate[n]);
        dh[to] += s * g.x;
        dh[to + p.N] += s * g.y;
      }
    }
  }
}
