// o_i^(k) = Σ_{j≤i} P^(k)_ij h_j^(k) (SPEC §6), P as in shared/attention.wgsl. With last only each sequence's last
// row, written to row s of O; otherwise row i is written to arena row Start + i and row End is zeroed.
//
// Workgroup (s, g) owns the rows of sequence s that p names and the region of work that goes with (s, g). Barriers:
// those of attentionRow, and one after a row so that the next does not overwrite what others still read.

const W : u32 = 64u;

#write o, work : f32
#read q, state : f32
#read ints : i32

#import "shared/attention.wgsl"

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let s = spanOf(group.x, group.y);
  let width = 2u * p.N;
  if (p.last == 0u && group.y == 0u) {
    for (var c = lane; c < width; c += W) {
      o[(s.first - 1u + s.steps) * width + c] = 0.0;
    }
  }
  for (var n = 0u; n < p.count; n++) {
    var i = p.row0 + group.y + n * p.stride;
    if (p.last != 0u) {
      i = s.steps - 1u;
    }
    if (i >= s.steps) {
      break;
    }
    attentionRow(s, lane, i);
    var to = (s.first - 1u + i) * width;
    if (p.last != 0u) {
      to = group.x * width;
    }
    // Two columns of an invocation and four positions a turn, added in order: their reads are under way together.
    for (var c = lane; c < width; c += 2u * W) {
#each m 2
      let c$m = min(c + $mu * W, width - 1u);
      let w$m = at(s, WEIGHT, c$m % p.N / (p.N / p.H), 0u);
      var sum$m = 0.0;
#end
      for (var j = 0u; j <= i; j += 4u) {
        let near = four(j, i);
        let inside = vec4u(j) + vec4u(0u, 1u, 2u, 3u) == near;
        let row = (vec4u(s.first) + near) * width;
#each m 2
        let read$m = vec4f(work[w$m + near.x], work[w$m + near.y], work[w$m + near.z], work[w$m + near.w]);
        let h$m = vec4f(state[row.x + c$m], state[row.y + c$m], state[row.z + c$m], state[row.w + c$m]);
#end
#each m 2
        let a$m = select(vec4f(0.0), read$m, inside);
        sum$m = fma(a$m.w, h$m.w, fma(a$m.z, h$m.z, fma(a$m.y, h$m.y, fma(a$m.x, h$m.x, sum$m))));
#end
      }
      o[to + c] = sum0;
      if (c + W < width) {
        o[to + c1] = sum1;
      }
    }
    storageBarrier();
  }
}
