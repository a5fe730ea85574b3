// The fusion of the heads and its gradient, by one invocation (the equations: fusion.wgsl and fusion_backward.wgsl),
// in work: the summaries and A, its blend and their gradients are where the arguments say. For software adapters. The
// file that imports this declares p, and the bindings work, part and b.
#import "shared/attention_kinds.wgsl"

// pool writes the mean of each column of the matrix at begin to all of that column in the matrix at to, which may be
// the same.
fn pool(begin : u32, to : u32) {
  for (var l = 0u; l < p.H; l++) {
    var mean = 0.0;
    for (var k = 0u; k < p.H; k++) {
      mean += work[begin + k * p.H + l] / f32(p.H);
    }
    for (var k = 0u; k < p.H; k++) {
      work[to + k * p.H + l] = mean;
    }
  }
}

// fuse makes A and its blend from the summaries.
fn fuse(summary : u32, fused : u32, blend : u32) {
  let H = p.H;
  for (var k = 0u; k < H; k++) {
    var top = -1e30;
    for (var l = 0u; l < H; l++) {
      let x = work[summary + k] * b[k * H + l] * work[summary + l];
      work[fused + k * H + l] = x;
      top = max(top, x);
    }
    var sum = 0.0;
    for (var l = 0u; l < H; l++) {
      let x = wexp(work[fused + k * H + l] - top);
      work[fused + k * H + l] = x;
      sum += x;
    }
    for (var l = 0u; l < H; l++) {
      let x = select(work[fused + k * H + l] / sum, 1.0 / f32(H), p.fusion == FUSION_MEAN);
      work[fused + k * H + l] = x;
      work[blend + k * H + l] = x;
    }
  }
  if (p.fusion == FUSION_POOLED) {
    pool(fused, blend);
  }
}

// fuseBackward makes the gradients of B and of the summaries from those of the blend.
fn fuseBackward(sums : u32, summary : u32, dsummary : u32, fused : u32, dblend : u32) {
  let H = p.H;
  for (var k = 0u; k < H; k++) {
    work[dsummary + k] = 0.0;
  }
  if (p.fusion == FUSION_POOLED) {
    pool(dblend, dblend);
  }
  for (var k = 0u; k < H; k++) {
    var mean = 0.0;
    for (var l = 0u; l < H; l++) {
      mean = fma(work[fused + k * H + l], work[dblend + k * H + l], mean);
    }
    for (var l = 0u; l < H; l++) {
      let ds = select(work[fused + k * H + l] * (work[dblend + k * H + l] - mean), 0.0, p.fusion == FUSION_MEAN);
      let here = work[summary + k];
      let there = work[summary + l];
      part[sums + H + k * H + l] = ds * here * there;
      let db = ds * b[k * H + l];
      work[dsummary + k] += db * there;
      work[dsummary + l] += db * here;
    }
  }
}
