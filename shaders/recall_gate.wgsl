// The gradient of recall.wgsl's Gate, summed by token:
//
//   DGate[v] += Σ Re(conj(State[Row[p]]) DOut[p])  over the p whose token is v.
//
// The lists hold those p, in order. Workgroups and barriers as in shared/gather.wgsl; a column is a unit.
#import "shared/gather.wgsl"

#write dgate : E
#read dout, state : E
#read ints : i32

fn items(m : u32) -> vec2u { return p.items + vec2u(u32(ints[p.first + m]), u32(ints[p.first + m + 1u])); }

fn term(i : u32, c : u32) -> E {
  let row = u32(ints[i]);
  let re = row * 2u * p.columns + c;
  let at = u32(ints[p.row + row]) * 2u * p.columns + c;
  return state[at] * dout[re] + state[at + p.columns] * dout[re + p.columns];
}

fn gain(m : u32, c : u32, sum : E) { dgate[m * p.columns + c] += sum; }
