// What the kernels of the softmax attention share (SPEC §13). An invocation has one position of one head of one
// sequence: workgroup (x, y, z) has the positions W·x … of head y of sequence p.lo + z. Its invocations read the same
// keys, or queries, at the same time. Sizes are in E.
#import "shared/element.wgsl"
#import "shared/math.wgsl"

const W : u32 = 64u;
const D : u32 = 16u; // of a head, in E

#params start, end : u32 // where in ints it stands where each sequence begins and ends
#params lo, N, heads : u32
#params T : u32 // of the matrices, where they are written
#params scale : f32 // 1/sqrt(d)

// place is where a head's numbers begin in a row.
fn place(row : u32, head : u32) -> u32 { return row * p.N + head * D; }
