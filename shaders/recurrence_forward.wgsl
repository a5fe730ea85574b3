// The whole time loop (SPEC §2) of a sequence, for widths that are multiples of four. A step in row r with drive row
// m = At[r], h' the state in row r:
//
//   δ = WDelta h' + DeltaU[m],  α = 1/(1 + e^δ),  p = e^{iθ} h' for units below turn, else h',
//   g = α p + In[m],  h = g/sqrt(|g|² + ε)  (h = g without normalise),
//
// θ from Rot[m] (cos, sin), or with THETA 1 π·tanh(WTheta h' + Pre[m]), with 2 π·tanh(WTheta h' + Steer)·tanh(Pre[m]).
// Row r + 1 of State gets h. The first row is set to the sequence's row of Init, or to 0, unless the call continues. A
// call does the steps from the sequence's skip-th on, as many as steps says: the host splits long loops where an
// adapter bounds them.
//
// For GPUs, where a step is bound by what it waits for. The weights come from packed, where recurrence_pack.wgsl has
// laid neighbouring units side by side, so that lanes read them in one piece; behind them lie In, DeltaU and Rot, Pre
// or Steer, and with that tanh(Pre). What a step reads of those is asked for a step before, and carried by the loop:
// RADV (Mesa 22.3, for navi21) moves what is asked for in the same turn to behind the products.
//
// One workgroup owns a sequence. For the products an invocation owns a quad of units and one of SLICES slices of the
// state; then unit lane, lane + W, … and adds up the slices. The order of all sums is that of the slices, so that
// both forms give the same bits. The forms:
//
//   streamed: weights are read in every step, eight quads under way at a time, which costs few registers. Right for
//     every width.
//   registers (HELD is all FOURS): an invocation's quads of WDelta are read once and stay in registers. For GPUs with
//     255 of them: twice as fast on an H100.
//
// Barriers, all in a loop that has as many turns as the sequence has steps, the same for the whole workgroup: between
// writing the slices' sums and reading them (the state is read before that one and written behind it), and between
// writing the state and reading it.
#import "shared/math.wgsl"
#import "shared/complex.wgsl"
#import "shared/loop.wgsl"

const W : u32 = 256u;
const THETA : u32 = 0u; // 1 where the state chooses the angle it turns by, 2 where its factor
const N : u32 = 132u;   // the host's

const Q : u32 = N / 4u;
const WIDTH : u32 = 2u * N;
const EACH : u32 = (WIDTH + SLICES - 1u) / SLICES;
const PRODUCTS : u32 = 1u + (THETA + 1u) / 2u;
const SUMS : u32 = PRODUCTS * SLICES;

#params start, end, at, lo, turn, normalise, skip, steps : u32 // the call does that many steps, from skip on
#params given, onward : u32 // Init is given; the first row stays as it is
#params delta, input, angle, token : u32
#params eps : f32
#write state, alpha, inv, theta : f32
#read packed : f32
#read weights : vec4f
#read init : f32
#read ints : i32

var<workgroup> terms : array<Four, PLACES>; // the state
var<workgroup> sums : array<array<vec4f, Q>, SUMS>; // of δ, then of θ̂, slice by slice

fn weight(i : u32) -> vec4f { return weights[i]; }

// Drive is what a step reads for a unit in addition to the state. angle is e^{iθ}; or its real part is what is added
// to WTheta h', and its imaginary part, with THETA 2, tanh(Pre).
struct Drive {
  delta : f32,
  input : vec2f,
  angle : vec2f,
}

// rowOf is the drive row of a step; of the last one behind it.
fn rowOf(s : Span, t : u32) -> u32 { return u32(max(ints[p.at + s.first + min(t, max(s.steps, 1u) - 1u)], 0)); }

