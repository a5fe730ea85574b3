// The backward pass of recall_forward: DState[Row[p]] += Gate[Token[p]] ⊙ DOut[p]. No row of State is named twice, so
// no two invocations add to one place. recall_gate.wgsl makes the gradient of Gate.
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params P, N, row, token : u32
#write dstate : E
#read dout, gate : E
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
  let n = i % p.N;
  let re = (i / p.N) * 2u * p.N + n;
  let at = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
  let g = gate[u32(ints[p.token + i / p.N]) * p.N + n];
  dstate[at] += g * dout[re];
  dstate[at + p.N] += g * dout[re + p.N];
}
