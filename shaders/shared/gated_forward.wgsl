// The time loop of real units with gates (SPEC §13), forwards: of the step in row r, with h' the state there,
// s = W h', GATES numbers for each of the N units. Any width.
//
// The file that imports this declares GATES, three or four; state [rows, N], read and written; weights [N, GATES N], W
// transposed, so that lanes read neighbours; ints; and
//
//   begin(r, n)      which writes unit n of a sequence's first row, r,
//   finish(r, n, s)  which makes the step of unit n in row r, its state in row r + 1 among it.
//
// A call does the steps from a sequence's skip-th on, as many as steps says: the host splits long loops where an
// adapter bounds them.
//
// One workgroup owns one sequence. Units go in blocks, of N or of W. An invocation owns a unit of the block and one of
// p.slices slices of the state; that of slice 0 adds up the slices and finishes the unit. So a unit's own numbers are
// written and read by one invocation. Barriers, all in loops that are the same for the whole workgroup: between
// storing the slices' sums and adding them up; then before the next are stored; and where a step ends, for the state.

const W : u32 = 256u;

struct Params {
  start : u32,
  end : u32,
  at : u32,
  lo : u32,
  N : u32,
  slices : u32,
  skip : u32,
  steps : u32,
}

@group(0) @binding(0) var<uniform> p : Params;

var<workgroup> parts : array<vec4f, W>;

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
    storageBarrier();
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
      if (n < N) {
        for (var c = a; c < b; c++) {
          let h = state[r * N + c];
          let w = c * GATES * N + n;
          sum.x = fma(h, weights[w], sum.x);
          sum.y = fma(h, weights[w + N], sum.y);
          sum.z = fma(h, weights[w + 2u * N], sum.z);
          if (GATES > 3u) {
            sum.w = fma(h, weights[w + (GATES - 1u) * N], sum.w);
          }
        }
      }
      parts[lane] = sum;
      workgroupBarrier();
      if (slice == 0u && n < N) {
        for (var s = 1u; s < p.slices; s++) {
          sum += parts[s * U + unit];
        }
        finish(r, n, sum);
      }
      workgroupBarrier();
    }
    storageBarrier();
  }
}
