// The time loop backwards. Of the step in row r, with dh = DState[r + 1], h' and h its states, p, α and 1/|g| as saved:
//
//   dg = Inv (dh − h Re(conj(h) dh))  (dg = dh without normalise),  DIn[r] = dg,
//   DDelta[r] = −α(1 − α) Re(conj(p) dg),  DTheta[r] = Im(conj(p) α dg), times π(1 − tanh²) where the state chose θ,
//   DState[r] += e^{−iθ} α dg + WDeltaᵀ DDelta[r] + WThetaᵀ DTheta[r] (theta state).
//
// Weights holds WDelta, then WTheta, [2N, 2N]. Rows after a sequence's last step get zeros.
// A call does the steps from the sequence's skip-th on, as many as steps says, last first.
//
// One workgroup owns one sequence, all steps; an invocation owns the units n = lane, lane + W, … and both planes of
// their gradients in DState, so no other reads or writes those. δ and θ̂'s gradients pass through workgroup memory:
// one barrier stands between writing and reading them, one between reading and the next step's writing. The loop runs
// from End to Start, the same for the whole workgroup.
#import "shared/math.wgsl"
#import "shared/complex.wgsl"

const W : u32 = 128u;
const WIDEST : u32 = 1024u;

struct Params {
  start : u32,
  end : u32,
  lo : u32,
  N : u32,
  turn : u32,
  state_theta : u32,
  normalise : u32,
  skip : u32,
  steps : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dstate : array<f32>;
@group(0) @binding(2) var<storage, read_write> ddelta : array<f32>;
@group(0) @binding(3) var<storage, read_write> dtheta : array<f32>;
@group(0) @binding(4) var<storage, read_write> din : array<f32>;
@group(0) @binding(5) var<storage, read> state : array<f32>;
@group(0) @binding(6) var<storage, read> saved : array<f32>;
@group(0) @binding(7) var<storage, read> weights : array<f32>;
@group(0) @binding(8) var<storage, read> ints : array<i32>;

var<workgroup> delta : array<f32, WIDEST>;
var<workgroup> angle : array<f32, WIDEST>;

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let N = p.N;
  let begin = u32(ints[p.start + p.lo + group.x]);
  let last = u32(ints[p.end + p.lo + group.x]);
  let first = min(last, begin + p.skip);
  for (var n = lane; n < N; n += W) {
    ddelta[last * N + n] = 0.0;
    dtheta[last * N + n] = 0.0;
    din[last * 2u * N + n] = 0.0;
    din[last * 2u * N + N + n] = 0.0;
  }
  for (var r = min(last, first + p.steps); r > first; ) {
    r--;
    let now = r * 2u * N;
    let then = now + 2u * N;
    for (var n = lane; n < N; n += W) {
      let keep = r * 5u * N + n;
      let al = saved[keep + 2u * N];
      var g = vec2f(dstate[then + n], dstate[then + N + n]);
      if (p.normalise != 0u) {
        let v = vec2f(state[then + n], state[then + N + n]);
        g = saved[keep + 3u * N] * (g - v * dot(v, g));
      }
      din[now + n] = g.x;
      din[now + N + n] = g.y;
      let e = vec2f(saved[keep], saved[keep + N]);
      let turned = cmul(vec2f(state[now + n], state[now + N + n]), e);
      let d = -al * (1.0 - al) * dot(turned, g);
      let dp = al * g;
      var a = 0.0;
      if (n < p.turn) {
        a = turned.x * dp.y - turned.y * dp.x;
        if (p.state_theta != 0u) {
          let t = saved[keep + 4u * N];
          a *= PI * (1.0 - t * t);
        }
      }
      let back = turnBack(dp, e);
      dstate[now + n] += back.x;
      dstate[now + N + n] += back.y;
      ddelta[r * N + n] = d;
      dtheta[r * N + n] = a;
      delta[n] = d;
      angle[n] = a;
    }
    workgroupBarrier();
    for (var n = lane; n < N; n += W) {
      var g = vec2f(0.0);
      for (var j = 0u; j < N; j++) {
        let w = j * 2u * N + n;
        g = fma(vec2f(delta[j]), vec2f(weights[w], weights[w + N]), g);
      }
      if (p.state_theta != 0u) {
        for (var j = 0u; j < p.turn; j++) {
          let w = (N + j) * 2u * N + n;
          g = fma(vec2f(angle[j]), vec2f(weights[w], weights[w + N]), g);
        }
      }
      dstate[now + n] += g.x;
      dstate[now + N + n] += g.y;
    }
    workgroupBarrier();
  }
}
