// What every row of the attention reads (SPEC §§3-5): softplus(Rho) | sigmoid(Rho) | B at the start of work, and the
// edges e_r = |q_{r+1} − q_r|² per head, [rows, H]; those between two sequences mean nothing.
#import "shared/each.wgsl"
#import "shared/math.wgsl"
#import "shared/distance.wgsl"

#params rows, N, H, edges : u32
#write work : f32
#read q, rho, b : f32

fn count() -> u32 { return max(p.rows * p.H, p.H * p.H); }

fn each(i : u32) {
  if (i < p.H) {
    work[i] = softplus(rho[i]);
    work[p.H + i] = sigmoid(rho[i]);
  }
  if (i < p.H * p.H) {
    work[2u * p.H + i] = b[i];
  }
  let r = i / p.H;
  if (r + 1u < p.rows) {
    let now = r * 2u * p.N;
    let then = now + 2u * p.N;
    work[p.edges + i] = squareDistance(then, now, i % p.H);
  }
}
