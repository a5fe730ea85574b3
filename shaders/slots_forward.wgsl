// The memory of positions (SPEC §2, memory): along each sequence, with m = At[r] in row r,
//
//   state in row r + 1 = e^{−iω} ⊙ state in row r + In[m],
//
// with p.normalise each unit z of it as z/sqrt(|z|² + eps) (SPEC §10, norm-memory).
// The first row gets Init's row, or zeros without one; with p.onward it is kept. State [rows, 2N], In [M, 2N].
//
// Invocation x of row y of workgroups owns unit x of the y-th covered sequence, from step `skip` on, `steps` at most:
// units do not see each other, so one invocation goes along the sequence alone. No barriers.
#import "shared/complex.wgsl"

const W : u32 = 8u;

#params start, end, at, lo, N, skip, steps : u32
#params given, onward, normalise : u32 // given: Init is
#params eps : f32
#write state : f32
#read omega, drive, init : f32
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let j = id.x;
  let s = p.lo + id.y;
  let first = u32(ints[p.start + s]) + p.skip;
  let end = u32(ints[p.end + s]);
  if (j >= p.N || first > end) {
    return;
  }
  var to = 2u * p.N * first + j;
  var m = vec2f(0.0);
  if (p.onward != 0u) {
    m = vec2f(state[to], state[to + p.N]);
  } else {
    if (p.given != 0u) {
      let source = 2u * p.N * id.y + j;
      m = vec2f(init[source], init[source + p.N]);
    }
    state[to] = m.x;
    state[to + p.N] = m.y;
  }
  let e = cis(omega[j]);
  let last = min(end, first + p.steps);
  for (var r = first; r < last; r++) {
    let source = 2u * p.N * u32(ints[p.at + r]) + j;
    m = turnBack(m, e) + vec2f(drive[source], drive[source + p.N]);
    if (p.normalise != 0u) {
      m *= 1.0 / sqrt(dot(m, m) + p.eps);
    }
    to += 2u * p.N;
    state[to] = m.x;
    state[to + p.N] = m.y;
  }
}
