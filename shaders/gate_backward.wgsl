// The backward pass of gate_forward: DPre = cos(Pre)/2 · Re(conj(R) DIn), DR = γ DIn.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/complex.wgsl"

const W : u32 = 64u;

struct Params {
  M : u32,
  N : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dpre : array<f32>;
@group(0) @binding(2) var<storage, read_write> dr : array<f32>;
@group(0) @binding(3) var<storage, read> din : array<f32>;
@group(0) @binding(4) var<storage, read> pre : array<f32>;
@group(0) @binding(5) var<storage, read> r : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.N; i += groups.x * W) {
    let re = (i / p.N) * 2u * p.N + i % p.N;
    let e = cis(pre[i]);
    let gamma = 0.5 + 0.5 * e.y;
    let d = vec2f(din[re], din[re + p.N]);
    dpre[i] = 0.5 * e.x * dot(d, vec2f(r[re], r[re + p.N]));
    dr[re] = gamma * d.x;
    dr[re + p.N] = gamma * d.y;
  }
}
