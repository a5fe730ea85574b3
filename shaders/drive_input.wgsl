// What the three products that read u add to its gradient (SPEC §2), for widths that are multiples of four:
//
//   DU += DPre[0]·W_θ + DPre[1]·W_γ + DPre[2]·W_δu,  DPre [M, 3N] as in drive_gate_backward.wgsl,
//
// here DY; DU [M, N].
//
// The weights [N, N] lie in one window, each from where p says, in quads.
//
// Workgroup (x, y) owns the quads of columns xW … of the rows 8y … 8y + 7 of DU; an invocation owns a quad of all
// eight rows, in registers, as in matmul_input.wgsl. No barriers.

const W : u32 = 8u;

#params M, Q, theta, gamma, delta : u32 // Q: quads in a row of N
#write du : vec4f
#read dy, w : vec4f

fn store(m : u32, q : u32, sum : vec4f) {
  if (m < p.M && q < p.Q) {
    du[m * p.Q + q] += sum;
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let K = p.Q;
  let q = group.x * W + lane;
  let m = 8u * group.y;
#each g 8
  let first$g = min(m + $gu, p.M - 1u) * 3u * K;
  var sum$g = vec4f(0.0);
#end
  let count = K;
  let last = 4u * K;
  for (var kind = 0u; kind < 3u; kind++) {
    let base = select(select(p.delta, p.gamma, kind == 1u), p.theta, kind == 0u) + min(q, K - 1u);
#each g 8
    let row$g = first$g + kind * K;
#end
#import "shared/tile_input.wgsl"
  }
  var sums = array<vec4f, 8>(sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7);
  for (var g = 0u; g < 8u; g++) { // a loop, not copies, which compile longer
    store(m + g, q, sums[g]);
  }
}
