// The gradient of the fusion of one row (the equations: fusion.wgsl): with dA that of the blend, dS_kl = A_kl (dA_kl −
// Σ A dA),
//
//   dB_kl += dS_kl c_k c_l,   dc_k += dS_kl B_kl c_l,   dc_l += dS_kl B_kl c_k.
//
// attention_backward.wgsl, which imports this, declares part, dblend and dsummary.

// fuseBackward, by one invocation: the gradients of B (added at sums) and of the summaries from those of the blend.
fn fuseBackward(sums : u32) {
  let H = p.H;
  for (var k = 0u; k < H; k++) {
    dsummary[k] = 0.0;
  }
  if (p.fusion == FUSION_MEAN) {
    return;
  }
  if (p.fusion == FUSION_POOLED) {
    for (var l = 0u; l < H; l++) {
      var sum = 0.0;
      for (var k = 0u; k < H; k++) {
        sum += dblend[k * H + l] / f32(H);
      }
      for (var k = 0u; k < H; k++) {
        dblend[k * H + l] = sum;
      }
    }
  }
  for (var k = 0u; k < H; k++) {
    var mean = 0.0;
    for (var l = 0u; l < H; l++) {
      mean = fma(fused[k * H + l], dblend[k * H + l], mean);
    }
    for (var l = 0u; l < H; l++) {
      let ds = fused[k * H + l] * (dblend[k * H + l] - mean);
      part[sums + H + k * H + l] += ds * summary[k] * summary[l];
      dsummary[k] += ds * bilinear(k, l) * summary[l];
      dsummary[l] += ds * bilinear(k, l) * summary[k];
    }
  }
}
