// The time loop (SPEC §2). A step in row r with drive row m = At[r], h' the state in row r:
//
//   δ = WDelta h' + DeltaU[m],  α = 1/(1 + e^δ),  p = e^{iθ} h' for units below turn, else h',
//   g = α p + In[m],  h = g/sqrt(|g|² + ε)  (h = g without normalise),
//
// θ from Drive (cos, sin) or π·tanh(WTheta h' + Pre[m]). Row r + 1 of State gets h. A call does the steps from the
// sequence's skip-th on, as many as steps says: the host splits long loops where an adapter bounds them.
//
// One workgroup owns one sequence, all steps; an invocation owns the units n = lane, lane + W, …
// The state lives twice in workgroup memory: a step reads one copy and writes the other. The one barrier of a step stands
// between writing a copy and reading it; the copy that the next step overwrites was last read before that barrier. The
// loop runs from Start to End, the same for the whole workgroup.
#import "shared/math.wgsl"
#import "shared/complex.wgsl"

const W : u32 = 128u;
const WIDEST : u32 = 1024u; // units
const COPIES : u32 = 4096u; // two copies of the widest state

struct Params {
  start : u32,
  end : u32,
  at : u32,
  lo : u32,
  N : u32,
  turn : u32,
  state_theta : u32,
  normalise : u32,
  skip : u32,
  steps : u32,
  eps : f32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> state : array<f32>;
@group(0) @binding(2) var<storage, read_write> alpha : array<f32>;
@group(0) @binding(3) var<storage, read_write> inv : array<f32>;
@group(0) @binding(4) var<storage, read_write> theta : array<f32>;
@group(0) @binding(5) var<storage, read> drive : array<f32>;
@group(0) @binding(6) var<storage, read> wdelta : array<f32>;
@group(0) @binding(7) var<storage, read> wtheta : array<f32>;
@group(0) @binding(8) var<storage, read> ints : array<i32>;

var<workgroup> h : array<f32, COPIES>;

// The product of row n of a weight matrix with the state at now.
fn dot_wdelta_row(n : u32, now : u32) -> f32 {
  var sum = vec4f(0.0);
  let row = n * 2u * p.N;
  var c = 0u;
  for (; c + 4u <= 2u * p.N; c += 4u) {
    let w = vec4f(wdelta[row + c], wdelta[row + c + 1u], wdelta[row + c + 2u], wdelta[row + c + 3u]);
    let x = vec4f(h[now + c], h[now + c + 1u], h[now + c + 2u], h[now + c + 3u]);
    sum = fma(w, x, sum);
  }
  if (c < 2u * p.N) {
    sum = fma(vec4f(wdelta[row + c], wdelta[row + c + 1u], 0.0, 0.0), vec4f(h[now + c], h[now + c + 1u], 0.0, 0.0), sum);
  }
  return (sum.x + sum.y) + (sum.z + sum.w);
}

fn dot_wtheta_row(n : u32, now : u32) -> f32 {
  var sum = vec4f(0.0);
  let row = n * 2u * p.N;
  var c = 0u;
  for (; c + 4u <= 2u * p.N; c += 4u) {
    let w = vec4f(wtheta[row + c], wtheta[row + c + 1u], wtheta[row + c + 2u], wtheta[row + c + 3u]);
    let x = vec4f(h[now + c], h[now + c + 1u], h[now + c + 2u], h[now + c + 3u]);
    sum = fma(w, x, sum);
  }
  if (c < 2u * p.N) {
    sum = fma(vec4f(wtheta[row + c], wtheta[row + c + 1u], 0.0, 0.0), vec4f(h[now + c], h[now + c + 1u], 0.0, 0.0), sum);
  }
  return (sum.x + sum.y) + (sum.z + sum.w);
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let N = p.N;
  let first = u32(ints[p.start + p.lo + group.x]) + p.skip;
  let last = min(u32(ints[p.end + p.lo + group.x]), first + p.steps);
  if (first >= last) {
    return;
  }
  for (var c = lane; c < 2u * N; c += W) {
    h[c] = state[first * 2u * N + c];
  }
  workgroupBarrier();
  var now = 0u;
  for (var r = first; r < last; r++) {
    let next = 2u * WIDEST - now;
    let m = u32(ints[p.at + r]) * 5u * N;
    for (var n = lane; n < N; n += W) {
      var delta = dot_wdelta_row(n, now);
      delta += drive[m + 2u * N + n];
      let al = 1.0 / (1.0 + wexp(delta));
      var v = vec2f(h[now + n], h[now + N + n]);
      if (n < p.turn) {
        var e = vec2f(drive[m + 3u * N + n], 0.0);
        if (p.state_theta != 0u) {
          var pre = dot_wtheta_row(n, now);
          let angle = PI * wtanh(pre + e.x);
          theta[r * N + n] = angle;
          e = cis(angle);
        } else {
          e.y = drive[m + 4u * N + n];
        }
        v = cmul(v, e);
      }
      let g = al * v + vec2f(drive[m + n], drive[m + N + n]);
      var scale = 1.0;
      if (p.normalise != 0u) {
        scale = 1.0 / sqrt(dot(g, g) + p.eps);
      }
      alpha[r * N + n] = al;
      inv[r * N + n] = scale;
      h[next + n] = g.x * scale;
      h[next + N + n] = g.y * scale;
      state[(r + 1u) * 2u * N + n] = g.x * scale;
      state[(r + 1u) * 2u * N + N + n] = g.y * scale;
    }
    now = next;
    workgroupBarrier();
  }
}
