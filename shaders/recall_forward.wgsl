// Out[p] = Gate[Token[p]] ⊙ State[Row[p]] (SPEC §2, memory: ζ). Out [P, 2N], Gate [V, N].
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params P, N, row, token : u32
#write out : E
#read state, gate : E
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
  let n = i % p.N;
  let re = (i / p.N) * 2u * p.N + n;
  let at = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
  let g = gate[u32(ints[p.token + i / p.N]) * p.N + n];
  out[re] = g * state[at];
  out[re + p.N] = g * state[at + p.N];
}
