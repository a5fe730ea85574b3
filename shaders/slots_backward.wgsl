// The backward pass of slots_forward, back along each sequence: DState in row r += e^{iω} ⊙ DState in row r + 1. DInit
// gets the first row. rowsum.wgsl then makes the gradient of In of it.
//
// With p.normalise, DState in row r + 1 is first taken back to the sum z there, y = z·inv: inv (d − y Re(conj(y) d)).
// With p.rate, row y of Rates gets the sequence's gradient of ω: Σ Im(conj(e^{iω} DState[r + 1]) State[r]).
//
// Invocation x of row y of workgroups owns unit x of the y-th covered sequence, from step `skip` on, `steps` at most.
// No barriers.
#import "shared/complex.wgsl"

const W : u32 = 8u;

#params start, end, at, lo, N, skip, steps : u32
#params init, normalise, rate : u32 // init: DInit is given
#params eps : f32
#write dstate, dinit : f32
#read omega, state, drive : f32
#write rates : f32
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
  let last = min(end, first + p.steps);
  var at = 2u * p.N * last + j;
  var d = vec2f(dstate[at], dstate[at + p.N]);
  let e = cis(omega[j]);
  let own = p.N * id.y + j;
  var rate = 0.0;
  if (p.rate != 0u && last < end) { // the call before this one had the steps behind
    rate = rates[own];
  }
  for (var r = last; r > first; r--) {
    let next = at;
    at -= 2u * p.N;
    var m = vec2f(0.0); // as long as nobody asks
    if (p.normalise + p.rate != 0u) {
      m = vec2f(state[at], state[at + p.N]);
    }
    if (p.normalise != 0u) {
      let source = 2u * p.N * u32(ints[p.at + r - 1u]) + j;
      let z = turnBack(m, e) + vec2f(drive[source], drive[source + p.N]);
      let inv = 1.0 / sqrt(dot(z, z) + p.eps);
      let y = inv * z;
      d = inv * (d - y * dot(y, d));
      dstate[next] = d.x;
      dstate[next + p.N] = d.y;
    }
    let turned = cmul(d, e);
    rate += turned.x * m.y - turned.y * m.x;
    d = vec2f(dstate[at], dstate[at + p.N]) + turned;
    dstate[at] = d.x;
    dstate[at + p.N] = d.y;
  }
  if (p.rate != 0u) {
    rates[own] = rate;
  }
  if (p.init != 0u && p.skip == 0u) {
    let to = 2u * p.N * id.y + j;
    dinit[to] = d.x;
    dinit[to + p.N] = d.y;
  }
}
