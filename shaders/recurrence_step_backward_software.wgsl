// One step backwards of the time loop of many sequences (SPEC §2), for widths that are multiples of four. The step in
// row r = Start + step first completes dh of row r + 1 with the products of step r + 1, which the dispatch before left
// to it:
//
//   dh = DState[r + 1] + WDeltaᵀ DDelta[r + 1] + WThetaᵀ DTheta[r + 1] (neither after the last step; the latter not
//   with theta token),
//
// then, with h' and h the step's states, all of step r but its own products:
//
//   dh ← dh · min(1, bound/|dh|) for each unit (bound > 0),
//   dg = Inv (dh − h Re(conj(h) dh))  (dg = dh without normalise),  DIn[r] = dg,
//   DDelta[r] = −α(1 − α) Re(conj(p) dg),  DTheta[r] = Im(conj(p) α dg), times π(1 − tanh²) where the state chose θ,
//   DState[r] += e^{−iθ} α dg.
//
// With THETA 2 the state's tanh is Theta/π, and DTheta[r] is times tanh(Pre[m]) too; the second half of DTheta, from
// p.dtoken on, gets Im(conj(p) α dg) Theta/π. With finish the row Start is completed and nothing else done. DTheta is
// 0 from turn on, so up to three rows of WTheta behind the last count for nothing. Saved holds WDelta, WTheta, Alpha,
// Inv, the angles (Rot, or Theta) and tanh(Pre), each from where p says, in quads. For software adapters: see
// recurrence_step_software.wgsl.
//
// Invocation i owns quad i % Q, both planes, of eight sequences, i / Q of the eights in Order. No barriers: DDelta and
// DTheta of row r + 1 were written by the dispatch before; those of a row after the last step are cleared here, and
// what others read of them meanwhile is dropped.
#import "shared/math4.wgsl"

const W : u32 = 8u;
const G : u32 = 8u;
const THETA : u32 = 0u; // 1 where the state chooses the angle it turns by, 2 where its factor

