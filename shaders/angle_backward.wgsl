// The backward pass of angle_forward: DU = Re(e^{-iθ} DV), DPre (+)= π(1 − tanh²)(U·Im(e^{-iθ} DV) + DTheta).
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/math.wgsl"
#import "shared/complex.wgsl"

const W : u32 = 64u;

struct Params {
  M : u32,
  N : u32,
  add : u32,
  theta : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dpre : array<f32>;
@group(0) @binding(2) var<storage, read_write> du : array<f32>;
@group(0) @binding(3) var<storage, read> dv : array<f32>;
@group(0) @binding(4) var<storage, read> dtheta : array<f32>;
@group(0) @binding(5) var<storage, read> pre : array<f32>;
@group(0) @binding(6) var<storage, read> u : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.N; i += groups.x * W) {
    let re = (i / p.N) * 2u * p.N + i % p.N;
    let t = wtanh(pre[i]);
    let d = turnBack(vec2f(dv[re], dv[re + p.N]), cis(PI * t));
    var g = u[i] * d.y;
    if (p.theta != 0u) {
      g += dtheta[i];
    }
    g *= PI * (1.0 - t * t);
    if (p.add != 0u) {
      g += dpre[i];
    }
    dpre[i] = g;
    du[i] = d.x;
  }
}
