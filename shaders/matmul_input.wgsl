// DX (+)= DY·W: DX [M, K], DY [M, N], W [N, K]. One invocation sums one element of DX over n in order.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  M : u32,
  K : u32,
  N : u32,
  accumulate : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dx : array<f32>;
@group(0) @binding(2) var<storage, read> dy : array<f32>;
@group(0) @binding(3) var<storage, read> w : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.K; i += groups.x * W) {
    let m = i / p.K;
    let k = i % p.K;
    var sum = 0.0;
    for (var n = 0u; n < p.N; n++) {
      sum = fma(dy[m * p.N + n], w[n * p.K + k], sum);
    }
    if (p.accumulate != 0u) {
      sum += dx[i];
    }
    dx[i] = sum;
  }
}
