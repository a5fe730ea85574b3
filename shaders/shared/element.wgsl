// E is what an elementwise kernel works on: a number, or four side by side where the host asks for them (Quads in
// package shaders). Two numbers of the same complex plane never lie in different E.

alias E = f32;
alias I = i32;
alias U = u32;

// sumE adds up the numbers of x.
fn sumE(x : E) -> f32 { return x; }

// expE is wexp of shared/math.wgsl, for either.
fn expE(x : E) -> E {
  let c = clamp(x, E(-87.0), E(88.0));
  let n = round(c * 1.44269504088896341);
  let twos = I(n);
  let r = fma(E(2 * twos), E(1.06097220e-4), fma(n, E(-0.693359375), c));
  var poly = fma(E(1.9875691500e-4), r, E(1.3981999507e-3));
  poly = fma(poly, r, E(8.3334519073e-3));
  poly = fma(poly, r, E(4.1665795894e-2));
  poly = fma(poly, r, E(1.6666665459e-1));
  poly = fma(poly, r, E(5.0000001201e-1));
  let y = fma(poly, r * r, r) + 1.0;
  let e = y * bitcast<E>(U(twos + I(127)) << U(23u));
  return select(e, E(0.0), x < E(-87.0));
}

fn sigmoidE(x : E) -> E { return 1.0 / (1.0 + expE(-x)); }
