// Rows summed by what they read: Dst[m] += Σ Src[i] over the rows i with At[i] = m. Element p.row of Src begins row 0.
//
// The lists hold those rows, in order. Workgroups and barriers as in shared/gather.wgsl; a column is one of Dst's.
#import "shared/gather.wgsl"

#write dst : E
#read src : E
#read ints : i32

fn items(m : u32) -> vec2u { return p.items + vec2u(u32(ints[p.first + m]), u32(ints[p.first + m + 1u])); }

fn term(i : u32, c : u32) -> E { return src[p.row + u32(ints[i]) * p.columns + c]; }

fn gain(m : u32, c : u32, sum : E) { dst[m * p.columns + c] += sum; }
