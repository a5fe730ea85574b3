// The distance of two positions in a head's metric (SPEC §3): D_ij = Σ over its units of |q_i − q_j|², both planes,
// with q = Λᵀ h from project.wgsl. The edges e_t = D_{t,t+1} are distances too.
//
// The file that imports this declares p with N and H, and the binding q, rows of 2N numbers.

// squareDistance is that of head k between the rows of q that begin at a and b.
fn squareDistance(a : u32, b : u32, k : u32) -> f32 {
  let d = p.N / p.H;
  var sum = 0.0;
  for (var c = k * d; c < (k + 1u) * d; c++) {
    let v = vec2f(q[a + c], q[a + p.N + c]) - vec2f(q[b + c], q[b + p.N + c]);
    sum += dot(v, v);
  }
  return sum;
}
