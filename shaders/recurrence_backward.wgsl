// The whole time loop of a sequence backwards (SPEC §2), for widths that are multiples of four. Of the step in row r,
// with dh = DState[r + 1], h' and h its states, p, α and 1/|g| as the forward pass had them:
//
//   dh ← dh · min(1, bound/|dh|) for each unit (bound > 0),
//   dg = Inv (dh − h Re(conj(h) dh))  (dg = dh without normalise),  DIn[r] = dg,
//   DDelta[r] = −α(1 − α) Re(conj(p) dg),  DTheta[r] = Im(conj(p) α dg), times π(1 − tanh²) where the state chose θ,
//   DState[r] += e^{−iθ} α dg + WDeltaᵀ DDelta[r] + WThetaᵀ DTheta[r] (theta state and product).
//
// With THETA 2 the state's tanh is Theta/π, and DTheta[r] is times tanh(Pre[m]) too; the second half of DTheta, from
// p.dtoken on, gets Im(conj(p) α dg) Theta/π. Rows after a sequence's last step get zeros; with p.init the gradient of
// the first state goes to DInit. Saved holds WDelta and WTheta, Alpha, Inv, the angles (Rot, or Theta) and tanh(Pre),
// each from where p says, in numbers (of WTheta: in quads).
//
// For GPUs, in the two forms that recurrence_forward.wgsl tells of. What a step reads is asked for a step before and
// carried by the loop, and so is what it shares with the step before: the state between the two, and its gradient so
// far.
//
// One workgroup owns a sequence. For the products an invocation owns quads of units of one plane and one of SLICES
// slices of the gradients of δ and θ̂; then unit lane, lane + W, … and adds up the slices, in the next step. Barriers,
// all in a loop that has one turn more than the sequence has steps, the same for the whole workgroup: between writing
// the slices' sums and reading them, and between writing the gradients and reading them, which also keeps the first
// sums from being overwritten while they are read.
#import "shared/math.wgsl"
#import "shared/complex.wgsl"
#import "shared/loop.wgsl"

const W : u32 = 256u;
const THETA : u32 = 0u; // 1 where the state chooses the angle it turns by, 2 where its factor
const N : u32 = 132u;   // the host's

const Q : u32 = N / 2u; // quads of both planes
const WIDTH : u32 = 2u * N;
const EACH : u32 = (N + SLICES - 1u) / SLICES;
const PRODUCTS : u32 = 1u + (THETA + 1u) / 2u;
const TERMS : u32 = PRODUCTS * PLACES;

#params start, end, at, lo, turn, normalise, skip, steps, wtheta, alpha, inv, angle, token, dtoken, init : u32
#params bound : f32
#write dstate, ddelta, dtheta, din : f32
#read state : f32
#read saved : vec4f
#write dinit : f32
#read ints : i32

var<workgroup> terms : array<Four, TERMS>; // the gradients of δ, then of θ̂
var<workgroup> sums : array<array<vec4f, Q>, SLICES>; // slice by slice

fn weight(i : u32) -> vec4f { return saved[i]; }

fn number(i : u32) -> f32 { return saved[i / 4u][i % 4u]; }

// product is what the steps behind have left to unit n of the row before, both planes.
fn product(n : u32) -> vec2f {
  var sum = vec2f(0.0);
#each s SLICES
  sum += vec2f(sums[$su][n / 4u][n % 4u], sums[$su][(N + n) / 4u][n % 4u]);
#end
  return sum;
}

// stateOf is the state in a row.
fn stateOf(r : u32, n : u32) -> vec2f { return vec2f(state[r * WIDTH + n], state[r * WIDTH + N + n]); }

// gradientOf is what is there of its gradient.
fn gradientOf(r : u32, n : u32) -> vec2f { return vec2f(dstate[r * WIDTH + n], dstate[r * WIDTH + N + n]); }

// Saved is what the step of row r reads for a unit: of the forward pass, and what is there of the gradient of the
// state before the step. angle is e^{iθ}; or its real part is Theta, its imaginary part with THETA 2 tanh(Pre).
struct Saved {
  alpha : f32,
  inv : f32,
  before : vec2f,
  angle : vec2f,
  dbefore : vec2f,
}

// Behind is what the steps behind leave to a step: the state that it made, and the gradient of that but for the
// products.
struct Behind {
  after : vec2f,
  dafter : vec2f,
}

// rowOf is the drive row of a step, counted from the last one; of the first one before it.
fn rowOf(s : Span, t : u32) -> u32 {
  let steps = max(s.steps, 1u);
  return u32(max(ints[p.at + s.first + steps - 1u - min(t, steps - 1u)], 0));
}

// savedOf has the drive row too, which only some angles need.
fn savedOf(r : u32, m : u32, n : u32) -> Saved {
  let one = r * N + n;
  var angle = vec2f(1.0, 0.0);
  if (THETA == 0u) {
    let i = p.angle + m * WIDTH + n;
    angle = vec2f(number(i), number(i + N));
  } else if (n < p.turn) {
    angle.x = number(p.angle + one);
    if (THETA == 2u) {
      angle.y = number(p.token + m * N + n);
    }
  }
  return Saved(number(p.alpha + one), number(p.inv + one), stateOf(r, n), angle, gradientOf(r, n));
}

