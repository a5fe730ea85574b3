// DΛ_k[i, j] = Σ h_i dq_j over the rows and planes of head k, 0 above the diagonal. One invocation sums one element in
// order.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  n : u32,
  d : u32,
  heads : u32,
  vectors : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dfactor : array<f32>;
@group(0) @binding(2) var<storage, read> dq : array<f32>;
@group(0) @binding(3) var<storage, read> state : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * W) {
    let col = i % p.d;
    let row = i / p.d % p.d;
    let k = i / (p.d * p.d);
    var sum = 0.0;
    if (col <= row) {
      for (var v = k; v < p.vectors; v += p.heads) {
        sum = fma(state[v * p.d + row], dq[v * p.d + col], sum);
      }
    }
    dfactor[i] = sum;
  }
}
