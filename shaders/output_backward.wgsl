// The backward pass of output_forward (SPEC §6): dz = Inv (DY − Y Re(conj(Y) DY)) is added to DZ[ZRow], σ(Gate) dz to
// DH[HRow]. Rows of Z and H are named once at most, so no two invocations add to one place.
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params P, N, zrow, hrow, gated : u32
#write dz, dh : E
#read dy, y, inv, gate : E
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
  let n = i % p.N;
  let re = (i / p.N) * 2u * p.N + n;
  let row = ints[p.zrow + i / p.N];
  if (row >= 0) {
    let a = dy[re];
    let b = dy[re + p.N];
    let along = y[re] * a + y[re + p.N] * b;
    let ga = inv[i] * (a - y[re] * along);
    let gb = inv[i] * (b - y[re + p.N] * along);
    let at = u32(row) * 2u * p.N + n;
    dz[at] += ga;
    dz[at + p.N] += gb;
    if (p.gated != 0u) {
      let to = u32(ints[p.hrow + i / p.N]) * 2u * p.N + n;
      let s = sigmoidE(gate[n]);
      dh[to] += s * ga;
      dh[to + p.N] += s * gb;
    }
  }
}
