// The tree accumulation of one row, head after head (the equations: tree.wgsl). It works on what attention.wgsl has.
#import "shared/tree.wgsl"

var<workgroup> scanBox : array<f32, W>;

// trees writes C̃_ij for all heads and j ≤ i.
fn trees(s : Span, lane : u32, i : u32) {
  // From j = i down: a scan of 0, e_{i−1}, e_{i−2}, … in blocks of W. Barriers: a scan's step is read by all before
  // any overwrites it, and written by all before any reads it.
  var none = -1e30; // log of nothing
  if (p.tree != TREE_LSE) {
    none = 0.0;
  }
  for (var k = 0u; k < p.H; k++) {
    var carry = none;
    for (var back = 0u; back <= i; back += W) {
      let n = back + lane;
      var x = none;
      if (n == 0u) {
        x = 0.0;
      } else if (n <= i && p.tree != TREE_NONE) {
        x = edge(s, k, i - n);
      }
      scanBox[lane] = x;
      workgroupBarrier();
      for (var step = 1u; step < W; step *= 2u) {
        var y = none;
        if (lane >= step) {
          y = scanBox[lane - step];
        }
        workgroupBarrier();
        if (lane >= step) {
          x = grow(x, y);
          scanBox[lane] = x;
        }
        workgroupBarrier();
      }
      x = grow(x, carry);
      if (n <= i) {
        work[at(s, TREE, k, i - n)] = select(x, 0.0, p.tree == TREE_NONE);
      }
      carry = grow(scanBox[W - 1u], carry);
      workgroupBarrier();
    }
  }
}
