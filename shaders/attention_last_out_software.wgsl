// o_i^(k) = Σ_j P^(k)_ij h_j^(k) (SPEC §6) for the last row i of each sequence, to row s of O.
//
// Workgroup (x, s) owns the quads xW … of sequence s's row of 2N numbers, an invocation one of them. No barriers.

const W : u32 = 8u;

@group(0) @binding(0) var<uniform> p : AttentionLastParams;
@group(0) @binding(1) var<storage, read_write> o : array<vec4f>;
@group(0) @binding(2) var<storage, read> work : array<f32>;
@group(0) @binding(3) var<storage, read> state : array<vec4f>;
@group(0) @binding(4) var<storage, read> ints : array<i32>;

#import "shared/attention_last.wgsl"

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let s = spanOf(group.y);
  let width = p.N / 2u;
  let c = group.x * W + lane;
  if (c < width) {
    let head = headsOf(c);
    var sum = vec4f(0.0);
    for (var j = s.first; j < s.first + s.steps; j++) {
      sum = fma(perHead(WEIGHT, j, head), state[j * width + c], sum);
    }
    o[group.y * width + c] = sum;
  }
}
