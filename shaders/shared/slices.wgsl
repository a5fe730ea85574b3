// Sums that invocations of a workgroup share: a common token has many terms, and on a GPU one invocation for all of
// them would wait for each. A workgroup owns COLUMNS sums side by side; invocation `lane` has a part of the sum
// lane % COLUMNS, the slice lane / COLUMNS of SLICES. The parts are added up in halves. The file that imports this
// says what S, the type of a sum, is.
//
// Every invocation calls slicesSum, from uniform control flow; those of slice 0 get the sums. The barriers: after
// each has stored its part and after each halving. After the last one nobody reads a place that is another's, so
// slicesSum may be called again at once.

const COLUMNS : u32 = 8u;
const SLICES : u32 = 32u; // a power of two
const W : u32 = 256u;     // their product

var<workgroup> box : array<S, W>;

fn slicesSum(lane : u32, part : S) -> S {
  box[lane] = part;
  workgroupBarrier();
  for (var step = SLICES / 2u; step > 0u; step = step / 2u) {
    if (lane / COLUMNS < step) {
      box[lane] += box[lane + step * COLUMNS];
    }
    workgroupBarrier();
  }
  return box[lane];
}
