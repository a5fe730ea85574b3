// The mean over a graph's edges (SPEC §13, gcn): Y[r] = Σ_d Weight[r, d]·X[Edge[r, d]], or += with p.add. An edge of
// −1 is none. Y [P, N], Weight [P, D].
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/element.wgsl"

const W : u32 = 64u;

#params P, N, D, edge, add : u32
#write y : E
#read x : E
#read weight : f32
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let r = i / p.N;
    let n = i % p.N;
    var sum = E(0.0);
    if (p.add != 0u) {
      sum = y[i];
    }
    for (var d = r * p.D; d < (r + 1u) * p.D; d++) {
      let row = ints[p.edge + d];
      if (row >= 0) {
        sum = fma(E(weight[d]), x[u32(row) * p.N + n], sum);
      }
    }
    y[i] = sum;
  }
}
