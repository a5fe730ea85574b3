// Y[p] = Gate[Token[p]] ⊙ X[Row[p]] (SPEC §2, memory: ζ), of the states X. With p.back it is the backward pass,
// Y[Row[p]] += Gate[Token[p]] ⊙ X[p]: no row is named twice, so no two invocations add to one place. recall_gate.wgsl
// makes the gradient of Gate. X, Y [, 2N], Gate [V, N].
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params P, N, row, token, back : u32
#write y : E
#read x, gate : E
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
  let n = i % p.N;
  let here = (i / p.N) * 2u * p.N + n;
  let there = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
  let g = gate[u32(ints[p.token + i / p.N]) * p.N + n];
  if (p.back != 0u) {
    y[there] += g * x[here];
    y[there + p.N] += g * x[here + p.N];
  } else {
    y[here] = g * x[there];
    y[here + p.N] = g * x[there + p.N];
  }
}
