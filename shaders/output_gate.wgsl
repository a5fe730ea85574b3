// The gradient of the skip connection's gate (SPEC §6): DGate += Σ_p σ(1 − σ) Re(conj(H[HRow]) dz), dz as in
// output_backward.
//
// One list, of all rows; p.items tells how many. HRow lies at p.first, ZRow at p.row. Workgroups and barriers as in
// shared/gather.wgsl; a column is a unit.
#import "shared/gather.wgsl"

@group(0) @binding(1) var<storage, read_write> dgate : array<E>;
@group(0) @binding(2) var<storage, read> dy : array<E>;
@group(0) @binding(3) var<storage, read> y : array<E>;
@group(0) @binding(4) var<storage, read> inv : array<E>;
@group(0) @binding(5) var<storage, read> h : array<E>;
@group(0) @binding(6) var<storage, read> gate : array<E>;
@group(0) @binding(7) var<storage, read> ints : array<i32>;

fn items(m : u32) -> vec2u {
  return vec2u(0u, p.items);
}

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
