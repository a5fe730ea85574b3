// Y = X·Wᵀ + Bias: Y [M, N], X [M, K], W [N, K], K a multiple of four. An element of Y is summed over k in order.
//
// Workgroup (x, y) owns the columns 4xW … of the rows 8y … 8y + 7 of Y. An invocation owns four columns of all eight
// rows, in registers: four rows of the weights, read four numbers at a time, meet eight rows of X that are the same
// for the whole workgroup. No barriers.

const W : u32 = 8u;

#params M, K, N, biased : u32
#write y : f32
#read x, w : vec4f
#read bias : f32

fn store(m : u32, n : u32, sum : vec4f) {
  if (m < p.M) {
#each c 4
    if (n + $cu < p.N) {
      y[m * p.N + n + $cu] = sum[$c];
    }
#end
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let K = p.K / 4u;
  let n = 4u * (group.x * W + lane);
  let m = 8u * group.y;
  var start = vec4f(0.0);
  if (p.biased != 0u) {
    let last = p.N - 1u;
    start = vec4f(bias[min(n, last)], bias[min(n + 1u, last)], bias[min(n + 2u, last)], bias[min(n + 3u, last)]);
  }
#each g 8
  let row$g = min(m + $gu, p.M - 1u) * K;
  var sum$g = start;
#end
#each c 4
  let at$c = min(n + $cu, p.N - 1u) * K;
#end
#import "shared/tile_forward.wgsl"
  var sums = array<vec4f, 8>(sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7);
  for (var g = 0u; g < 8u; g++) { // a loop, not copies, which compile longer
    store(m + g, n, sums[g]);
  }
}
