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
// each from where p says, in numbers (of WTheta: in quads). For GPUs: see recurrence_loop_gpu.wgsl.
//
// One workgroup owns one sequence. For the products an invocation owns quads of units of one plane and one of p.slices
// slices of the gradients of δ and θ̂; then unit lane, lane + W, … and adds up the slices, at the start of the step
// that reads them. Two barriers a step, both in a loop that is the same for the whole workgroup: between writing the
// gradients and reading them, and between writing the slices' sums and reading them; each also keeps the other's
// memory from being overwritten while it is read.
#import "shared/math.wgsl"
#import "shared/complex.wgsl"

const W : u32 = 256u;
const THETA : u32 = 0u; // 1 where the state chooses the angle it turns by, 2 where its factor
const STATE : u32 = 2048u; // both planes of the widest state; see recurrence_loop_gpu.wgsl
const SUMS : u32 = 2048u;  // as many, or four a lane

struct Params {
  start : u32,
  end : u32,
  at : u32,
  lo : u32,
  N : u32,
  turn : u32,
  normalise : u32,
  slices : u32,
  skip : u32,
  steps : u32,
  wtheta : u32,
  alpha : u32,
  inv : u32,
  angle : u32,
  token : u32,
  dtoken : u32,
  init : u32,
  bound : f32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dstate : array<f32>;
@group(0) @binding(2) var<storage, read_write> ddelta : array<f32>;
@group(0) @binding(3) var<storage, read_write> dtheta : array<f32>;
@group(0) @binding(4) var<storage, read_write> din : array<f32>;
@group(0) @binding(5) var<storage, read> state : array<f32>;
@group(0) @binding(6) var<storage, read> saved : array<vec4f>;
@group(0) @binding(7) var<storage, read_write> dinit : array<f32>;
@group(0) @binding(8) var<storage, read> ints : array<i32>;

var<workgroup> slopes : array<f32, STATE>; // the gradients of δ, then of θ̂
var<workgroup> sums : array<f32, SUMS>;

fn number(i : u32) -> f32 {
  return saved[i / 4u][i % 4u];
}

// product is what the steps behind have left to unit n of a row, both planes.
fn product(n : u32) -> vec2f {
  var sum = vec2f(0.0);
  for (var s = 0u; s < p.slices; s++) {
    sum += vec2f(sums[s * 2u * p.N + n], sums[s * 2u * p.N + p.N + n]);
  }
  return sum;
}

// Saved is what the step of row r reads for a unit: of the forward pass, and what is there of the gradients of the
// states after the step and before it. angle is e^{iθ}; or its real part is Theta, its imaginary part with THETA 2
// tanh(Pre).
struct Saved {
  alpha : f32,
  inv : f32,
  after : vec2f,
  before : vec2f,
  angle : vec2f,
  dafter : vec2f,
  dbefore : vec2f,
}

fn savedOf(r : u32, n : u32) -> Saved {
  let N = p.N;
  let one = r * N + n;
  let now = r * 2u * N + n;
  let then = now + 2u * N;
  var angle = vec2f(1.0, 0.0);
  if (THETA == 0u) {
    let m = p.angle + u32(ints[p.at + r]) * 2u * N + n;
    angle = vec2f(number(m), number(m + N));
  } else if (n < p.turn) {
    angle.x = number(p.angle + one);
    if (THETA == 2u) {
      angle.y = number(p.token + u32(ints[p.at + r]) * N + n);
    }
  }
  return Saved(number(p.alpha + one), number(p.inv + one), vec2f(state[then], state[then + N]),
    vec2f(state[now], state[now + N]), angle, vec2f(dstate[then], dstate[then + N]),
    vec2f(dstate[now], dstate[now + N]));
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let N = p.N;
  let width = 2u * N;
  let quads = N / 2u; // of both planes
  let begin = u32(ints[p.start + p.lo + group.x]);
  let last = u32(ints[p.end + p.lo + group.x]);
  let first = min(last, begin + p.skip);
  for (var n = lane; n < N; n += W) {
    ddelta[last * N + n] = 0.0;
    dtheta[last * N + n] = 0.0;
    if (THETA == 2u) {
      dtheta[p.dtoken + last * N + n] = 0.0;
    }
    din[last * width + n] = 0.0;
    din[last * width + N + n] = 0.0;
  }
  for (var i = lane; i < SUMS; i += W) {
    sums[i] = 0.0;
  }
  let each = (N + p.slices - 1u) / p.slices;
  var r = min(last, first + p.steps);
  var near : Saved;
  if (r > first && lane < N) {
    near = savedOf(r - 1u, lane);
  }
  while (r > first) {
    r--;
    workgroupBarrier();
    let now = r * width;
    let then = now + width;
    for (var n = lane; n < N; n += W) {
      var saved = near;
      if (n >= W) {
        saved = savedOf(r, n);
      }
      let one = r * N + n;
      let al = saved.alpha;
      var g = saved.dafter + product(n);
      dstate[then + n] = g.x;
      dstate[then + N + n] = g.y;
      if (p.bound > 0.0) {
        let square = dot(g, g);
        if (square > p.bound * p.bound) {
          g *= p.bound * inverseSqrt(square);
        }
      }
      if (p.normalise != 0u) {
        g = saved.inv * (g - saved.after * dot(saved.after, g));
      }
      din[now + n] = g.x;
      din[now + N + n] = g.y;
      var e = saved.angle;
      var slope = 1.0;
      if (THETA != 0u) {
        if (n < p.turn) {
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
      let d = -al * (1.0 - al) * dot(turned, g);
      let dp = al * g;
      let along = turned.x * dp.y - turned.y * dp.x;
      let a = select(0.0, slope * along, n < p.turn);
      let back = saved.dbefore + turnBack(dp, e);
      dstate[now + n] = back.x;
      dstate[now + N + n] = back.y;
      ddelta[one] = d;
      dtheta[one] = a;
      if (THETA == 2u) {
        dtheta[p.dtoken + one] = select(0.0, along * (saved.angle.x / PI), n < p.turn);
      }
      slopes[n] = d;
      slopes[N + n] = a;
    }
    // Asked for here, what the next step reads comes during the products.
    if (r > first && lane < N) {
      near = savedOf(r - 1u, lane);
    }
    workgroupBarrier();
    for (var i = lane; i < quads * p.slices; i += W) {
      let q = i % quads;
      let s = i / quads;
      var sum = vec4f(0.0);
      for (var j = s * each; j < min(s * each + each, N); j++) {
        sum = fma(vec4f(slopes[j]), saved[j * quads + q], sum);
      }
      if (THETA != 0u) {
        for (var j = s * each; j < min(s * each + each, p.turn); j++) {
          sum = fma(vec4f(slopes[N + j]), saved[p.wtheta + j * quads + q], sum);
        }
      }
#each x 4
      sums[4u * i + $xu] = sum[$x];
#end
    }
  }
  workgroupBarrier();
  if (first < last) {
    for (var n = lane; n < N; n += W) {
      let to = first * width + n;
      let sum = product(n) + vec2f(dstate[to], dstate[to + N]);
      dstate[to] = sum.x;
      dstate[to + N] = sum.y;
      if (p.init != 0u) {
        dinit[group.x * width + n] = sum.x;
        dinit[group.x * width + N + n] = sum.y;
      }
    }
  }
}
