// The distance of two positions in a head's metric (SPEC §3): D_ij = Σ over its units of |q_i − q_j|², both planes,
// with q = Λᵀ h from project.wgsl. The edges e_t = D_{t,t+1} are distances too.
//
// The file that imports this declares p with N and H, and the binding q, rows of 2N numbers.

// squareDistance is that of head k between the rows of q that begin at a and b. Four units a turn, added in order, so
// that their reads are under way together.
fn squareDistance(a : u32, b : u32, k : u32) -> f32 {
  let d = p.N / p.H;
  let end = (k + 1u) * d;
  var sum = 0.0;
  for (var c = k * d; c < end; c += 4u) {
#each u 4
    let c$u = min(c + $uu, end - 1u);
    let v$u = vec2f(q[a + c$u], q[a + p.N + c$u]) - vec2f(q[b + c$u], q[b + p.N + c$u]);
#end
#each u 4
    sum += select(0.0, dot(v$u, v$u), c + $uu < end);
#end
  }
  return sum;
}
