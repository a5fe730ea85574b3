#import "shared/complex.wgsl"

// cisAfter is e^{i(psi + steps·omega)}, right to 4e-6 for |psi| up to some tens and up to 4096 steps: the angle
// reaches thousands of radians, of which float32 keeps three decimals. So omega is split in two. Its upper 12 bits
// times the steps are exact; whole turns are taken off that, 2π in three parts of which the first two times their
// number are exact too; and the rest is small.
fn cisAfter(psi : f32, omega : f32, steps : i32) -> vec2f {
  let s = f32(steps);
  let high = bitcast<f32>(bitcast<u32>(omega) & 0xfffff000u);
  let x = s * high;
  let n = round(x * 0.159154943091895336);
  var r = fma(n, -6.28125, x);
  r = fma(n, -1.93500518798828125e-3, r);
  r = fma(n, -3.019915981956752864e-7, r);
  return cis(r + fma(s, omega - high, psi));
}
