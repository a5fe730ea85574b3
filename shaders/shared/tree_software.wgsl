// The tree accumulation along a sequence and back, by one invocation (the equations: tree.wgsl): a running number. For
// software adapters, where the barriers of tree_scan.wgsl cost more than the sums. See attention_last.wgsl for what it
// works on.
#import "shared/tree.wgsl"

// treeWalk writes C̃_ij of head k for all j and returns the summary, C̃_i1.
fn treeWalk(s : Span, k : u32) -> f32 {
  let tree = at(TREE, 0u, k);
  let edge = at(EDGE, 0u, k);
  var x = 0.0;
  for (var n = 0u; n < s.steps; n++) {
    let row = s.first + s.steps - 1u - n;
    if (n > 0u && p.tree != TREE_NONE) {
      x = grow(x, work[edge + row * p.H]);
    }
    work[tree + row * p.H] = x;
  }
  if (p.tree == TREE_NONE) {
    x = wlog1p(work[at(DIST, s.first, k)]);
  }
  return x;
}

// treeWalkBackward writes the gradients of head k's edges, given those of D̃ in GRAD and that of the summary, and
// returns that of softplus(Rho).
fn treeWalkBackward(s : Span, k : u32, scale : f32, dsummary : f32) -> f32 {
  let H = p.H;
  let end = s.first + s.steps;
  let tree = at(TREE, 0u, k);
  let grad = at(GRAD, 0u, k);
  let edge = at(EDGE, 0u, k);
  let dedge = at(DEDGE, 0u, k);
  var drho = 0.0;
  if (p.tree == TREE_NONE) {
    work[grad + s.first * H] += dsummary / (1.0 + work[at(DIST, s.first, k)]);
    for (var j = s.first; j < end; j++) {
      work[dedge + j * H] = 0.0;
    }
  } else {
    var g = dsummary;
    var before = work[tree + s.first * H];
    for (var j = s.first; j < end; j++) {
      let c = work[tree + j * H];
      let d = work[grad + j * H];
      drho = fma(d, c, drho);
      if (j > s.first) {
        g *= share(c, before);
      }
      g = fma(scale, d, g);
      before = c;
      work[dedge + j * H] = select(g * share(work[edge + j * H], c), 0.0, j + 1u == end);
    }
  }
  return drho;
}
