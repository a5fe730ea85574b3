// Out[p] = e^{i(ψ + Steps[p]·ω)} ⊙ State[Row[p]] (SPEC §2, memory). Out [P, 2N]; ψ, ω [N].
#import "shared/each.wgsl"
#import "shared/turn.wgsl"

#params P, N, row, steps : u32
#write out : f32
#read state, psi, omega : f32
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
  let n = i % p.N;
  let re = (i / p.N) * 2u * p.N + n;
  let at = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
  let y = cmul(vec2f(state[at], state[at + p.N]), cisAfter(psi[n], omega[n], ints[p.steps + i / p.N]));
  out[re] = y.x;
  out[re + p.N] = y.y;
}