struct Params {
  start : u32,
  end : u32,
  at : u32,
  order : u32,
  live : u32,
  next : u32, // step + 1
  N : u32,
  turn : u32,
  normalise : u32,
  finish : u32,
  wtheta : u32,
  alpha : u32,
  inv : u32,
  angle : u32,
  token : u32,
  dtoken : u32,
  bound : f32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dstate : array<vec4f>;
@group(0) @binding(2) var<storage, read_write> ddelta : array<vec2f>;
@group(0) @binding(3) var<storage, read_write> dtheta : array<vec2f>;
@group(0) @binding(4) var<storage, read_write> din : array<vec4f>;
@group(0) @binding(5) var<storage, read> state : array<vec4f>;
@group(0) @binding(6) var<storage, read> saved : array<vec4f>;
@group(0) @binding(7) var<storage, read> ints : array<i32>;

fn sequence(i : u32) -> u32 {
  return u32(ints[p.order + min(i, p.live - 1u)]);
}

// putDelta and putTheta write the quad at a place of ddelta, or dtheta, in quads.
fn putDelta(at : u32, x : vec4f) {
  ddelta[2u * at] = x.xy;
  ddelta[2u * at + 1u] = x.zw;
}

fn putTheta(at : u32, x : vec4f) {
  dtheta[2u * at] = x.xy;
  dtheta[2u * at + 1u] = x.zw;
}

// back makes the step before row r in quad q, given the products that complete dh of row r.
fn back(s : u32, r : u32, q : u32, pre : vec4f, pim : vec4f) {
  let Q = p.N / 4u;
  let then = r * 2u * Q + q;
  var re = dstate[then];
  var im = dstate[then + Q];
  if (r == u32(ints[p.end + s])) {
    putDelta(r * Q + q, vec4f(0.0));
    putTheta(r * Q + q, vec4f(0.0));
    if (THETA == 2u) {
      putTheta(p.dtoken + r * Q + q, vec4f(0.0));
    }
    din[then] = vec4f(0.0);
    din[then + Q] = vec4f(0.0);
  } else {
    re += pre;
    im += pim;
  }
  if (p.finish != 0u) {
    dstate[then] = re;
    dstate[then + Q] = im;
  } else {
    let now = then - 2u * Q;
    let one = (r - 1u) * Q + q;
    let al = saved[p.alpha + one];
    if (p.bound > 0.0) {
      let square = re * re + im * im;
      let factor = select(vec4f(1.0), p.bound * inverseSqrt(square), square > vec4f(p.bound * p.bound));
      re *= factor;
      im *= factor;
    }
    if (p.normalise != 0u) {
      let hre = state[then];
      let him = state[then + Q];
      let along = hre * re + him * im;
      let scale = saved[p.inv + one];
      re = scale * (re - hre * along);
      im = scale * (im - him * along);
    }
    din[now] = re;
    din[now + Q] = im;
    let turns = below(q, p.turn);
    var e = Complex4(vec4f(1.0), vec4f(0.0));
    var slope = vec4f(1.0);
    var share = vec4f(0.0); // the state's tanh
    if (THETA != 0u) {
      var angle = saved[p.angle + one];
      share = angle / PI;
      slope = PI * (1.0 - share * share);
      if (THETA == 2u) {
        let token = saved[p.token + u32(ints[p.at + r - 1u]) * Q + q];
        angle *= token;
        slope *= token;
      }
      let around = cis4(angle);
      e = Complex4(select(e.re, around.re, turns), select(e.im, around.im, turns));
    } else {
      let m = p.angle + u32(ints[p.at + r - 1u]) * 2u * Q + q;
      e = Complex4(saved[m], saved[m + Q]);
    }
    let hre = state[now];
    let him = state[now + Q];
    let tre = hre * e.re - him * e.im;
    let tim = hre * e.im + him * e.re;
    putDelta(one, -al * (1.0 - al) * (tre * re + tim * im));
    re *= al;
    im *= al;
    let along = tre * im - tim * re;
    putTheta(one, select(vec4f(0.0), slope * along, turns));
    if (THETA == 2u) {
      putTheta(p.dtoken + one, select(vec4f(0.0), share * along, turns));
    }
    dstate[now] += re * e.re + im * e.im;
    dstate[now + Q] += im * e.re - re * e.im;
  }
}

// Sums are eight rows of a product, a quad of columns of each: first the real plane, from 8 on the imaginary one.
struct Sums {
  at : array<vec4f, 16>,
}

// grad is a pair of the gradients of δ, or of θ̂.
fn grad(theta : bool, at : u32) -> vec2f {
  if (theta) {
    return dtheta[at];
  }
  return ddelta[at];
}

// product adds the products of the gradients of the rows that begin at x0 … x7, in pairs, with `count` pairs of rows
// of weights from w on. Tile and terms a turn: see recurrence_step_software.wgsl.
fn product(before : Sums, theta : bool, w : u32, count : u32, q : u32,
  x0 : u32, x1 : u32, x2 : u32, x3 : u32, x4 : u32, x5 : u32, x6 : u32, x7 : u32) -> Sums {
  let Q = p.N / 4u;
#each g 8
  var a$g = before.at[$g];
  var b$g = before.at[8 + $g];
#end
  for (var k = 0u; k < count; k++) {
    let at = w + 4u * k * Q + q;
    let a = saved[at];
    let b = saved[at + Q];
    let nexta = saved[at + 2u * Q];
    let nextb = saved[at + 3u * Q];
#each g 8
    let d$g = grad(theta, x$g + k);
    a$g = fma(vec4f(d$g.y), nexta, fma(vec4f(d$g.x), a, a$g));
    b$g = fma(vec4f(d$g.y), nextb, fma(vec4f(d$g.x), b, b$g));
#end
  }
  return Sums(array<vec4f, 16>(a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7));
}

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let Q = p.N / 4u;
  let q = id.x % Q;
  let first = id.x / Q * G;
#each g 8
  let x$g = (u32(ints[p.start + sequence(first + $gu)]) + p.next) * 2u * Q;
#end
  var none : Sums;
  var sums = product(none, false, 0u, 2u * Q, q, x0, x1, x2, x3, x4, x5, x6, x7);
  if (THETA != 0u) {
    sums = product(sums, true, p.wtheta, (p.turn + 3u) / 4u * 2u, q, x0, x1, x2, x3, x4, x5, x6, x7);
  }
  for (var g = 0u; g < G && first + g < p.live; g++) { // a loop, as in recurrence_step_software.wgsl
    let s = sequence(first + g);
    back(s, u32(ints[p.start + s]) + p.next, q, sums.at[g], sums.at[G + g]);
  }
}
