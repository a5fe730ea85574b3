// Y = X·Wᵀ + Bias: Y [M, N], X [M, K], W [N, K]. One invocation sums one element of Y over k in order.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  M : u32,
  K : u32,
  N : u32,
  biased : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@group(0) @binding(2) var<storage, read> x : array<f32>;
@group(0) @binding(3) var<storage, read> w : array<f32>;
@group(0) @binding(4) var<storage, read> bias : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.N; i += groups.x * W) {
    let m = i / p.N;
    let n = i % p.N;
    var sum = 0.0;
    if (p.biased != 0u) {
      sum = bias[n];
    }
    for (var k = 0u; k < p.K; k++) {
      sum = fma(x[m * p.K + k], w[n * p.K + k], sum);
    }
    y[i] = sum;
  }
}
