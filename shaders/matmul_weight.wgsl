// DW += DYᵀ·X: DW [N, K], DY [M, N], X [M, K]. One invocation sums one element of DW over m in order.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  M : u32,
  K : u32,
  N : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dw : array<f32>;
@group(0) @binding(2) var<storage, read> dy : array<f32>;
@group(0) @binding(3) var<storage, read> x : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.N * p.K; i += groups.x * W) {
    let n = i / p.K;
    let k = i % p.K;
    var sum = 0.0;
    for (var m = 0u; m < p.M; m++) {
      sum = fma(dy[m * p.N + n], x[m * p.K + k], sum);
    }
    dw[i] += sum;
  }
}
