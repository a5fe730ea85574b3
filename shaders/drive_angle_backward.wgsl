// The backward pass of V = u ⊙ e^{iθ}, θ = π·tanh PreTheta, and of what reads V (SPEC §2), for widths that are
// multiples of four: with DV = DR·W_B, DY being DR,
//
//   DU = Re(e^{-iθ} DV),  DPre[0] = π(1 − tanh²)(U·Im(e^{-iθ} DV) + DTheta), or, with p.state, … U·Im(…)) + DTheta.
//
// DPre [M, 3N] as in drive_gate_backward.wgsl; DR [M, 2N], DU, U, DTheta, PreTheta [M, N].
//
// Workgroup (x, y) owns the quads of columns xW … of the rows 4y … 4y + 3, both planes of them; an invocation owns a
// quad of all eight, in registers, as in matmul_input.wgsl. No barriers.
#import "shared/math4.wgsl"

const W : u32 = 8u;

#params M, Q, state : u32 // Q: quads in a row of N
#write dpre, du : vec4f
#read dy, w, dtheta, pretheta, u : vec4f

fn store(m : u32, q : u32, re : vec4f, im : vec4f) {
  if (m < p.M && q < p.Q) {
    let i = m * p.Q + q;
    let t = wtanh4(pretheta[i]);
    let e = cis4(PI * t);
    let slope = PI * (1.0 - t * t);
    let along = u[i] * (im * e.re - re * e.im);
    du[i] = re * e.re + im * e.im;
    dpre[3u * m * p.Q + q] = select(slope * (along + dtheta[i]), slope * along + dtheta[i], p.state != 0u);
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let K = p.Q;
  let q = group.x * W + lane;
  let base = min(q, K - 1u);
  let m = 4u * group.y;
#each g 8
  let row$g = min(2u * m + $gu, 2u * p.M - 1u) * K;
  var sum$g = vec4f(0.0);
#end
  let count = K;
  let last = 4u * K;
#import "shared/tile_input.wgsl"
#import "shared/tile_planes.wgsl"
}
