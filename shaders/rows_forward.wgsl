// Rows that are looked up: Y[p] = X[Row[p]], or += with p.add. A row index of −1 gives zeros, or adds nothing.
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params P, N, row, add : u32
#write y : E
#read x : E
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
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
