// In = γ ⊙ R, γ = (1 + sin Pre)/2: Pre [M, N]; In, R [M, 2N].
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
@group(0) @binding(1) var<storage, read_write> out : array<f32>;
@group(0) @binding(2) var<storage, read> pre : array<f32>;
@group(0) @binding(3) var<storage, read> r : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.N; i += groups.x * W) {
    let re = (i / p.N) * 2u * p.N + i % p.N;
    let gamma = 0.5 + 0.5 * cis(pre[i]).y;
    out[re] = gamma * r[re];
    out[re + p.N] = gamma * r[re + p.N];
  }
}
