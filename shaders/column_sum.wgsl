// Dst[n] += Σ_m Src[m, n]: Src [M, N]. One invocation sums one column in order.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  M : u32,
  N : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dst : array<f32>;
@group(0) @binding(2) var<storage, read> src : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.N; i += groups.x * W) {
    var sum = 0.0;
    for (var m = 0u; m < p.M; m++) {
      sum += src[m * p.N + i];
    }
    dst[i] += sum;
  }
}
