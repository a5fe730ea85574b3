// DState += Λ_k DQ^(k), the backward pass of project_forward. One invocation makes one element of DState.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  n : u32,
  d : u32,
  heads : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dstate : array<f32>;
@group(0) @binding(2) var<storage, read> dq : array<f32>;
@group(0) @binding(3) var<storage, read> factor : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * W) {
    let r = i % p.d;
    let v = i / p.d;
    let l = (v % p.heads) * p.d * p.d;
    var sum = 0.0;
    for (var j = 0u; j <= r; j++) {
      sum = fma(factor[l + r * p.d + j], dq[v * p.d + j], sum);
    }
    dstate[i] += sum;
  }
}
