// The time loop of real units with gates (SPEC §13) backwards: DState[r] += Wᵀ d for the step in row r, with d the
// gradients of its GATES N products. Any width.
//
// The file that imports this declares GATES; dstate [rows, N], read and written; weights [GATES N, N], W; ints; and
//
//   begin(r, s, n)  which clears what sequence s has of unit n in its last row, r, before the first step back,
//   slope(r, s, n)  which puts the gradients of unit n's step in row r in its gates' place, where dstate[r + 1] is
//                   complete, and returns its d, a number a gate,
//   gradient(r, j)  which is d_j of the step in row r then, for the invocation that wrote it.
//
// A call does the steps from a sequence's skip-th on, as many as steps says, the last one first.
//
// One workgroup owns one sequence. An invocation writes the gradients of units lane, lane + W, …; for the products
// units go in blocks, as in shared/gated_forward.wgsl, and an invocation owns a unit of the block and one of p.slices
// slices of d. So a unit's own numbers are written and read by one invocation, and the others get d from it through
// `held`, as the state there. Barriers, all in loops that are the same for the whole workgroup: between filling held
// and reading it; before it is filled with other parts of d; and between storing the slices' sums and adding them up.
// The next sums are stored, and held is filled for the next step, behind another of these.

const W : u32 = 256u;
const HELD : u32 = 2048u;
const TERMS : u32 = 8u; // which have one weight each

#params start, end, at, lo, N, slices, skip, steps : u32

var<workgroup> parts : array<f32, W>;
var<workgroup> held : array<f32, HELD>;

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let N = p.N;
  let U = min(N, W);
  let width = GATES * N;
  let last = u32(ints[p.end + p.lo + group.x]);
  let first = min(last, u32(ints[p.start + p.lo + group.x]) + p.skip);
  var r = min(last, first + p.steps);
  if (r == last) {
    for (var n = lane; n < N; n += W) {
      begin(last, group.x, n);
    }
  }
  let unit = lane % U;
  let slice = lane / U;
  let each = (width + p.slices - 1u) / p.slices;
  let a = min(slice * each, width);
  let b = select(min(a + each, width), a, slice >= p.slices);
  while (r > first) {
    r--;
    for (var n = lane; n < N; n += W) {
      let d = slope(r, group.x, n);
      if (width <= HELD) {
        for (var k = 0u; k < GATES; k++) {
          held[k * N + n] = d[k];
        }
      }
    }
    for (var block = 0u; block < N; block += U) {
      let n = block + unit;
      var sum = 0.0;
      for (var lo = 0u; lo < width; lo += HELD) {
        let hi = min(width, lo + HELD);
        if (width > HELD) { // else held has d already
          if (lo > 0u) {
            workgroupBarrier();
          }
          for (var m = lane; m < N; m += W) {
            for (var j = m; j < hi; j += N) {
              if (j >= lo) {
                held[j - lo] = gradient(r, j);
              }
            }
          }
        }
        workgroupBarrier();
        if (n < N) {
          var j = max(a, lo);
          let stop = min(b, hi);
          for (; j + TERMS <= stop; j += TERMS) {
#each i TERMS
            let w$i = weights[(j + $iu) * N + n];
#end
#each i TERMS
            sum = fma(held[j - lo + $iu], w$i, sum);
#end
          }
          for (; j < stop; j++) {
            sum = fma(held[j - lo], weights[j * N + n], sum);
          }
        }
      }
      parts[lane] = sum;
      workgroupBarrier();
      if (slice == 0u && n < N) {
        for (var s = 1u; s < p.slices; s++) {
          sum += parts[s * U + unit];
        }
        dstate[r * N + n] += sum;
      }
    }
  }
}
