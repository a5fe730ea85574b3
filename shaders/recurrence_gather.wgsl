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

#params first, rows, N : u32
#params theta : u32 // where in DTheta its rows begin, in quads
#write tdelta, ttheta, tin : vec4f
#read ddelta, dtheta, din : vec4f
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
  let one = min(q, Q - 1u);
  let two = min(max(q, Q) - Q, Q - 1u);
  let three = min(max(q, 2u * Q) - 2u * Q, 2u * Q - 1u);
  var sum = vec4f(0.0);
  if (q < Q) {
    for (; i + 3u * SLICES < end; i += 4u * SLICES) {
      let row = four(i);
#each n 4
      let x$n = ddelta[row[$n] * Q + one];
#end
#each n 4
      sum += x$n;
#end
    }
    for (; i < end; i += SLICES) {
      sum += ddelta[u32(ints[i]) * Q + one];
    }
  } else if (q < 2u * Q) {
    for (; i + 3u * SLICES < end; i += 4u * SLICES) {
      let row = four(i);
#each n 4
      let x$n = dtheta[p.theta + row[$n] * Q + two];
#end
#each n 4
      sum += x$n;
#end
    }
    for (; i < end; i += SLICES) {
      sum += dtheta[p.theta + u32(ints[i]) * Q + two];
    }
  } else if (q < 4u * Q) {
    for (; i + 3u * SLICES < end; i += 4u * SLICES) {
      let row = four(i);
#each n 4
      let x$n = din[row[$n] * 2u * Q + three];
#end
#each n 4
      sum += x$n;
#end
    }
    for (; i < end; i += SLICES) {
      sum += din[u32(ints[i]) * 2u * Q + three];
    }
  }
  sum = slicesSum(lane, sum);
  if (slice > 0u) {
    return;
  }
  if (q < Q) {
    tdelta[m * Q + one] += sum;
  } else if (q < 2u * Q) {
    ttheta[m * Q + two] += sum;
  } else if (q < 4u * Q) {
    tin[m * 2u * Q + three] += sum;
  }
}
