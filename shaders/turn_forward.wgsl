// Out[p] = e^{i(ψ + Steps[p]·ω)} ⊙ State[Row[p]] (SPEC §2, memory). Out [P, 2N]; ψ, ω [N].
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/turn.wgsl"

const W : u32 = 64u;

struct Params {
  P : u32,
  N : u32,
  row : u32,
  steps : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> out : array<f32>;
@group(0) @binding(2) var<storage, read> state : array<f32>;
@group(0) @binding(3) var<storage, read> psi : array<f32>;
@group(0) @binding(4) var<storage, read> omega : array<f32>;
@group(0) @binding(5) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let n = i % p.N;
    let re = (i / p.N) * 2u * p.N + n;
    let at = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
    let y = cmul(vec2f(state[at], state[at + p.N]), cisAfter(psi[n], omega[n], ints[p.steps + i / p.N]));
    out[re] = y.x;
    out[re + p.N] = y.y;
  }
}
