// The gradient of the fusion of one row (the equations: fusion.wgsl): with dA that of the blend, dS_kl = A_kl (dA_kl −
// Σ A dA),
//
//   dB_kl += dS_kl c_k c_l,   dc_k += dS_kl B_kl c_l,   dc_l += dS_kl B_kl c_k.
//
// attention_backward.wgsl, which imports this, declares part, dblend and dsummary.

// fuseBackward makes the gradients of B (added at sums) and of the summaries from those of the blend, dblend, where it
// leaves dS. Called from uniform control flow. Barriers: where an array changes hands.
fn fuseBackward(lane : u32, sums : u32) {
  let H = p.H;
  if (p.fusion == FUSION_POOLED) {
    if (lane < H) {
      var sum = 0.0;
      for (var k = 0u; k < H; k++) {
        sum += dblend[k * H + lane] / f32(H);
      }
      for (var k = 0u; k < H; k++) {
        dblend[k * H + lane] = sum;
      }
    }
    workgroupBarrier();
  }
  if (lane < H) {
    let k = lane * H;
    var mean = 0.0;
    for (var l = 0u; l < H; l++) {
      mean = fma(fused[k + l], dblend[k + l], mean);
    }
    for (var l = 0u; l < H; l++) {
      dblend[k + l] = select(fused[k + l] * (dblend[k + l] - mean), 0.0, p.fusion == FUSION_MEAN);
    }
  }
  workgroupBarrier();
  for (var x = lane; x < H * H; x += W) {
    part[sums + H + x] += dblend[x] * summary[x / H] * summary[x % H];
  }
  if (lane < H) {
    var sum = 0.0;
    for (var k = 0u; k < H; k++) {
      sum += dblend[k * H + lane] * bilinear(k, lane) * summary[k];
      sum += dblend[lane * H + k] * bilinear(lane, k) * summary[k];
    }
    dsummary[lane] = sum;
  }
  workgroupBarrier();
}
