// Out[p] = e^{i(ψ + Steps[p]·ω)} ⊙ State[Row[p]] (SPEC §2, memory). Out [P, 2N]; ψ, ω [N].
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/turn.wgsl"

const W : u32 = 64u;

#params P, N, row, steps : u32
#write out : f32
#read state, psi, omega : f32
#read ints : i32

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
