// The gradient's squared norm (SPEC §8): Out[g] = Σ over x_i² with i mod lanes = g, or of x_i where plain; lanes is
// the number of sums. Two calls, the second with one sum, plain, over those of the first, give Σ x² as
// sumsquares_gpu.wgsl does: for software adapters, where its barriers cost more than its sums. With quads a sum is of
// quads, and the second call is over four times as many numbers.
//
// An invocation makes one sum, in order. No barriers.
#import "shared/element.wgsl"

const W : u32 = 8u;

struct Params {
  n : u32,
  lanes : u32,
  plain : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> out : array<E>;
@group(0) @binding(2) var<storage, read> x : array<E>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u) {
  if (id.x < p.lanes) {
    var sum = E(0.0);
    for (var i = id.x; i < p.n; i += p.lanes) {
      let v = x[i];
      sum += select(v * v, v, p.plain != 0u);
    }
    out[id.x] = sum;
  }
}
