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
// Invocation i owns quad i % Q of eight sequences, i / Q of the eights in Order: a vector of weights is read once for
// eight rows of state. No barriers: a step reads the state that an earlier dispatch wrote. What is done once a row
// stands in a loop instead of eight times: SwiftShader compiles it in a third of the time.
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
@group(0) @binding(1) var<storage, read_write> state : array<vec4f>;
@group(0) @binding(2) var<storage, read_write> alpha : array<vec4f>;
@group(0) @binding(3) var<storage, read_write> inv : array<vec4f>;
@group(0) @binding(4) var<storage, read_write> theta : array<vec4f>;
@group(0) @binding(5) var<storage, read> packed : array<vec4f>;
@group(0) @binding(6) var<storage, read> ints : array<i32>;

// rowOf is the arena row of the step in the i-th sequence of Order.
fn rowOf(i : u32) -> u32 {
  return u32(ints[p.start + u32(ints[p.order + min(i, p.live - 1u)])]) + p.step;
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
    let re = state[now];
    let im = state[now + Q];
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
    state[now + 2u * Q] = gre * scale;
    state[now + 3u * Q] = gim * scale;
  }
}

// Sums are eight rows of a product, a quad of columns of each.
struct Sums {
#each g 8
  d$g : vec4f,
#end
}

// product multiplies the states that begin at x0 … x7 with the weights of quad q, which lie from w on.
fn product(w : u32, q : u32, x0 : u32, x1 : u32, x2 : u32, x3 : u32, x4 : u32, x5 : u32, x6 : u32, x7 : u32) -> Sums {
  let Q = p.N / 4u;
#each g 8
  var d$g = vec4f(0.0);
#end
  for (var k = 0u; k < 2u * Q; k++) {
    let at = w + 4u * k * Q + q;
    let w0 = packed[at];
    let w1 = packed[at + Q];
    let w2 = packed[at + 2u * Q];
    let w3 = packed[at + 3u * Q];
#each g 8
    let h$g = state[x$g + k];
    d$g = fma(vec4f(h$g.w), w3, fma(vec4f(h$g.z), w2, fma(vec4f(h$g.y), w1, fma(vec4f(h$g.x), w0, d$g))));
#end
  }
  return Sums(d0, d1, d2, d3, d4, d5, d6, d7);
}

fn sumOf(sums : Sums, g : u32) -> vec4f {
  switch (g) {
#each g 8
    case $gu: { return sums.d$g; }
#end
    default: { return vec4f(0.0); }
  }
}

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let Q = p.N / 4u;
  let q = id.x % Q;
  let first = id.x / Q * G;
#each g 8
  let x$g = rowOf(first + $gu) * 2u * Q;
#end
  if (THETA != 0u) {
    let sums = product(2u * p.N * Q, q, x0, x1, x2, x3, x4, x5, x6, x7);
    for (var g = 0u; g < G; g++) {
      choose(first + g, rowOf(first + g), q, sumOf(sums, g));
    }
  }
  let sums = product(0u, q, x0, x1, x2, x3, x4, x5, x6, x7);
  for (var g = 0u; g < G; g++) {
    finish(first + g, rowOf(first + g), q, sumOf(sums, g));
  }
}
