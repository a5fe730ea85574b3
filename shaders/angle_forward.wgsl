// θ = π·tanh(Pre), V = U ⊙ e^{iθ}; Rot = e^{iθ} for the first Turn units, 1 for the others. Pre, U [M, N]; V, Rot [M, 2N].
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/math.wgsl"
#import "shared/complex.wgsl"

const W : u32 = 64u;

struct Params {
  M : u32,
  N : u32,
  turn : u32,
  rotate : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> v : array<f32>;
@group(0) @binding(2) var<storage, read_write> rot : array<f32>;
@group(0) @binding(3) var<storage, read> pre : array<f32>;
@group(0) @binding(4) var<storage, read> u : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.N; i += groups.x * W) {
    let n = i % p.N;
    let re = (i / p.N) * 2u * p.N + n;
    let e = cis(PI * wtanh(pre[i]));
    v[re] = u[i] * e.x;
    v[re + p.N] = u[i] * e.y;
    if (p.rotate != 0u) {
      let turns = n < p.turn;
      rot[re] = select(1.0, e.x, turns);
      rot[re + p.N] = select(0.0, e.y, turns);
    }
  }
}