// advance makes the step in row r for unit n, and returns the gradient of the state before it, but for the products.
fn advance(r : u32, n : u32, saved : Saved, behind : Behind, f : Fixed) -> vec2f {
  let one = r * N + n;
  let now = r * WIDTH + n;
  let then = now + WIDTH;
  let al = saved.alpha;
  var z = behind.dafter + product(n);
  dstate[then] = z.x;
  dstate[then + N] = z.y;
  if (f.bound > 0.0) {
    let square = dot(z, z);
    if (square > f.bound * f.bound) {
      z *= f.bound * inverseSqrt(square);
    }
  }
  if (f.normalise != 0u) {
    z = saved.inv * (z - behind.after * dot(behind.after, z));
  }
  din[now] = z.x;
  din[now + N] = z.y;
  var e = saved.angle;
  var slope = 1.0;
  if (THETA != 0u) {
    if (n < f.turn) {
      let a = saved.angle.x;
      slope = PI * (1.0 - a / PI * (a / PI));
      if (THETA == 2u) {
        e = cis(a * saved.angle.y);
        slope *= saved.angle.y;
      } else {
        e = cis(a);
      }
    }
  }
  let turned = cmul(saved.before, e);
  let d = -al * (1.0 - al) * dot(turned, z);
  let dp = al * z;
  let along = turned.x * dp.y - turned.y * dp.x;
  let a = select(0.0, slope * along, n < f.turn);
  ddelta[one] = d;
  dtheta[one] = a;
  if (THETA == 2u) {
    dtheta[f.dtoken + one] = select(0.0, along * (saved.angle.x / PI), n < f.turn);
  }
  let place = placeOf(n);
  terms[place / 4u][place % 4u] = d;
  if (THETA != 0u) {
    terms[PLACES + place / 4u][place % 4u] = a;
  }
  return saved.dbefore + turnBack(dp, e);
}

// far makes the step of units beyond the first W, of which nothing is carried.
fn far(s : Span, t : u32, lane : u32, f : Fixed) {
  let r = s.first + s.steps - 1u - t;
  for (var n = lane + W; n < N; n += W) {
    let behind = Behind(stateOf(r + 1u, n), gradientOf(r + 1u, n));
    let back = advance(r, n, savedOf(r, rowOf(s, t), n), behind, f);
    dstate[r * WIDTH + n] = back.x;
    dstate[r * WIDTH + N + n] = back.y;
  }
}

// finish completes the gradient of the first state that the call covers.
fn finish(s : Span, n : u32, dafter : vec2f) {
  let to = s.first * WIDTH + n;
  let sum = product(n) + dafter;
  dstate[to] = sum.x;
  dstate[to + N] = sum.y;
  if (p.init != 0u) {
    dinit[s.sequence * WIDTH + n] = sum.x;
    dinit[s.sequence * WIDTH + N + n] = sum.y;
  }
}

// begin clears what nothing is written to.
fn begin(s : Span, lane : u32) {
  for (var n = lane; n < N; n += W) {
    ddelta[s.end * N + n] = 0.0;
    dtheta[s.end * N + n] = 0.0;
    if (THETA == 2u) {
      dtheta[p.dtoken + s.end * N + n] = 0.0;
    }
    din[s.end * WIDTH + n] = 0.0;
    din[s.end * WIDTH + N + n] = 0.0;
  }
  for (var i = lane; i < 4u * TERMS; i += W) {
    terms[i / 4u][i % 4u] = 0.0;
  }
}

// Fixed are the parameters that a step reads.
struct Fixed {
  turn : u32,
  normalise : u32,
  dtoken : u32,
  bound : f32,
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let fixed = Fixed(p.turn, p.normalise, p.dtoken, p.bound);
  let unit = min(lane, N - 1u);
  let s = spanOf(group.x);
  begin(s, lane);
  let end = s.first + s.steps;
  var behind = Behind(stateOf(end, unit), gradientOf(end, unit));
  var near = savedOf(max(end, 1u) - 1u, rowOf(s, 0u), unit);
  var row = rowOf(s, 1u);
  let slice = min(lane / Q, SLICES - 1u);
  let quad = lane % Q;
  let base = slice * FOURS;
  let w = slice * EACH * Q + quad;
#each y HELD
  let a$y = weightOf(w, 4u * $yu);
  let b$y = weightOf(w, 4u * $yu + 1u);
  let c$y = weightOf(w, 4u * $yu + 2u);
  let d$y = weightOf(w, 4u * $yu + 3u);
#end
  var delta = vec4f(0.0);
  var more = vec4f(0.0); // of the quads of lane + W
  for (var t = 0u; t <= s.steps; t++) {
    if (lane < PARTS) {
      sums[slice][quad] = delta;
    }
    if (PARTS > W && lane + W < PARTS) {
      sums[0][lane + W] = more;
    }
    workgroupBarrier();
    if (t == s.steps) {
      if (t > 0u && lane < N) {
        finish(s, lane, behind.dafter);
      }
      if (N > W && t > 0u) {
        for (var n = lane + W; n < N; n += W) {
          finish(s, n, gradientOf(s.first, n));
        }
      }
      break;
    }
    let r = s.first + s.steps - 1u - t;
    if (lane < N) {
      behind = Behind(near.before, advance(r, lane, near, behind, fixed));
    }
    if (N > W) {
      far(s, t, lane, fixed);
    }
    // Asked for here, what the next step reads comes during the products.
    near = savedOf(max(r, s.first + 1u) - 1u, row, unit);
    row = rowOf(s, t + 2u);
    workgroupBarrier();
    delta = vec4f(0.0);
#each y HELD
    delta = held(delta, base, 4u * $yu, a$y, b$y, c$y, d$y);
#end
    if (HELD == 0u) {
      delta = streamed(delta, w, base);
    }
    if (THETA != 0u) {
      delta = streamed(delta, p.wtheta + w, base + PLACES);
    }
    if (PARTS > W) {
      more = streamed(vec4f(0.0), w + W, 0u); // one slice
      if (THETA != 0u) {
        more = streamed(more, p.wtheta + w + W, PLACES);
      }
    }
  }
}
