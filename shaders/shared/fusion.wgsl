// The fusion of the heads of one row (SPEC §5): S_kl = c_k B_kl c_l with the summaries c_k = C̃_i1, A = softmax over l
// of S_kl; the blend is A itself (mesh), its mean over k for all heads (pooled), or 1/H (mean). Without a tree c_k =
// log(1 + D_i1). See attention.wgsl for what it works on; the gradient is in fusion_backward.wgsl.
#import "shared/math.wgsl"
#import "shared/attention_kinds.wgsl"

var<workgroup> summary : array<f32, MAX_HEADS>;
var<workgroup> fused : array<f32, MAX_PAIRS>; // A
var<workgroup> blend : array<f32, MAX_PAIRS>;

// fuse makes the summaries, A and its blend from D and C̃ at j = 0. Barriers: after the summaries and B, which every
// head reads, and after A, of which the pooled blend reads all rows.
fn fuse(s : Span, lane : u32) {
  for (var x = lane; x < p.H * p.H; x += W) {
    blend[x] = bilinear(x / p.H, x % p.H); // B, until the blend is made
  }
  if (lane < p.H) {
    if (p.tree == TREE_NONE) {
      summary[lane] = wlog1p(work[at(s, DIST, lane, 0u)]);
    } else {
      summary[lane] = work[at(s, TREE, lane, 0u)];
    }
  }
  workgroupBarrier();
  if (lane < p.H) {
    let k = lane * p.H;
    var top = -1e30;
    for (var l = 0u; l < p.H; l++) {
      let x = summary[lane] * blend[k + l] * summary[l];
      fused[k + l] = x;
      top = max(top, x);
    }
    var sum = 0.0;
    for (var l = 0u; l < p.H; l++) {
      let x = wexp(fused[k + l] - top);
      fused[k + l] = x;
      sum += x;
    }
    for (var l = 0u; l < p.H; l++) {
      fused[k + l] = select(fused[k + l] / sum, 1.0 / f32(p.H), p.fusion == FUSION_MEAN);
    }
  }
  workgroupBarrier();
  if (lane < p.H) {
    var mean = 0.0;
    for (var k = 0u; k < p.H; k++) {
      mean += fused[k * p.H + lane] / f32(p.H);
    }
    for (var k = 0u; k < p.H; k++) {
      blend[k * p.H + lane] = select(fused[k * p.H + lane], mean, p.fusion == FUSION_POOLED);
    }
  }
  workgroupBarrier();
}
