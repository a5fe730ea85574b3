// Angles and complex numbers. vec2f(re, im).

// cis is (cos x, sin x), for |x| up to some thousands. n times π/2 is taken off in three parts, of n, 2n and 4n: of
// the same factor Mesa's NIR adds the parts up (seen with RADV), which loses them. No rule for floats joins these.
fn cis(x : f32) -> vec2f {
  let n = round(x * 0.636619772367581);
  var r = fma(n, -1.5703125, x);
  let whole = i32(n);
  r = fma(f32(2 * whole), -2.4187564849853515625e-4, r);
  r = fma(f32(4 * whole), -1.88744748872297054e-8, r);
  let z = r * r;
  let s = fma(fma(fma(-1.9515295891e-4, z, 8.3321608736e-3), z, -1.6666654611e-1) * z, r, r);
  let even = fma(fma(2.443315711809948e-5, z, -1.388731625493765e-3), z, 4.166664568298827e-2);
  let c = fma(even * z, z, fma(-0.5, z, 1.0));
  let quarter = whole & 3;
  let odd = (quarter & 1) != 0;
  let re = select(c, s, odd);
  let im = select(s, c, odd);
  return vec2f(select(re, -re, quarter == 1 || quarter == 2), select(im, -im, quarter > 1));
}

fn cmul(a : vec2f, b : vec2f) -> vec2f { return vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// turnBack is a times the conjugate of b.
fn turnBack(a : vec2f, b : vec2f) -> vec2f { return vec2f(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y); }
