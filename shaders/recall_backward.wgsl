// The backward pass of recall_forward: DState[Row[p]] += Gate[Token[p]] ⊙ DOut[p]. No row of State is named twice, so
// no two invocations add to one place. recall_gate.wgsl makes the gradient of Gate.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/element.wgsl"

const W : u32 = 64u;

struct Params {
  P : u32,
  N : u32,
  row : u32,
  token : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dstate : array<E>;
@group(0) @binding(2) var<storage, read> dout : array<E>;
@group(0) @binding(3) var<storage, read> gate : array<E>;
@group(0) @binding(4) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let n = i % p.N;
    let re = (i / p.N) * 2u * p.N + n;
    let at = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
    let g = gate[u32(ints[p.token + i / p.N]) * p.N + n];
    dstate[at] += g * dout[re];
    dstate[at + p.N] += g * dout[re + p.N];
  }
}
