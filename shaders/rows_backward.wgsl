// The backward pass of rows_forward: DX[Row[p]] += DY[p]. No row is named twice, so no two invocations add to one
// place.
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params P, N, row : u32
#write dx : E
#read dy : E
#read ints : i32

fn count() -> u32 { return p.P * p.N; }

fn each(i : u32) {
  let row = ints[p.row + i / p.N];
  if (row >= 0) {
    dx[u32(row) * p.N + i % p.N] += dy[i];
  }
}
