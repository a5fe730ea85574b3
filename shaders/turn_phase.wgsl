// The gradients of turn.wgsl's ψ and ω: since ∂Out/∂ψ = i·Out and ∂Out/∂ω = Steps·i·Out,
//
//   DPsi += Σ Re(conj(DOut[p]) i·Out[p]) = Σ (Im DOut[p] · Re Out[p] − Re DOut[p] · Im Out[p])  over all p,
//
// and DOmega gains the same sum with each term times Steps[p]. p.first tells which of the two the call is about, 0 or
// 1; p.row where Steps lies.
//
// One list, of all p; `items` tells how many. Workgroups and barriers as in shared/gather.wgsl; a column is a unit.
#import "shared/gather.wgsl"

#write dangle : E
#read dout, y : E
#read ints : i32

fn items(m : u32) -> vec2u { return vec2u(0u, p.items); }

fn term(i : u32, c : u32) -> E {
  let re = i * 2u * p.columns + c;
  let im = re + p.columns;
  var times = 1.0;
  if (p.first != 0u) {
    times = f32(ints[p.row + i]);
  }
  return times * (dout[im] * y[re] - dout[re] * y[im]);
}

fn gain(m : u32, c : u32, sum : E) { dangle[c] += sum; }
