#import "shared/complex.wgsl"

// cisAfter is e^{i(psi + steps·omega)}, right to 4e-6 for |psi| up to some tens and up to 4096 steps: the angle
// reaches thousands of radians, of which float32 keeps three decimals. So omega is split in two. Its upper 12 bits
// times the steps are exact; whole turns are taken off that, 2π in three parts of which the first two times their
// number are exact too, with factors as in cis; and the rest is small.
fn cisAfter(psi : f32, omega : f32, steps : i32) -> vec2f {
  let s = f32(steps);
  let high = bitcast<f32>(bitcast<u32>(omega) & 0xfffff000u);
  let x = s * high;
  let n = round(x * 0.159154943091895336);
  var r = fma(n, -6.28125, x);
  let whole = i32(n);
  r = fma(f32(2 * whole), -9.67502593994140625e-4, r);
  r = fma(f32(4 * whole), -7.54978995489188216e-8, r);
  return cis(r + fma(s, omega - high, psi));
}
