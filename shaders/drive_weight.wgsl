// The weight gradients of the drive (SPEC §2), for widths that are multiples of four:
//
//   DW_θ += DPre[0]ᵀ·U, DW_γ += DPre[1]ᵀ·U, DW_δu += DPre[2]ᵀ·U, their biases the column sums,
//   DW_B += DRᵀ·V over both planes,
//
// DPre [M, 3N] as in drive_gate_backward.wgsl; DR, V [M, 2N], U [M, N]: here DY0, DY1, X1, X0. The gradients lie in
// one window, each from where p says, in quads; so is N given. With more than one part the rows are cut into parts of
// p.rows, or 2·p.rows planes, and part c of a gradient is written to the c-th of as many one after another:
// partial_sum.wgsl adds them up.
//
// Workgroup (x, y, z) owns, of part y / p.blocks of the z-th product, the columns 8xW … of eight rows, y % p.blocks of
// the eights; an invocation owns two quads of columns W quads apart, of all eight rows, in registers, as in
// matmul_weight.wgsl. No barriers.

const W : u32 = 8u;

#params M, Q : u32 // Q: quads in a row of N
#params rows, blocks, parts, theta, thetabias, gamma, gammabias, delta, deltabias, input : u32
#write grads : vec4f
#read dy0, dy1, x0, x1 : vec4f

fn store(to : u32, sum : vec4f) {
  if (p.parts == 1u) {
    grads[to] += sum;
  } else {
    grads[to] = sum;
  }
}

fn storeRow(first : u32, n : u32, q : u32, sum : vec4f) {
  if (n < 4u * p.Q && q < p.Q) {
    store(first + n * p.Q + q, sum);
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let K = p.Q;
  let width = K;
  let kind = group.z;
#import "shared/tile_weight_own.wgsl"
  // One of the two loops is empty.
  let planes = select(0u, 2u, kind == 3u);
  let begin0 = begin;
  let begin1 = planes * begin;
  let end0 = select(end, begin, kind == 3u);
  let end1 = planes * end;
  let row0 = 3u * K;
  let row1 = K;
  let column0 = min(kind, 2u) * K;
  let column1 = 0u;
#each j 2
  for (var m = begin$j; m < end$j; m++) {
    let d0 = dy$j[m * row$j + column$j + n];
    let d1 = dy$j[m * row$j + column$j + second];
    let xa = x$j[m * K + near];
    let xb = x$j[m * K + far];
    total0 += d0;
    total1 += d1;
#import "shared/tile_weight.wgsl"
  }
#end
  let part = c * select(0u, 1u, p.parts > 1u);
  let weight = select(select(select(p.input, p.delta, kind == 2u), p.gamma, kind == 1u), p.theta, kind == 0u);
  let first = weight + part * 4u * K * K;
  var sums = array<vec4f, 16>(a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7);
  for (var g = 0u; g < 16u; g++) { // a loop, not copies, which compile longer
    storeRow(first, 4u * n + g % 8u, q + g / 8u * W, sums[g]);
  }
  if (kind < 3u && q == 0u) {
    let bias = select(select(p.deltabias, p.gammabias, kind == 1u), p.thetabias, kind == 0u) + part * K;
    store(bias + n, total0);
    if (n + 1u < K) {
      store(bias + n + 1u, total1);
    }
  }
}
