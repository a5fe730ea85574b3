// The short convolution (SPEC §13, gdn): along each sequence, channel by channel,
//
//   z_t = Σ_j w_j x_{t−3+j},  Y = z·σ(z),  x before the first step 0,
//
// in columns `column` … of Y's rows of `width`, with zeros in a sequence's last row. X [rows, N], Weight [N, 4].
//
// Invocation x of row y of workgroups owns channel x of the y-th covered sequence, from step `skip` on, `steps` at
// most. No barriers.
#import "shared/math.wgsl"

const W : u32 = 8u;

#params start, end, lo, N, width, column, skip, steps : u32
#write y : f32
#read x, weight : f32
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u) {
  let c = id.x;
  let s = p.lo + id.y;
  let begin = u32(ints[p.start + s]);
  let end = u32(ints[p.end + s]);
  let first = begin + p.skip;
  if (c >= p.N || first >= end) {
    return;
  }
  let w = vec4f(weight[4u * c], weight[4u * c + 1u], weight[4u * c + 2u], weight[4u * c + 3u]);
  var seen = vec4f(0.0); // of the step before, oldest first
  for (var j = 1u; j < 4u; j++) {
    if (first >= begin + 4u - j) {
      seen[j] = x[(first - 4u + j) * p.N + c];
    }
  }
  let last = min(end, first + p.steps);
  for (var r = first; r < last; r++) {
    seen = vec4f(seen.yzw, x[r * p.N + c]);
    let z = dot(w, seen);
    y[r * p.width + p.column + c] = z * sigmoid(z);
  }
  if (last == end) {
    y[end * p.width + p.column + c] = 0.0;
  }
}
