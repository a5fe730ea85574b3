// Rows that are looked up: Y[p] = X[Row[p]], or += with p.add. A row index of −1 gives zeros, or adds nothing.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/element.wgsl"

const W : u32 = 64u;

#params P, N, row, add : u32
#write y : E
#read x : E
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let row = ints[p.row + i / p.N];
    var value = E(0.0);
    if (row >= 0) {
      value = x[u32(row) * p.N + i % p.N];
    }
    if (p.add != 0u) {
      value += y[i];
    }
    y[i] = value;
  }
}
