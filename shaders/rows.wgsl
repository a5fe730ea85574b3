// Rows that are looked up: Y[p] = X[Row[p]], or += with p.add. A row index of −1 gives zeros, or adds nothing. With
// p.back it is the backward pass, Y[Row[p]] += X[p]: no row is named twice, so no two invocations add to one place.
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params P, N, row, add, back : u32
#write y : E
#read x : E
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
  let row = ints[p.row + i / p.N];
  let there = u32(max(row, 0)) * p.N + i % p.N;
  if (p.back != 0u) {
    if (row >= 0) {
      y[there] += x[i];
    }
    return;
  }
  var value = E(0.0);
  if (row >= 0) {
    value = x[there];
  }
  if (p.add != 0u) {
    value += y[i];
  }
  y[i] = value;
}
