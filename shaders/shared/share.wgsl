// Rows whose sums invocations share. A workgroup owns OWNED rows at a time; SLICES invocations side by side have one.
//
// Every invocation calls rowSum, from uniform control flow; all that share a row get the sum of what they bring. The
// barriers: after each has stored its part, after each halving, and before the store may be used again.

const SLICES : u32 = 16u; // a power of two
const W : u32 = 64u;      // a multiple of SLICES
const OWNED : u32 = W / SLICES;

var<workgroup> box : array<f32, W>;

fn rowSum(lane : u32, part : f32) -> f32 {
  box[lane] = part;
  workgroupBarrier();
  for (var step = SLICES / 2u; step > 0u; step = step / 2u) {
    if (lane % SLICES < step) {
      box[lane] += box[lane + step];
    }
    workgroupBarrier();
  }
  let sum = box[lane - lane % SLICES];
  workgroupBarrier();
  return sum;
}
