// The product of the drive that reads V, and the gate (SPEC §2), for widths that are multiples of four; X is V:
//
//   R = W_B V on each plane,  In = γ ⊙ R,  γ = (1 + sin PreGamma)/2.  V, R, In [M, 2N].
//
// Workgroup (x, y) owns the quads of columns xW … of the rows 4y … 4y + 3, both planes of them; an invocation owns a
// quad of all eight, in registers, as in matmul.wgsl. No barriers.
#import "shared/math4.wgsl"

const W : u32 = 8u;

#params M, Q : u32 // Q: quads in a row of N
#write r, out : vec4f
#read x, pregamma, w : vec4f

fn store(m : u32, q : u32, re : vec4f, im : vec4f) {
  if (m < p.M && q < p.Q) {
    let at = 2u * m * p.Q + q;
    let gamma = 0.5 + 0.5 * cis4(pregamma[m * p.Q + q]).im;
    r[at] = re;
    r[at + p.Q] = im;
    out[at] = gamma * re;
    out[at + p.Q] = gamma * im;
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let K = p.Q;
  let q = group.x * W + lane;
  let own = 4u * min(q, K - 1u) * K;
  let m = 4u * group.y;
#each g 8
  let row$g = min(2u * m + $gu, 2u * p.M - 1u) * K;
  var sum$g = vec4f(0.0);
#end
#each c 4
  let at$c = own + $cu * K;
#end
#import "shared/tile_forward.wgsl"
#import "shared/tile_planes.wgsl"
}
