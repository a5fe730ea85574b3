// The rows of D (both triangles), C̃, A and P (SPEC §§3-6, FORMATS.md) in full, [S, H, T, T] and [S, T, H, H] with
// T = p.extra, for pictures.
//
// Workgroup (s, g) owns the rows of sequence s that p names and the region of work that goes with (s, g). Barriers:
// those of attentionRow, and one after a row so that the next does not overwrite what others still read.

const W : u32 = 64u;

#write distance_out, tree_out, fused_out, weights_out, work : f32
#read q : f32
#read ints : i32

#import "shared/attention.wgsl"

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let s = spanOf(group.x, group.y);
  let T = p.extra;
  for (var n = 0u; n < p.count; n++) {
    let i = p.row0 + group.y + n * p.stride;
    if (i >= s.steps) {
      break;
    }
    attentionRow(s, lane, i);
    for (var k = 0u; k < p.H; k++) {
      let square = (group.x * p.H + k) * T * T;
      for (var j = lane; j <= i; j += W) {
        let d = work[at(s, DIST, k, j)];
        distance_out[square + i * T + j] = d;
        distance_out[square + j * T + i] = d;
        tree_out[square + i * T + j] = work[at(s, TREE, k, j)];
        weights_out[square + i * T + j] = work[at(s, WEIGHT, k, j)];
      }
    }
    for (var x = lane; x < p.H * p.H; x += W) {
      fused_out[(group.x * T + i) * p.H * p.H + x] = fused[x];
    }
    storageBarrier();
    workgroupBarrier();
  }
}
