// DW (+)= DYᵀ·X and DBias (+)= column sums of DY: DW [N, K], X [M, K], DY [M, Width], of whose rows the first N
// numbers count; K and Width are multiples of four. An element is summed over the rows in order. With more than one
// part the rows are cut into parts of p.rows, and part c of DW and DBias is written to the c-th of as many matrices
// one after another: partial_sum.wgsl adds them up.
//
// Workgroup (x, y) owns, of part y / p.blocks, the columns 8xW … of eight rows of DW, y % p.blocks of the eights. An
// invocation owns two quads of columns W quads apart, of all eight rows, in registers. The rows of DY are the same for
// the whole workgroup. No barriers.

const W : u32 = 8u;

#params M, K, N, width, rows, blocks, add, biased : u32
#write dw : vec4f
#write dbias : f32
#read dy, x : vec4f

fn store(c : u32, n : u32, q : u32, sum : vec4f) {
  let K = p.K / 4u;
  if (n < p.N && q < K) {
    let to = (c * p.N + n) * K + q;
    if (p.add != 0u) {
      dw[to] += sum;
    } else {
      dw[to] = sum;
    }
  }
}

fn storeBias(c : u32, n : u32, sum : f32) {
  if (n < p.N) {
    let to = c * p.N + n;
    if (p.add != 0u) {
      dbias[to] += sum;
    } else {
      dbias[to] = sum;
    }
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let K = p.K / 4u;
  let width = p.width / 4u;
#import "shared/tile_weight_own.wgsl"
  for (var m = begin; m < end; m++) {
    let d0 = dy[m * width + n];
    let d1 = dy[m * width + second];
    let xa = x[m * K + near];
    let xb = x[m * K + far];
    total0 += d0;
    total1 += d1;
#import "shared/tile_weight.wgsl"
  }
  var sums = array<vec4f, 16>(a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7);
  for (var g = 0u; g < 16u; g++) { // a loop, not copies, which compile longer
    store(c, 4u * n + g % 8u, q + g / 8u * W, sums[g]);
  }
  if (p.biased != 0u && q == 0u) {
    var totals = array<vec4f, 2>(total0, total1);
    for (var g = 0u; g < 8u; g++) {
      storeBias(c, 4u * n + g, totals[g / 4u][g % 4u]);
    }
  }
}
