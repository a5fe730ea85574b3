// The tree accumulation of one row by teams, a head each (the equations: tree.wgsl). See attention.wgsl for what it works
// on.
#import "shared/team.wgsl"
#import "shared/tree.wgsl"

var<workgroup> scanBox : array<f32, W>;

// trees writes C̃_ij for all heads and j ≤ i.
fn trees(s : Span, lane : u32, i : u32) {
  // From j = i down: a scan of 0, e_{i−1}, e_{i−2}, … in blocks of TEAM. Barriers: a scan's step is read by all before
  // any overwrites it, and written by all before any reads it.
  let place = lane % TEAM;
  var none = LSE_ZERO;
  if (p.tree != TREE_LSE) {
    none = 0.0;
  }
  for (var turn = 0u; turn < p.H; turn += TEAMS) {
    let k = turn + lane / TEAM;
    let end = select(0u, i + 1u, k < p.H); // a team without a head has no positions
    var carry = none;
    for (var back = 0u; back <= i; back += TEAM) {
      let n = back + place;
      var x = none;
      if (n == 0u) {
        x = 0.0;
      } else if (n < end && p.tree != TREE_NONE) {
        x = edge(s, k, i - n);
      }
      scanBox[lane] = x;
      workgroupBarrier();
      for (var step = 1u; step < TEAM; step *= 2u) {
        var y = none;
        if (place >= step) {
          y = scanBox[lane - step];
        }
        workgroupBarrier();
        if (place >= step) {
          x = grow(x, y);
          scanBox[lane] = x;
        }
        workgroupBarrier();
      }
      x = grow(x, carry);
      if (n < end) {
        work[at(s, TREE, k, i - n)] = select(x, 0.0, p.tree == TREE_NONE);
      }
      carry = grow(scanBox[lane - place + TEAM - 1u], carry);
      workgroupBarrier();
    }
  }
}
