// Out[0] = Scale·Σ_r Weight[r]·X[r]. One workgroup; an invocation takes every W-th element. Barriers: in reduceSum.
#import "shared/reduce.wgsl"

const W : u32 = 256u;

struct Params {
  n : u32,
  scale : f32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> out : array<f32>;
@group(0) @binding(2) var<storage, read> x : array<f32>;
@group(0) @binding(3) var<storage, read> weight : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(local_invocation_index) lane : u32) {
  var sum = 0.0;
  for (var i = lane; i < p.n; i += W) {
    sum += x[i] * weight[i];
  }
  let total = reduceSum(lane, sum);
  if (lane == 0u) {
    out[0] = p.scale * total;
  }
}
