// The gradient of the tree accumulation of one row (the equations: tree.wgsl).
// attention_backward.wgsl, which imports this, declares dsummary, add and TURNED.

var<workgroup> treeBox : array<f32, W>;

// treeBackward adds the edge gradients of row i, at de, of head k: a scan from j = 0 up in blocks of W. From TURNED it
// takes dD̃, hence dC̃ = softplus(Rho) dD̃; the summary C̃_i1 has a gradient of its own. Barriers: a scan's step is
// read by all before any overwrites it, and written by all before any reads it; so with the blocks' carry.
fn treeBackward(s : Span, lane : u32, i : u32, k : u32, de : u32) {
  var carry = 0.0;
  var carryTree = 0.0;
  for (var front = 0u; front < i; front += W) {
    let j = front + lane;
    var g = 0.0;
    var c = 0.0;
    if (j <= i) {
      c = work[at(s, TREE, k, j)];
      g = softRho(k) * work[at(s, TURNED, k, j)];
      if (j == 0u) {
        g += dsummary[k];
      }
    }
    scanBox[lane] = g;
    treeBox[lane] = c;
    workgroupBarrier();
    for (var step = 1u; step < W; step *= 2u) {
      var y = 0.0;
      if (lane >= step) {
        y = scanBox[lane - step] * share(c, treeBox[lane - step]);
      }
      workgroupBarrier();
      g += y;
      scanBox[lane] = g;
      workgroupBarrier();
    }
    if (front > 0u) {
      g += carry * share(c, carryTree);
    }
    if (j < i) {
      add(de + j * p.H + k, g * share(edge(s, k, j), c));
    }
    workgroupBarrier();
    scanBox[lane] = g;
    workgroupBarrier();
    carry = scanBox[W - 1u];
    carryTree = treeBox[W - 1u];
    workgroupBarrier();
  }
}
