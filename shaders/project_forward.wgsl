// Q^(k) = Λ_kᵀ h^(k): the 2H vectors of width d in a row of State, vector v of head v mod H. One invocation makes one
// element of Q.
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
@group(0) @binding(1) var<storage, read_write> q : array<f32>;
@group(0) @binding(2) var<storage, read> state : array<f32>;
@group(0) @binding(3) var<storage, read> factor : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * W) {
    let j = i % p.d;
    let v = i / p.d;
    let l = (v % p.heads) * p.d * p.d;
    var sum = 0.0;
    for (var r = j; r < p.d; r++) {
      sum = fma(factor[l + r * p.d + j], state[v * p.d + r], sum);
    }
    q[i] = sum;
  }
}
