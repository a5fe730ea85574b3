// The sums over the copies that attention_backward made (SPEC §§3-6): DState += Σ_g dh, DQ = Σ_g dq and what the edges
// add, dq_{t+1} += 2 de_t (q_{t+1} − q_t), dq_t −= the same; 0 in the row before a sequence's first step; and DRho
// [H], DB [H, H] += the sums over all its workgroups: n rows of H + H² at sums.
//
// Workgroup (s, t) owns position t of sequence s, workgroup (s, 0) the row before it too; the workgroups (s, longest)
// share the elements of DRho and DB, and a workgroup's invocations the rows of one. Barriers: in reduceSum, which only
// the latter call.
#import "shared/reduce.wgsl"

const W : u32 = 64u;

#params start, end, lo, N, H, rows, copies, longest, sums, n : u32
#write dstate, dq : f32
#read part, q : f32
#write drho, db : f32
#read ints : i32

// total adds to element i of DRho, or behind it of DB, its sum over all workgroups of attention_backward.
fn total(lane : u32, i : u32) {
  let width = p.H + p.H * p.H;
  var sum = 0.0;
  for (var r = lane; r < p.n; r += W) {
    sum += part[p.sums + r * width + i];
  }
  sum = reduceSum(lane, sum);
  if (lane > 0u) {
    return;
  }
  if (i < p.H) {
    drho[i] += sum;
  } else {
    db[i - p.H] += sum;
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(num_workgroups) groups : vec3u,
  @builtin(local_invocation_index) lane : u32) {
  if (group.y == p.longest) {
    for (var i = group.x; i < p.H + p.H * p.H; i += groups.x) {
      total(lane, i);
    }
    return;
  }
  let start = u32(ints[p.start + p.lo + group.x]);
  let last = u32(ints[p.end + p.lo + group.x]);
  let row = start + 1u + group.y;
  let width = 2u * p.N;
  let size = p.rows * (2u * width + p.H);
  for (var c = lane; c < width; c += W) {
    if (group.y == 0u) {
      dq[start * width + c] = 0.0;
    }
    if (row <= last) {
      let k = c % p.N / (p.N / p.H);
      let me = q[row * width + c];
      var h = 0.0;
      var g = 0.0;
      for (var n = 0u; n < p.copies; n++) {
        h += part[n * size + row * width + c];
        g += part[n * size + (p.rows + row) * width + c];
        let de = n * size + 2u * p.rows * width + k;
        if (row > start + 1u) {
          g += 2.0 * part[de + (row - 1u) * p.H] * (me - q[(row - 1u) * width + c]);
        }
        if (row < last) {
          g -= 2.0 * part[de + row * p.H] * (q[(row + 1u) * width + c] - me);
        }
      }
      dstate[row * width + c] += h;
      dq[row * width + c] = g;
    }
  }
}
