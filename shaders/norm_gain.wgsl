// The gradients of norm_forward's gain and bias (SPEC §13): DGain += Σ DY ⊙ e, e = Inv (x − Mean), and DBias += Σ DY,
// over all rows. p.first tells which the call is about: 0 the bias, 1 the gain of an RMS norm, where Mean is 0, 2 that
// of a layer norm.
//
// One list, of all rows; p.items tells how many. Workgroups and barriers as in shared/gather.wgsl; a column is a unit.
#import "shared/gather.wgsl"

#write dgain : E
#read dy, x : E
#read mean, inv : f32

fn items(m : u32) -> vec2u { return vec2u(0u, p.items); }

fn term(i : u32, c : u32) -> E {
  let at = i * p.columns + c;
  if (p.first == 0u) {
    return dy[at];
  }
  var off = x[at];
  if (p.first == 2u) {
    off -= E(mean[i]);
  }
  return dy[at] * off * inv[i];
}

fn gain(m : u32, c : u32, sum : E) { dgain[c] += sum; }
