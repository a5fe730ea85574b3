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
// or Steer, and with that tanh(Pre).
//
// One workgroup owns one sequence. For the products an invocation owns a quad of units and one of p.slices slices of
// the state; then unit lane, lane + W, … and adds up the slices. Two barriers a step, both in a loop that runs from
// Start to End, the same for the whole workgroup: between writing the slices' sums and reading them (the state is read
// before that one and written behind it), and between writing the state and reading it.
#import "shared/math.wgsl"
#import "shared/complex.wgsl"

const W : u32 = 256u;
const THETA : u32 = 0u; // 1 where the state chooses the angle it turns by, 2 where its factor
// The host asks for no more than the width needs: what is left of a GPU's fast memory is cache, for the weights.
const STATE : u32 = 2048u; // both planes of the widest state
const SUMS : u32 = 2048u;  // four a lane, twice where the state has a say in the angle

struct Params {
  start : u32,
  end : u32,
  at : u32,
  lo : u32,
  N : u32,
  turn : u32,
  normalise : u32,
  slices : u32,
  skip : u32, // the call does the steps from here on, so many of them
  steps : u32,
  given : u32, // Init
  onward : u32, // the first row stays as it is
  delta : u32,
  input : u32,
  angle : u32,
  token : u32,
  eps : f32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> state : array<f32>;
@group(0) @binding(2) var<storage, read_write> alpha : array<f32>;
@group(0) @binding(3) var<storage, read_write> inv : array<f32>;
@group(0) @binding(4) var<storage, read_write> theta : array<f32>;
@group(0) @binding(5) var<storage, read> packed : array<f32>;
@group(0) @binding(6) var<storage, read> weights : array<vec4f>;
@group(0) @binding(7) var<storage, read> init : array<f32>;
@group(0) @binding(8) var<storage, read> ints : array<i32>;

var<workgroup> h : array<f32, STATE>;
var<workgroup> sums : array<f32, SUMS>; // of δ, then of θ̂

// Drive is what a step reads for a unit beside the state. angle is e^{iθ}; or its real part is what is added to
// WTheta h', and its imaginary part, with THETA 2, tanh(Pre).
struct Drive {
  delta : f32,
  input : vec2f,
  angle : vec2f,
}

fn driveOf(r : u32, n : u32) -> Drive {
  let N = p.N;
  let m = u32(ints[p.at + r]);
  let two = m * 2u * N + n;
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

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let N = p.N;
  let Q = N / 4u;
  let width = 2u * N;
  let start = u32(ints[p.start + p.lo + group.x]);
  let first = start + p.skip;
  let last = min(u32(ints[p.end + p.lo + group.x]), first + p.steps);
  for (var c = lane; c < width; c += W) {
    var x = 0.0;
    if (p.skip > 0u || p.onward != 0u) {
      x = state[min(first, last) * width + c];
    } else {
      if (p.given != 0u) {
        x = init[group.x * width + c];
      }
      state[first * width + c] = x;
    }
    h[c] = x;
  }
  workgroupBarrier();
  let q = lane % Q;
  let slice = lane / Q;
  let each = (width + p.slices - 1u) / p.slices;
  let begin = min(slice * each, width);
  let to = select(min(begin + each, width), begin, slice >= p.slices);
  for (var r = first; r < last; r++) {
    let near = driveOf(r, min(lane, N - 1u)); // asked for here, it comes during the products
    var sum = vec4f(0.0);
    for (var c = begin; c < to; c++) {
      sum = fma(vec4f(h[c]), weights[c * Q + q], sum);
    }
    if (slice < p.slices) {
#each x 4
      sums[4u * lane + $xu] = sum[$x];
#end
    }
    if (THETA != 0u) {
      sum = vec4f(0.0);
      for (var c = begin; c < to; c++) {
        sum = fma(vec4f(h[c]), weights[(width + c) * Q + q], sum);
      }
      if (slice < p.slices) {
#each x 4
        sums[4u * (W + lane) + $xu] = sum[$x];
#end
      }
    }
    workgroupBarrier();
    for (var n = lane; n < N; n += W) {
      var drive = near;
      if (n >= W) {
        drive = driveOf(r, n);
      }
      var product = 0.0;
      for (var s = 0u; s < p.slices; s++) {
        product += sums[s * N + n];
      }
      let al = 1.0 / (1.0 + wexp(product + drive.delta));
      var e = drive.angle;
      if (THETA != 0u) {
        if (n < p.turn) {
          var pre = drive.angle.x;
          for (var s = 0u; s < p.slices; s++) {
            pre += sums[4u * W + s * N + n];
          }
          var angle = PI * wtanh(pre);
          theta[r * N + n] = angle;
          if (THETA == 2u) {
            angle *= drive.angle.y;
          }
          e = cis(angle);
        }
      }
      let g = al * cmul(vec2f(h[n], h[N + n]), e) + drive.input;
      var scale = 1.0;
      if (p.normalise != 0u) {
        scale = 1.0 / sqrt(dot(g, g) + p.eps);
      }
      let next = (r + 1u) * width + n;
      alpha[r * N + n] = al;
      inv[r * N + n] = scale;
      state[next] = g.x * scale;
      state[next + N] = g.y * scale;
      h[n] = g.x * scale;
      h[N + n] = g.y * scale;
    }
    workgroupBarrier();
  }
}
