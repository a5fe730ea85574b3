// The backward pass of rows_forward: DX[Row[p]] += DY[p]. No row is named twice, so no two invocations add to one
// place.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/element.wgsl"

const W : u32 = 64u;

#params P, N, row : u32
#write dx : E
#read dy : E
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let row = ints[p.row + i / p.N];
    if (row >= 0) {
      dx[u32(row) * p.N + i % p.N] += dy[i];
    }
  }
}
