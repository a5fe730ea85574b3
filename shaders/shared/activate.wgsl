// The functions between two layers and their slopes (SPEC §13), numbered as in package backend: 0 is ReLU, 1 GELU,
// x Φ(x) with the exact Φ(x) = (1 + erf(x/√2))/2, 2 SiLU, x σ(x).
#import "shared/element.wgsl"

// Activated is f(x) and f′(x).
struct Activated {
  y : E,
  slope : E,
}

// activated computes both. The upper tail of Φ is a polynomial in 1/(1 + 0.26|x|) times e^(−x²/2), to a relative 1e-7.
fn activated(f : u32, x : E) -> Activated {
  if (f == 0u) {
    return Activated(max(x, E(0.0)), select(E(0.0), E(1.0), x > E(0.0)));
  }
  if (f == 2u) {
    let e = expE(-x);
    let s = 1.0 / (1.0 + e);
    return Activated(x * s, s * fma(x, e * s, E(1.0)));
  }
  let t = 1.0 / fma(abs(x), E(0.26), E(1.0));
  var tail = fma(t, E(0.032137064684468974), E(-0.16059057530269458));
  tail = fma(tail, t, E(0.26714374440791094));
  tail = fma(tail, t, E(-0.1683835373566242));
  tail = fma(tail, t, E(0.1726463197385773));
  tail = fma(tail, t, E(0.0461988909250256));
  tail = fma(tail, t, E(0.10422474061387713));
  tail = fma(tail, t, E(0.1028551478909359));
  tail = fma(tail, t, E(0.10376820659685132));
  let e = expE(-0.5 * x * x);
  let q = tail * t * e;
  let below = select(1.0 - q, q, x < E(0.0));
  return Activated(x * below, fma(0.3989422804014327 * x, e, below));
}
