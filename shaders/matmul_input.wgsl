// DX (+)= DY·W: DX [M, K], W [N, K], DY [M, Width] with N numbers in a row and then zeros; K and Width are multiples
// of four. An element of DX is summed over n in order.
//
// Workgroup (x, y) owns the columns 4xW … of the rows 8y … 8y + 7 of DX. An invocation owns four columns of all eight
// rows, in registers: four rows of the weights at those columns meet eight rows of DY that are the same for the whole
// workgroup. No barriers.

const W : u32 = 8u;

#params M, K, N, width, accumulate : u32
#write dx : vec4f
#read dy, w : vec4f

fn store(m : u32, q : u32, sum : vec4f) {
  let K = p.K / 4u;
  if (m < p.M && q < K) {
    if (p.accumulate != 0u) {
      dx[m * K + q] += sum;
    } else {
      dx[m * K + q] = sum;
    }
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let K = p.K / 4u;
  let q = group.x * W + lane;
  let base = min(q, K - 1u);
  let m = 8u * group.y;
  let count = p.width / 4u;
#each g 8
  let row$g = min(m + $gu, p.M - 1u) * count;
  var sum$g = vec4f(0.0);
#end
  let last = p.N - 1u;
#import "shared/tile_input.wgsl"
  var sums = array<vec4f, 8>(sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7);
  for (var g = 0u; g < 8u; g++) { // a loop, not copies, which compile longer
    store(m + g, q, sums[g]);
  }
}
