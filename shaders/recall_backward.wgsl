// The backward pass of recall_forward: DState[Row[p]] += Gate[Token[p]] ⊙ DOut[p]. No row of State is named twice, so
// no two invocations add to one place. recall_gate.wgsl makes the gradient of Gate.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/element.wgsl"

const W : u32 = 64u;

#params P, N, row, token : u32
#write dstate : E
#read dout, gate : E
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let n = i % p.N;
    let re = (i / p.N) * 2u * p.N + n;
    let at = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
    let g = gate[u32(ints[p.token + i / p.N]) * p.N + n];
    dstate[at] += g * dout[re];
    dstate[at + p.N] += g * dout[re + p.N];
  }
}
