// What the way back of the softmax attention needs of each head of each row besides (SPEC §13): Sums [rows, H, 2] are
// the logarithm of the softmax's sum, as softmax_forward left it, and do·o.
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params n, d : u32 // n: heads of all rows; d of a head, in E
#write sums : f32
#read dout, o : E
#read logs : f32

fn count() -> u32 { return p.n; }

fn each(i : u32) {
  var dots = E(0.0);
  for (var c = i * p.d; c < (i + 1u) * p.d; c++) {
    dots = fma(dout[c], o[c], dots);
  }
  sums[2u * i] = logs[i];
  sums[2u * i + 1u] = sumE(dots);
}
