// Y[p] = e^{i(ψ + Steps[p]·ω)} ⊙ X[Row[p]] (SPEC §2, memory), of the states X. With p.back it is the backward pass,
// Y[Row[p]] += e^{−i(ψ + Steps[p]·ω)} ⊙ X[p]: no row is named twice, so no two invocations add to one place.
// turn_phase.wgsl makes the gradients of ψ and ω. X, Y [, 2N]; ψ, ω [N].
#import "shared/each.wgsl"
#import "shared/complex.wgsl"

#params P, N, row, steps, back : u32
#write y : f32
#read x, psi, omega : f32
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

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

fn each(i : u32) {
  let n = i % p.N;
  let here = (i / p.N) * 2u * p.N + n;
  let there = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
  let e = cisAfter(psi[n], omega[n], ints[p.steps + i / p.N]);
  if (p.back != 0u) {
    let d = turnBack(vec2f(x[here], x[here + p.N]), e);
    y[there] += d.x;
    y[there + p.N] += d.y;
  } else {
    let z = cmul(vec2f(x[there], x[there + p.N]), e);
    y[here] = z.x;
    y[here + p.N] = z.y;
  }
}
