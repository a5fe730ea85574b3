// Out (+)= Σ_c Part[c]: Out [n], Part [parts, n]. One invocation sums one element in order.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  n : u32,
  parts : u32,
  add : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> out : array<f32>;
@group(0) @binding(2) var<storage, read> part : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * W) {
    var sum = 0.0;
    for (var c = 0u; c < p.parts; c++) {
      sum += part[c * p.n + i];
    }
    if (p.add != 0u) {
      sum += out[i];
    }
    out[i] = sum;
  }
}
