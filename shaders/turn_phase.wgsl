// The gradient of turn_forward's ψ: since ∂Out/∂ψ = i·Out,
//
//   DPsi += Σ Re(conj(DOut[p]) i·Out[p]) = Σ (Im DOut[p] · Re Out[p] − Re DOut[p] · Im Out[p])  over all p.
//
// One list, of all p; `items` tells how many. Workgroups and barriers as in shared/gather.wgsl; a column is a unit.
#import "shared/gather.wgsl"

@group(0) @binding(1) var<storage, read_write> dpsi : array<E>;
@group(0) @binding(2) var<storage, read> dout : array<E>;
@group(0) @binding(3) var<storage, read> y : array<E>;

fn items(m : u32) -> vec2u {
  return vec2u(0u, p.items);
}

fn term(i : u32, c : u32) -> E {
  let re = i * 2u * p.columns + c;
  let im = re + p.columns;
  return dout[im] * y[re] - dout[re] * y[im];
}

fn gain(m : u32, c : u32, sum : E) {
  dpsi[c] += sum;
}
