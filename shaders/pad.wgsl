// Out (+)= In where both reach, zeros elsewhere: Out [M, Width], In [Rows, N]. Rows of a whole number of quads can be
// read four numbers at a time; rows of a layer's own width come back.
#import "shared/each.wgsl"

#params M, width, rows, N, add : u32
#write out : f32
#read source : f32

fn count() -> u32 { return p.M * p.width; }

fn each(i : u32) {
  let m = i / p.width;
  let n = i % p.width;
  var x = 0.0;
  if (m < p.rows && n < p.N) {
    x = source[m * p.N + n];
  }
  if (p.add != 0u) {
    x += out[i];
  }
  out[i] = x;
}
