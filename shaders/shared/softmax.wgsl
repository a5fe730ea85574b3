// What the kernels of the softmax attention share (SPEC §13). An invocation has one position of one head of one
// sequence: workgroup (x, y, z) has the positions W·x … of head y of sequence p.lo + z. Its invocations read the same
// keys, or queries, at the same time. Sizes are in E.
#import "shared/element.wgsl"
#import "shared/math.wgsl"

const W : u32 = 64u;
const D : u32 = 16u; // of a head, in E

struct Params {
  start : u32, // where in ints it stands where each sequence begins
  end : u32,   // and where it ends
  lo : u32,
  N : u32,
  heads : u32,
  T : u32,     // of the matrices, where they are written
  scale : f32, // 1/sqrt(d)
}

@group(0) @binding(0) var<uniform> p : Params;

// place is where a head's numbers begin in a row.
fn place(row : u32, head : u32) -> u32 {
  return row * p.N + head * D;
}
