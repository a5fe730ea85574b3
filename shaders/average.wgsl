// The mean over a graph's edges (SPEC §13, gcn): Y[r] = Σ_d Weight[r, d]·X[Edge[r, d]], or += with p.add. An edge of
// −1 is none. Y [P, N], Weight [P, D].
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params P, N, D, edge, add : u32
#write y : E
#read x : E
#read weight : f32
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
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
