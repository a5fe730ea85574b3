// The gradient of the memory's In, summed by its rows (SPEC §2, memory):
//
//   TIn[m] += Σ DState[r + 1]  over the steps r that read row m of In.
//
// The lists hold those steps, in order. Workgroups and barriers as in shared/gather.wgsl; a column is one of TIn's.
#import "shared/gather.wgsl"

#write tin : E
#read dstate : E
#read ints : i32

fn items(m : u32) -> vec2u {
  return p.items + vec2u(u32(ints[p.first + m]), u32(ints[p.first + m + 1u]));
}

fn term(i : u32, c : u32) -> E {
  return dstate[u32(ints[i] + 1) * p.columns + c];
}

fn gain(m : u32, c : u32, sum : E) {
  tin[m * p.columns + c] += sum;
}
