// The log-sum-exp: identity LSE_ZERO (log of nothing), combine lse.
#import "shared/math.wgsl"

const LSE_ZERO : f32 = -1e30;

// lse is log(e^a + e^b) without overflow.
fn lse(a : f32, b : f32) -> f32 {
  return max(a, b) + wlog1p(wexp(-abs(a - b)));
}
