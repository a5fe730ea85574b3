// The backward pass of the drive's gate (SPEC §2), for widths that are multiples of four:
//
//   DR = γ DIn,  DPre[1] = cos(PreGamma)/2 · Re(conj(R) DIn),  DPre[2] = DDelta.
//
// DPre [M, 3N] are the gradients of PreTheta, PreGamma and DeltaU side by side, as the products of the backward pass
// read them; drive_angle_backward.wgsl writes the first. DR, DIn, R [M, 2N].
#import "shared/each.wgsl"
#import "shared/math4.wgsl"

#params M, Q : u32 // Q: quads in a row of N
#write dpre, dr : vec4f
#read din, pregamma, r, ddelta : vec4f

fn count() -> u32 { return p.M * p.Q; }

fn each(i : u32) {
  let m = i / p.Q;
  let q = i % p.Q;
  let re = 2u * m * p.Q + q;
  let im = re + p.Q;
  let e = cis4(pregamma[i]);
  let gamma = 0.5 + 0.5 * e.im;
  dpre[(3u * m + 1u) * p.Q + q] = 0.5 * e.re * (din[re] * r[re] + din[im] * r[im]);
  dpre[(3u * m + 2u) * p.Q + q] = ddelta[i];
  dr[re] = gamma * din[re];
  dr[im] = gamma * din[im];
}
