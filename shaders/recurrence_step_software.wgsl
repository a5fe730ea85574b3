// One step of the time loop (SPEC §2) of many sequences, for widths that are multiples of four: Q = N/4 quads of units
// lie side by side in every row. In row r with drive row m = At[r], h' the state in row r:
//
//   δ = WDelta h' + DeltaU[m],  α = 1/(1 + e^δ),  p = e^{iθ} h' for units below turn, else h',
//   g = α p + In[m],  h = g/sqrt(|g|² + ε)  (h = g without normalise),
//
// θ from Rot[m] (cos, sin), or with THETA 1 π·tanh(WTheta h' + Pre[m]), with 2 π·tanh(WTheta h' + Steer)·tanh(Pre[m]).
// Row r + 1 of State gets h.
//
// For software adapters: there a barrier inside the loop over time takes the sums out of registers, and costs twice
// the step; a dispatch costs 30 µs.
//
// Invocation i owns three quads of eight sequences, i / T of the eights in Order, T = ceil(Q/3): quads i % T, T and 2T
// further, of which the last invocations have fewer. So many sums for each read, and two terms a turn, because reads
// cost most on both software adapters, and SwiftShader's reads are so much code that more terms leave the processor's
// cache. No barriers: a step reads the state that an earlier dispatch wrote. What is done once a row and quad stands
// in a loop instead of 24 times: SwiftShader compiles it in a third of the time.
#import "shared/math4.wgsl"

const W : u32 = 8u;
const G : u32 = 8u;
const THETA : u32 = 0u; // 1 where the state chooses the angle it turns by, 2 where its factor

struct Params {
  start : u32,
  at : u32,
  order : u32,  // sequences, the longest first
  live : u32, // so many of them have this step
  step : u32,
  N : u32,
  turn : u32,
  normalise : u32,
  delta : u32, // where in packed, in quads, the rows of In, DeltaU and Rot, Pre or Steer lie behind the weights
  input : u32,
  angle : u32,
  token : u32, // of tanh(Pre), with THETA 2
  eps : f32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> state : array<vec2f>;
@group(0) @binding(2) var<storage, read_write> alpha : array<vec4f>;
@group(0) @binding(3) var<storage, read_write> inv : array<vec4f>;
@group(0) @binding(4) var<storage, read_write> theta : array<vec4f>;
@group(0) @binding(5) var<storage, read> packed : array<vec4f>;
@group(0) @binding(6) var<storage, read> ints : array<i32>;

// rowOf is the arena row of the step in the i-th sequence of Order.
fn rowOf(i : u32) -> u32 {
  return u32(ints[p.start + u32(ints[p.order + min(i, p.live - 1u)])]) + p.step;
}

// stateAt is the quad at a place of state, in quads.
fn stateAt(at : u32) -> vec4f {
  return vec4f(state[2u * at], state[2u * at + 1u]);
}

fn putState(at : u32, x : vec4f) {
  state[2u * at] = x.xy;
  state[2u * at + 1u] = x.zw;
}

// choose writes the angles that the state chooses, in quad q of row r, given the product with the state.
fn choose(i : u32, r : u32, q : u32, product : vec4f) {
  if (i < p.live) {
    let m = select(u32(ints[p.at + r]), 0u, THETA == 2u);
    let pre = packed[p.angle + m * (p.N / 4u) + q];
    theta[r * (p.N / 4u) + q] = select(vec4f(0.0), PI * wtanh4(product + pre), below(q, p.turn));
  }
}

// finish makes the step of quad q in row r, given the product with the state.
fn finish(i : u32, r : u32, q : u32, product : vec4f) {
  if (i < p.live) {
    let Q = p.N / 4u;
    let m = u32(ints[p.at + r]);
    let now = r * 2u * Q + q;
    let al = 1.0 / (1.0 + wexp4(product + packed[p.delta + m * Q + q]));
    let re = stateAt(now);
    let im = stateAt(now + Q);
    var e : Complex4;
    if (THETA == 2u) {
      e = cis4(theta[r * Q + q] * packed[p.token + m * Q + q]);
    } else if (THETA != 0u) {
      e = cis4(theta[r * Q + q]);
    } else {
      e = Complex4(packed[p.angle + m * 2u * Q + q], packed[p.angle + m * 2u * Q + Q + q]);
    }
    let gre = al * (re * e.re - im * e.im) + packed[p.input + m * 2u * Q + q];
    let gim = al * (re * e.im + im * e.re) + packed[p.input + m * 2u * Q + Q + q];
    var scale = vec4f(1.0);
    if (p.normalise != 0u) {
      scale = 1.0 / sqrt(gre * gre + gim * gim + p.eps);
    }
    alpha[r * Q + q] = al;
    inv[r * Q + q] = scale;
    putState(now + 2u * Q, gre * scale);
    putState(now + 3u * Q, gim * scale);
  }
}

// Sums are eight rows of a product, three quads of columns of each: those of quad c from 8c on.
struct Sums {
  at : array<vec4f, 24>,
}

// product multiplies the states that begin at x0 … x7, in pairs, with the weights of quads qa, qb and qc, which lie
// from w on.
fn product(w : u32, qa : u32, qb : u32, qc : u32,
  x0 : u32, x1 : u32, x2 : u32, x3 : u32, x4 : u32, x5 : u32, x6 : u32, x7 : u32) -> Sums {
  let Q = p.N / 4u;
#each g 8
  var a$g = vec4f(0.0);
  var b$g = vec4f(0.0);
  var c$g = vec4f(0.0);
#end
  for (var k = 0u; k < p.N; k++) {
    let at = w + 2u * k * Q;
    let a = packed[at + qa];
    let b = packed[at + qb];
    let c = packed[at + qc];
    let nexta = packed[at + Q + qa];
    let nextb = packed[at + Q + qb];
    let nextc = packed[at + Q + qc];
#each g 8
    let h$g = state[x$g + k];
    a$g = fma(vec4f(h$g.y), nexta, fma(vec4f(h$g.x), a, a$g));
    b$g = fma(vec4f(h$g.y), nextb, fma(vec4f(h$g.x), b, b$g));
    c$g = fma(vec4f(h$g.y), nextc, fma(vec4f(h$g.x), c, c$g));
#end
  }
  return Sums(array<vec4f, 24>(
    a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7, c0, c1, c2, c3, c4, c5, c6, c7));
}

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let Q = p.N / 4u;
  let T = (Q + 2u) / 3u;
  let q = id.x % T;
  let qb = min(q + T, Q - 1u);
  let qc = min(q + 2u * T, Q - 1u);
  let first = id.x / T * G;
#each g 8
  let x$g = rowOf(first + $gu) * p.N;
#end
  if (THETA != 0u) {
    var sums = product(2u * p.N * Q, q, qb, qc, x0, x1, x2, x3, x4, x5, x6, x7);
    for (var g = 0u; g < 3u * G; g++) {
      let i = first + g % G;
      if (q + g / G * T < Q) {
        choose(i, rowOf(i), q + g / G * T, sums.at[g]);
      }
    }
  }
  var sums = product(0u, q, qb, qc, x0, x1, x2, x3, x4, x5, x6, x7);
  for (var g = 0u; g < 3u * G; g++) {
    let i = first + g % G;
    if (q + g / G * T < Q) {
      finish(i, rowOf(i), q + g / G * T, sums.at[g]);
    }
  }
}
