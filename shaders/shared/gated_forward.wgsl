// The time loop of real units with gates (SPEC §13), forwards: of the step in row r, with h' the state there,
// s = W h', GATES numbers for each of the N units. Any width.
//
// The file that imports this declares GATES, three or four; state [rows, N], read and written; weights [N, GATES N], W
// transposed, so that lanes read neighbours; ints; and
//
//   begin(r, n)      which writes unit n of a sequence's first row, r,
//   finish(r, n, s)  which makes the step of unit n in row r, its state in row r + 1 among it, and returns that.
//
// A call does the steps from a sequence's skip-th on, as many as steps says: the host splits long loops where an
// adapter bounds them.
//
// One workgroup owns one sequence. Units go in blocks, of N or of W. An invocation owns a unit of the block and one of
// p.slices slices of the state; that of slice 0 adds up the slices and finishes the unit. So a unit's own numbers are
// written and read by one invocation, and the others get the state from it through `held`, HELD units at a time: what
// an invocation writes to a buffer others may not see before the call ends (AMD's RDNA by Vulkan).
// Barriers, all in loops that are the same for the whole workgroup: between filling held and reading it; before it is
// filled with the next units; and between storing the slices' sums and adding them up. The next sums are stored, and
// held is filled for the next step, behind another of these.

const W : u32 = 256u;
const HELD : u32 = 512u; // a multiple of W
const TERMS : u32 = 4u; // of a product whose weights are read together

#params start, end, at, lo, N, slices, skip, steps : u32

var<workgroup> parts : array<vec4f, W>;
var<workgroup> held : array<f32, HELD>;

// weight is the weights of unit n's gates for unit c of the state.
fn weight(c : u32, n : u32) -> vec4f {
  let w = c * GATES * p.N + n;
  var all = vec4f(weights[w], weights[w + p.N], weights[w + 2u * p.N], 0.0);
  if (GATES > 3u) {
    all.w = weights[w + (GATES - 1u) * p.N];
  }
  return all;
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let N = p.N;
  let U = min(N, W);
  let start = u32(ints[p.start + p.lo + group.x]);
  let end = u32(ints[p.end + p.lo + group.x]);
  let first = start + p.skip;
  let last = min(end, first + p.steps);
  if (p.skip == 0u) {
    for (var n = lane; n < N; n += W) {
      begin(first, n);
    }
  }
  let unit = lane % U;
  let slice = lane / U;
  let each = (N + p.slices - 1u) / p.slices;
  let a = min(slice * each, N);
  let b = select(min(a + each, N), a, slice >= p.slices);
  for (var r = first; r < last; r++) {
    for (var block = 0u; block < N; block += U) {
      let n = block + unit;
      var sum = vec4f(0.0);
      for (var lo = 0u; lo < N; lo += HELD) {
        let hi = min(N, lo + HELD);
        if (N > W || r == first) { // else held has the state already
          if (lo > 0u) {
            workgroupBarrier();
          }
          for (var c = lo + lane; c < hi; c += W) {
            held[c - lo] = state[r * N + c];
          }
        }
        workgroupBarrier();
        if (n < N) {
          var c = max(a, lo);
          let stop = min(b, hi);
          for (; c + TERMS <= stop; c += TERMS) {
#each i TERMS
            let w$i = weight(c + $iu, n);
#end
#each i TERMS
            sum = fma(vec4f(held[c - lo + $iu]), w$i, sum);
#end
          }
          for (; c < stop; c++) {
            sum = fma(vec4f(held[c - lo]), weight(c, n), sum);
          }
        }
      }
      parts[lane] = sum;
      workgroupBarrier();
      if (slice == 0u && n < N) {
        for (var s = 1u; s < p.slices; s++) {
          sum += parts[s * U + unit];
        }
        let h = finish(r, n, sum);
        if (N <= W) {
          held[n] = h;
        }
      }
    }
  }
}
