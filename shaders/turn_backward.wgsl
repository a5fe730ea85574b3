// The backward pass of turn_forward: DState[Row[p]] += e^{−i(ψ + Steps[p]·ω)} ⊙ DOut[p]. No row of State is named
// twice, so no two invocations add to one place. turn_phase.wgsl makes the gradient of ψ.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/turn.wgsl"

const W : u32 = 64u;

#params P, N, row, steps : u32
#write dstate : f32
#read dout, psi, omega : f32
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let n = i % p.N;
    let re = (i / p.N) * 2u * p.N + n;
    let at = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
    let d = turnBack(vec2f(dout[re], dout[re + p.N]), cisAfter(psi[n], omega[n], ints[p.steps + i / p.N]));
    dstate[at] += d.x;
    dstate[at + p.N] += d.y;
  }
}