fn driveOf(m : u32, n : u32) -> Drive {
  let two = m * WIDTH + n;
  let input = vec2f(packed[p.input + two], packed[p.input + two + N]);
  var angle = vec2f(1.0, 0.0);
  if (THETA == 0u) {
    angle = vec2f(packed[p.angle + two], packed[p.angle + two + N]);
  } else if (n < p.turn) {
    if (THETA == 1u) {
      angle.x = packed[p.angle + m * N + n];
    } else {
      angle = vec2f(packed[p.angle + n], packed[p.token + m * N + n]);
    }
  }
  return Drive(packed[p.delta + m * N + n], input, angle);
}

// advance makes the step in row r for unit n.
fn advance(r : u32, n : u32, drive : Drive, turn : u32, normalise : u32, eps : f32) {
  let re = placeOf(n);
  let im = placeOf(N + n);
  let h = vec2f(terms[re / 4u][re % 4u], terms[im / 4u][im % 4u]);
  var product = 0.0;
#each s SLICES
  product += sums[$su][n / 4u][n % 4u];
#end
  let al = 1.0 / (1.0 + wexp(product + drive.delta));
  var e = drive.angle;
  if (THETA != 0u) {
    if (n < turn) {
      var pre = drive.angle.x;
#each s SLICES
      pre += sums[(PRODUCTS - 1u) * SLICES + $su][n / 4u][n % 4u];
#end
      var angle = PI * wtanh(pre);
      theta[r * N + n] = angle;
      if (THETA == 2u) {
        angle *= drive.angle.y;
      }
      e = cis(angle);
    }
  }
  let z = al * cmul(h, e) + drive.input;
  var scale = 1.0;
  if (normalise != 0u) {
    scale = 1.0 / sqrt(dot(z, z) + eps);
  }
  let next = (r + 1u) * WIDTH + n;
  alpha[r * N + n] = al;
  inv[r * N + n] = scale;
  state[next] = z.x * scale;
  state[next + N] = z.y * scale;
  terms[re / 4u][re % 4u] = z.x * scale;
  terms[im / 4u][im % 4u] = z.y * scale;
}

// begin fetches the first state of the sequence.
fn begin(s : Span, lane : u32) {
  for (var i = lane; i < 4u * PLACES; i += W) {
    let c = i / (4u * FOURS) * EACH + i % (4u * FOURS);
    var x = 0.0;
    if (i % (4u * FOURS) < EACH && c < WIDTH) {
      if (p.skip > 0u || p.onward != 0u) {
        x = state[s.first * WIDTH + c];
      } else {
        if (p.given != 0u) {
          x = init[s.sequence * WIDTH + c];
        }
        state[s.first * WIDTH + c] = x;
      }
    }
    terms[i / 4u][i % 4u] = x;
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let turn = p.turn;
  let normalise = p.normalise;
  let eps = p.eps;
  let unit = min(lane, N - 1u);
  let s = spanOf(group.x);
  begin(s, lane);
  var near = driveOf(rowOf(s, 0u), unit);
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
  workgroupBarrier();
  for (var t = 0u; t < s.steps; t++) {
    let drive = near;
    near = driveOf(row, unit);
    row = rowOf(s, t + 2u);
    var delta = vec4f(0.0);
#each y HELD
    delta = held(delta, base, 4u * $yu, a$y, b$y, c$y, d$y);
#end
    if (HELD == 0u) {
      delta = streamed(delta, w, base);
    }
    var turned = vec4f(0.0);
    if (THETA != 0u) {
      turned = streamed(turned, SLICES * EACH * Q + w, base);
    }
    if (lane < PARTS) {
      sums[slice][quad] = delta;
      if (THETA != 0u) {
        sums[(PRODUCTS - 1u) * SLICES + slice][quad] = turned;
      }
    }
    workgroupBarrier();
    for (var n = lane; n < N; n += W) {
      var given = drive;
      if (N > W && n >= W) {
        given = driveOf(rowOf(s, t), n);
      }
      advance(s.first + t, n, given, turn, normalise, eps);
      if (N <= W) {
        break;
      }
    }
    workgroupBarrier();
  }
}
