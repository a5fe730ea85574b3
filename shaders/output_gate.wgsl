// The gradient of the skip connection's gate (SPEC §6): DGate += Σ_p σ(1 − σ) Re(conj(H[HRow]) dz), dz as in
// output_backward.
//
// One list, of all rows; p.items tells how many. HRow lies at p.first, ZRow at p.row. Workgroups and barriers as in
// shared/gather.wgsl; a column is a unit.
#import "shared/gather.wgsl"

#write dgate : E
#read dy, y, inv, h, gate : E
#read ints : i32

fn items(m : u32) -> vec2u { return vec2u(0u, p.items); }

fn term(i : u32, c : u32) -> E {
  let N = p.columns;
  let z = i * 2u * N + c;
  let to = u32(max(0, ints[p.first + i])) * 2u * N + c; // a row that there is, lest the reads wait for a branch
  let along = y[z] * dy[z] + y[z + N] * dy[z + N];
  let g = inv[i * N + c] * ((dy[z] - y[z] * along) * h[to] + (dy[z + N] - y[z + N] * along) * h[to + N]);
  if (ints[p.row + i] < 0) {
    return E(0.0);
  }
  return g;
}

fn gain(m : u32, c : u32, sum : E) {
  let s = sigmoidE(gate[c]);
  dgate[c] += s * (1.0 - s) * sum;
}
