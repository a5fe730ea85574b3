// Elementary functions written out, because WGSL promises little of its own (sin and cos to 2^-11 only) and every
// adapter rounds differently. About 1e-7 each; the polynomials are those of the Cephes library.

const PI : f32 = 3.14159265358979;

// wexp is e^x; 0 below -87, where float32 has no normal numbers, and e^88 above 88. n times ln 2 is taken off in two
// parts, of n and 2n, lest Mesa's NIR (RADV, llvmpipe) adds the parts up.
fn wexp(x : f32) -> f32 {
  let c = clamp(x, -87.0, 88.0);
  let n = round(c * 1.44269504088896341);
  let twos = i32(n);
  let r = fma(f32(2 * twos), 1.06097220e-4, fma(n, -0.693359375, c));
  let high = fma(fma(fma(1.9875691500e-4, r, 1.3981999507e-3), r, 8.3334519073e-3), r, 4.1665795894e-2);
  let poly = fma(fma(high, r, 1.6666665459e-1), r, 5.0000001201e-1);
  let y = fma(poly, r * r, r) + 1.0;
  let e = y * bitcast<f32>(u32(twos + 127) << 23u);
  return select(e, 0.0, x < -87.0);
}

// wlog is log x for normal x > 0.
fn wlog(x : f32) -> f32 { return logOf(x, 1.0); }

// wlog1p is log(1+x) for x >= 0, exact for small x too: of what 1 + x has lost, x − ((1+x) − 1), llvmpipe and
// SwiftShader make 0.
fn wlog1p(x : f32) -> f32 { return logOf(1.0 + x, x); }

// logOf is log u; below 0.4142, where u = 2^0 m, less is u − 1 as it was before it was rounded.
fn logOf(u : f32, less : f32) -> f32 {
  let bits = bitcast<u32>(u);
  var e = f32(i32(bits >> 23u) - 126);
  var m = bitcast<f32>((bits & 0x007fffffu) | 0x3f000000u);
  if (m < 0.70710678) {
    e = e - 1.0;
    m = m + m;
  }
  let r = select(m - 1.0, less, less < 0.4142);
  let z = r * r;
  var p = fma(7.0376836292e-2, r, -1.1514610310e-1);
  p = fma(p, r, 1.1676998740e-1);
  p = fma(p, r, -1.2420140846e-1);
  p = fma(p, r, 1.4249322787e-1);
  p = fma(p, r, -1.6668057665e-1);
  p = fma(p, r, 2.0000714765e-1);
  p = fma(p, r, -2.4999993993e-1);
  p = fma(p, r, 3.3333331174e-1);
  var y = p * r * z;
  y = fma(e, -2.12194440e-4, y);
  y = fma(-0.5, z, y);
  return fma(e, 0.693359375, r + y);
}

fn wtanh(x : f32) -> f32 {
  let a = abs(x);
  let z = x * x;
  var p = fma(-5.70498872745e-3, z, 2.06390887954e-2);
  p = fma(p, z, -5.37397155531e-2);
  p = fma(p, z, 1.33314422036e-1);
  p = fma(p, z, -3.33332819422e-1);
  let small = fma(p * z, x, x);
  let large = 1.0 - 2.0 / (wexp(2.0 * min(a, 40.0)) + 1.0);
  return select(select(large, -large, x < 0.0), small, a < 0.625);
}

fn sigmoid(x : f32) -> f32 { return 1.0 / (1.0 + wexp(-x)); }

fn softplus(x : f32) -> f32 { return max(x, 0.0) + wlog1p(wexp(-abs(x))); }

// finite tells numbers from infinities and NaN by their bits: WGSL lets compilers assume that there are neither.
fn finite(x : f32) -> bool { return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u; }
