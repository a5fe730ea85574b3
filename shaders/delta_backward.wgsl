// The backward pass of delta_forward. With G the gradient of S after a step and S' the state before it, u = S' k̂,
// e = v − α u and w = β e:
//
//   G += do q̂ᵀ,  dq̂ = Sᵀ do,  dw = G k̂,  dβ = dw·e,  dv = de = β dw,  du = −α de
//   dα = Σ G⊙S' − de·u,  dk̂ = Gᵀ w + S'ᵀ du,  G' = α G + du k̂ᵀ
//
// DX gets the gradients of q, k and v, zeros in a sequence's last row; DGates [rows, 2H] those of α and β, which
// delta_gates.wgsl goes on from. KEYS is K.
//
// Workgroup (x, y) owns head x of the y-th covered sequence, back from the last of its steps `skip` to `skip`+`steps`.
// Both are multiples of EVERY: EVERY steps at a time, the states are made again from the saved one, into Room [..,
// EVERY + 1, K, D], whose last entry hands G to the next call. An invocation owns one row of S and of G, W ≥ D of
// them. Barriers: between what each row brings to a sum over the rows and the sums, which few invocations make, in
// order. All of a workgroup go through the same steps.

const W : u32 = 32u;
const KEYS : u32 = 16u;
const EVERY : u32 = 16u;
const TILE : u32 = 8u; // elements of dq̂ and dk̂ that are summed at a time

#params start, end, lo, H, D, skip, steps : u32
#write dx, dgates, room : f32
#read x, gates, saved, dout : f32
#read ints : i32

var<workgroup> partQ : array<f32, 1024>; // [TILE, W]: of dq̂, and of dα in the end
var<workgroup> partK : array<f32, 1024>; // of dk̂, and of dβ
var<workgroup> sumQ : array<f32, 128>; // [K]
var<workgroup> sumK : array<f32, 128>;

// sumsOf are the sums of row i of partQ and of partK.
fn sumsOf(i : u32) -> vec2f {
  var sum = vec2f(0.0);
  for (var j = 0u; j < p.D; j++) {
    sum += vec2f(partQ[i * W + j], partK[i * W + j]);
  }
  return sum;
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let h = group.x;
  let begin = u32(ints[p.start + p.lo + group.y]);
  let end = u32(ints[p.end + p.lo + group.y]);
  let first = begin + p.skip;
  if (first >= end) {
    return;
  }
  let last = min(end, first + p.steps);
  let width = p.H * (2u * KEYS + p.D);
  let keys = (p.H + h) * KEYS;           // of the head's key in a row of X
  let values = 2u * p.H * KEYS + h * p.D; // of its value
  let row = min(lane, p.D - 1u); // the others compute row D − 1 once more, and nobody reads theirs
  let size = KEYS * p.D;
  let place = (group.y * p.H + h) * (EVERY + 1u) * size + row;
  var s : array<f32, KEYS>;
  var g : array<f32, KEYS>;
  for (var c = 0u; c < KEYS; c++) {
    g[c] = 0.0;
    if (last < end) {
      g[c] = room[place + EVERY * size + c * p.D];
    }
  }
  if (last == end) {
    for (var c = lane; c < KEYS; c += W) {
      dx[end * width + h * KEYS + c] = 0.0;
      dx[end * width + keys + c] = 0.0;
    }
    if (lane < p.D) {
      dx[end * width + values + lane] = 0.0;
    }
  }
  for (var chunks = (last - first + EVERY - 1u) / EVERY; chunks > 0u; chunks--) {
    let base = first + (chunks - 1u) * EVERY;
    let count = min(EVERY, last - base);
    for (var c = 0u; c < KEYS; c++) {
      s[c] = 0.0;
      if (base > begin) {
        s[c] = saved[(base / EVERY - 1u) * p.H * size + h * size + c * p.D + row];
      }
    }
    for (var t = 0u; t < count; t++) {
      let at = (base + t) * width;
      let gate = 4u * (base + t) * p.H + h;
      let fk = gates[gate + 3u * p.H];
      var u = 0.0;
      for (var c = 0u; c < KEYS; c++) {
        if (lane < p.D) {
          room[place + t * size + c * p.D] = s[c];
        }
        u += s[c] * x[at + keys + c];
      }
      let w = fk * gates[gate + p.H] * (x[at + values + row] - gates[gate] * fk * u);
      for (var c = 0u; c < KEYS; c++) {
        s[c] = gates[gate] * s[c] + w * x[at + keys + c];
      }
    }
    for (var t = count; t > 0u; t--) {
      let r = base + t - 1u;
      let at = r * width;
      let gate = 4u * r * p.H + h;
      let alpha = gates[gate];
      let beta = gates[gate + p.H];
      let fq = gates[gate + 2u * p.H];
      let fk = gates[gate + 3u * p.H];
      let old = place + (t - 1u) * size;
      let d = dout[(r * p.H + h) * p.D + row];
      var u = 0.0;
      var dw = 0.0;
      var dalpha = 0.0;
      for (var c = 0u; c < KEYS; c++) {
        let k = fk * x[at + keys + c];
        g[c] += d * fq * x[at + h * KEYS + c];
        let before = room[old + c * p.D];
        u += before * k;
        dw += g[c] * k;
        dalpha += g[c] * before;
      }
      let e = x[at + values + row] - alpha * u;
      let de = beta * dw;
      let du = -alpha * de;
      for (var c = 0u; c < KEYS; c += TILE) {
        for (var i = 0u; i < min(TILE, KEYS - c); i++) {
          let before = room[old + (c + i) * p.D];
          partQ[i * W + lane] = s[c + i] * d;
          partK[i * W + lane] = g[c + i] * beta * e + before * du;
        }
        workgroupBarrier();
        if (lane < min(TILE, KEYS - c)) {
          let sum = sumsOf(lane);
          sumQ[c + lane] = sum.x;
          sumK[c + lane] = sum.y;
        }
        workgroupBarrier();
      }
      partQ[lane] = dalpha - de * u;
      partK[lane] = dw * e;
      workgroupBarrier();
      if (lane == 0u) {
        let sum = sumsOf(0u);
        dgates[2u * r * p.H + h] = sum.x;
        dgates[(2u * r + 1u) * p.H + h] = sum.y;
      }
      if (lane < p.D) {
        dx[at + values + lane] = de;
      }
      // From the gradients of k̂ = k/‖k‖ and q̂ = q/(‖q‖√K) to those of k and q.
      var along = vec2f(0.0);
      for (var c = 0u; c < KEYS; c++) {
        let q = fq * x[at + h * KEYS + c];
        let k = fk * x[at + keys + c];
        along += vec2f(q * sumQ[c], k * sumK[c]);
        g[c] = alpha * g[c] + du * k;
        s[c] = room[old + c * p.D];
      }
      for (var c = lane; c < KEYS; c += W) {
        dx[at + h * KEYS + c] = fq * (sumQ[c] - f32(KEYS) * along.x * fq * x[at + h * KEYS + c]);
        dx[at + keys + c] = fk * (sumK[c] - along.y * fk * x[at + keys + c]);
      }
      workgroupBarrier();
    }
  }
  if (first > begin && lane < p.D) {
    for (var c = 0u; c < KEYS; c++) {
      room[place + EVERY * size + c * p.D] = g[c];
    }
  }
}
