// The gated delta rule (SPEC §13, gdn): along each sequence and for each head, with its query q, key k and value v of
// a row of X, q̂ = q/(‖q‖√K), k̂ = k/‖k‖, α = exp(−exp(Rate)·softplus(a)) and β = scale·σ(b),
//
//   S ← α S (I − β k̂ k̂ᵀ) + β v k̂ᵀ,  o = S q̂
//
// Gates [rows, 4H] gets α, β and the factors of q and k; Saved the states that the way back begins at, transposed; the
// last row of O zeros. KEYS is K.
//
// Workgroup (x, y) owns head x of the y-th covered sequence, from step `skip` on, a multiple of EVERY, `steps` at
// most. An invocation owns one row of S, which no other reads. No barriers.
#import "shared/math.wgsl"

const W : u32 = 32u; // at least D
const KEYS : u32 = 16u;
const EVERY : u32 = 16u;

#params start, end, lo, H, D, skip, steps : u32
#params scale, eps : f32
#write o, gates, saved : f32
#read x, a, b, rate : f32
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let h = group.x;
  let begin = u32(ints[p.start + p.lo + group.y]);
  let end = u32(ints[p.end + p.lo + group.y]);
  let first = begin + p.skip;
  if (lane >= p.D || first >= end) {
    return;
  }
  let entry = p.H * KEYS * p.D;
  let own = h * KEYS * p.D + lane;
  var s : array<f32, KEYS>;
  if (first > begin) {
    for (var c = 0u; c < KEYS; c++) {
      s[c] = saved[(first / EVERY - 1u) * entry + own + c * p.D];
    }
  }
  let decay = wexp(rate[h]);
  let last = min(end, first + p.steps);
  for (var r = first; r < last; r++) {
    let q = r * p.H * (2u * KEYS + p.D) + h * KEYS;
    let k = q + p.H * KEYS;
    var qq = 0.0;
    var kk = 0.0;
    var u = 0.0;
    for (var c = 0u; c < KEYS; c++) {
      qq += x[q + c] * x[q + c];
      kk += x[k + c] * x[k + c];
      u += s[c] * x[k + c];
    }
    let fq = 1.0 / sqrt((qq + p.eps) * f32(KEYS));
    let fk = 1.0 / sqrt(kk + p.eps);
    let alpha = wexp(-decay * softplus(a[r * p.H + h]));
    let beta = p.scale * sigmoid(b[r * p.H + h]);
    let v = x[r * p.H * (2u * KEYS + p.D) + 2u * p.H * KEYS + h * p.D + lane];
    let w = fk * beta * (v - alpha * fk * u);
    var out = 0.0;
    for (var c = 0u; c < KEYS; c++) {
      s[c] = alpha * s[c] + w * x[k + c];
      out += s[c] * x[q + c];
    }
    o[(r * p.H + h) * p.D + lane] = fq * out;
    if (lane == 0u) {
      let g = 4u * r * p.H + h;
      gates[g] = alpha;
      gates[g + p.H] = beta;
      gates[g + 2u * p.H] = fq;
      gates[g + 3u * p.H] = fk;
    }
    if ((r + 1u - begin) % EVERY == 0u && r + 1u < end) {
      for (var c = 0u; c < KEYS; c++) {
        saved[((r + 1u) / EVERY - 1u) * entry + own + c * p.D] = s[c];
      }
    }
  }
  if (last == end) {
    o[(end * p.H + h) * p.D + lane] = 0.0;
  }
}
