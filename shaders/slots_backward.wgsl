// The backward pass of slots_forward, back along each sequence: DState in row r += e^{iω} ⊙ DState in row r + 1. DInit
// gets the first row. slots_gather.wgsl then makes the gradient of In of it.
//
// Invocation x of row y of workgroups owns unit x of the y-th covered sequence, from step `skip` on, `steps` at most.
// No barriers.
#import "shared/complex.wgsl"

const W : u32 = 8u;

struct Params {
  start : u32,
  end : u32,
  lo : u32,
  N : u32,
  skip : u32,
  steps : u32,
  init : u32, // DInit is given
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dstate : array<f32>;
@group(0) @binding(2) var<storage, read_write> dinit : array<f32>;
@group(0) @binding(3) var<storage, read> omega : array<f32>;
@group(0) @binding(4) var<storage, read> ints : array<i32>;

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
  for (var r = last; r > first; r--) {
    at -= 2u * p.N;
    d = vec2f(dstate[at], dstate[at + p.N]) + cmul(d, e);
    dstate[at] = d.x;
    dstate[at + p.N] = d.y;
  }
  if (p.init != 0u && p.skip == 0u) {
    let to = 2u * p.N * id.y + j;
    dinit[to] = d.x;
    dinit[to + p.N] = d.y;
  }
}
