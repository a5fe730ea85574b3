// The backward pass of conv_forward: with dz = DY·σ(z)(1 + z(1 − σ(z))), and dz 0 behind the last step,
//
//   DX_t = Σ_j w_j dz_{t+3−j},  row y of Parts: the y-th sequence's Σ_t dz_t x_{t−3+j}, as Weight [N, 4]
//
// DX [rows, N], 0 in a sequence's last row.
//
// Invocation x of row y of workgroups owns channel x of the y-th covered sequence and goes back along it, from step
// `skip` on, `steps` at most. No barriers.
#import "shared/math.wgsl"

const W : u32 = 8u;

#params start, end, lo, N, width, column, skip, steps : u32
#write dx, parts : f32
#read x, weight, dy : f32
#read ints : i32

// input is the channel's number in row r, 0 before the sequence.
fn input(r : i32, begin : i32, c : u32) -> f32 {
  if (r < begin) {
    return 0.0;
  }
  return x[u32(r) * p.N + c];
}

// seenAt is what the step in row r reads, oldest first.
fn seenAt(r : i32, begin : i32, c : u32) -> vec4f {
  return vec4f(input(r - 3, begin, c), input(r - 2, begin, c), input(r - 1, begin, c), input(r, begin, c));
}

fn sumGradient(r : i32, c : u32, z : f32) -> f32 {
  let s = sigmoid(z);
  return dy[u32(r) * p.width + p.column + c] * s * (1.0 + z * (1.0 - s));
}

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let c = id.x;
  let s = p.lo + id.y;
  let begin = ints[p.start + s];
  let end = ints[p.end + s];
  let first = begin + i32(p.skip);
  if (c >= p.N || first >= end) {
    return;
  }
  let w = vec4f(weight[4u * c], weight[4u * c + 1u], weight[4u * c + 2u], weight[4u * c + 3u]);
  let last = min(end, first + i32(p.steps));
  let own = 4u * (id.y * p.N + c);
  var sum = vec4f(0.0);
  var dz = vec4f(0.0); // of the step at hand and those behind it, latest first
  if (last < end) { // the call before this one had the steps behind
    sum = vec4f(parts[own], parts[own + 1u], parts[own + 2u], parts[own + 3u]);
    for (var r = min(end, last + 3) - 1; r >= last; r--) {
      dz = vec4f(dz.yzw, sumGradient(r, c, dot(w, seenAt(r, begin, c))));
    }
  } else {
    dx[u32(end) * p.N + c] = 0.0;
  }
  var seen = seenAt(last, begin, c);
  for (var r = last - 1; r >= first; r--) {
    seen = vec4f(input(r - 3, begin, c), seen.xyz);
    let d = sumGradient(r, c, dot(w, seen));
    dz = vec4f(dz.yzw, d);
    sum += d * seen;
    dx[u32(r) * p.N + c] = dot(w, dz);
  }
  parts[own] = sum.x;
  parts[own + 1u] = sum.y;
  parts[own + 2u] = sum.z;
  parts[own + 3u] = sum.w;
}
