// DRho [H] and DB [H, H] gain the sums over all workgroups of attention_backward: n rows of H + H² at first.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations and sums in
// order. No barriers.

const W : u32 = 64u;

struct Params {
  H : u32,
  first : u32,
  n : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> drho : array<f32>;
@group(0) @binding(2) var<storage, read_write> db : array<f32>;
@group(0) @binding(3) var<storage, read> part : array<f32>;

#import "shared/attention_sums.wgsl"

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  addSums(id.x, groups.x * W, p.first, p.n);
}
