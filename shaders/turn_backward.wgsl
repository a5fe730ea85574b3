// The backward pass of turn_forward: DState[Row[p]] += e^{−i(ψ + Steps[p]·ω)} ⊙ DOut[p]. No row of State is named
// twice, so no two invocations add to one place. turn_phase.wgsl makes the gradient of ψ.
#import "shared/each.wgsl"
#import "shared/turn.wgsl"

#params P, N, row, steps : u32
#write dstate : f32
#read dout, psi, omega : f32
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
  let n = i % p.N;
  let re = (i / p.N) * 2u * p.N + n;
  let at = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
  let d = turnBack(vec2f(dout[re], dout[re + p.N]), cisAfter(psi[n], omega[n], ints[p.steps + i / p.N]));
  dstate[at] += d.x;
  dstate[at + p.N] += d.y;
}
