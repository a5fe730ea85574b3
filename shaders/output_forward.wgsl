// The output (SPEC §6): Y = z/sqrt(|z|² + ε), z = Z[ZRow] + σ(Gate) ⊙ H[HRow]; zeros where ZRow is −1. Y [P, 2N], Inv
// [P, N].
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params P, N, zrow, hrow, gated : u32
#params eps : f32
#write y, inv : E
#read z, h, gate : E
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
  let n = i % p.N;
  let re = (i / p.N) * 2u * p.N + n;
  let row = ints[p.zrow + i / p.N];
  var a = E(0.0);
  var b = E(0.0);
  var scale = E(0.0);
  if (row >= 0) {
    let at = u32(row) * 2u * p.N + n;
    a = z[at];
    b = z[at + p.N];
    if (p.gated != 0u) {
      let source = u32(ints[p.hrow + i / p.N]) * 2u * p.N + n;
      let s = sigmoidE(gate[n]);
      a += s * h[source];
      b += s * h[source + p.N];
    }
    scale = 1.0 / sqrt(a * a + b * b + p.eps);
  }
  inv[i] = scale;
  y[re] = a * scale;
  y[re + p.N] = b * scale;
}
