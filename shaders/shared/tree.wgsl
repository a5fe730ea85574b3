// The tree accumulation (SPEC §4): C̃_ij = log(1 + Σ_{t=j}^{i−1} e^{e_t}), as a running number from j = i down, never
// as a sum of exponentials: s_i = 0, s_j = log(e^{s_{j+1}} + e^{e_j}). Its gradient, since the edge e_j is in every
// C̃_ij' with j' ≤ j:
//
//   de_j = e^{e_j − C̃_ij} G_j,   G_j = Σ_{j' ≤ j} dC̃_ij' e^{C̃_ij − C̃_ij'}.
//
// Without the log-sum-exp (SPEC §10) C̃ is the plain sum of the edges, or 0 without a tree. The file that imports this
// declares p with tree. tree_scan.wgsl and tree_scan_backward.wgsl go along a row.
#import "shared/math.wgsl"
#import "shared/attention_kinds.wgsl"

// grow is C̃ with one edge more.
fn grow(a : f32, x : f32) -> f32 {
  if (p.tree == TREE_LSE) {
    return max(a, x) + wlog1p(wexp(-abs(a - x))); // log(e^a + e^x) without overflow
  }
  return a + x;
}

// share is the part that e^a has in the sum e^x: the derivative of x by a.
fn share(a : f32, x : f32) -> f32 {
  if (p.tree == TREE_LSE) {
    return wexp(a - x);
  }
  return 1.0;
}
