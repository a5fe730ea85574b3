// Out[m] = In[m] and zeros: In [M, N], Out [M, Width], Width ≥ N, so that rows can be read four at a time.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  M : u32,
  N : u32,
  width : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> out : array<f32>;
@group(0) @binding(2) var<storage, read> source : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.width; i += groups.x * W) {
    let n = i % p.width;
    var x = 0.0;
    if (n < p.N) {
      x = source[i / p.width * p.N + n];
    }
    out[i] = x;
  }
}
