// The gradients of the drive, summed by drive row (SPEC §2, cost facts), for widths that are multiples of four:
//
//   TDelta[m] += Σ DDelta[r],  TTheta[m] += Σ DTheta[r],  TIn[m] += Σ DIn[r]  over the steps r that read drive row m.
//
// Rows lists those steps, by drive row and then in order; First [M + 1] tells where each drive row's begin.
//
// Workgroup (x, m) owns COLUMNS quads, from x COLUMNS on, of drive row m, of the 4Q quads that the three tables have
// together. An invocation sums one of them over every SLICES-th of the rows, in order; it reads four at a time
// as long as there are four, so that the reads are under way together. Barriers: in slicesSum.
#import "shared/slices.wgsl"

alias S = vec4f;

#params first, rows, N, theta : u32 // theta: where in DTheta its rows begin, in quads
#write sum0, sum1, sum2 : vec4f // TDelta, TTheta, TIn
#read term0, term1, term2 : vec4f
#read ints : i32

// four is an invocation's next four rows from place i on.
fn four(i : u32) -> vec4u {
  return vec4u(vec4i(ints[i], ints[i + SLICES], ints[i + 2u * SLICES], ints[i + 3u * SLICES]));
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let Q = p.N / 4u;
  let m = group.y;
  let slice = lane / COLUMNS;
  var i = p.rows + u32(ints[p.first + m]) + slice;
  let end = p.rows + u32(ints[p.first + m + 1u]);
  let q = group.x * COLUMNS + lane % COLUMNS;
  // Of the quads, table t has wide from first on; where its terms begin is base, and its nearest quad is at.
  let first = vec3u(0u, Q, 2u * Q);
  let wide = vec3u(Q, Q, 2u * Q);
  let base = vec3u(0u, p.theta, 0u);
  let at = clamp(vec3u(q), first, first + wide - 1u) - first;
  var sum = vec4f(0.0);
#each t 3
  if (q == first[$t] + at[$t]) {
    for (; i + 3u * SLICES < end; i += 4u * SLICES) {
      let row = base[$t] + at[$t] + four(i) * wide[$t];
      let x0 = term$t[row[0]];
      let x1 = term$t[row[1]];
      let x2 = term$t[row[2]];
      let x3 = term$t[row[3]];
      sum += x0;
      sum += x1;
      sum += x2;
      sum += x3;
    }
    for (; i < end; i += SLICES) {
      sum += term$t[base[$t] + at[$t] + u32(ints[i]) * wide[$t]];
    }
  }
#end
  sum = slicesSum(lane, sum);
  if (slice > 0u) {
    return;
  }
#each t 3
  if (q == first[$t] + at[$t]) {
    sum$t[m * wide[$t] + at[$t]] += sum;
  }
#end
}
