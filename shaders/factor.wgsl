// Y = Λ [H, d, d] (SPEC §3): the lower triangle of Raw, softplus on its diagonal, zeros above. With p.back it is the
// backward pass: Y += DΛ on the lower triangle, times sigmoid(Raw) on the diagonal.
#import "shared/each.wgsl"
#import "shared/math.wgsl"

#params n, d, back : u32
#write y : f32
#read dfactor, raw : f32

fn count() -> u32 { return p.n; }

fn each(i : u32) {
  let row = i / p.d % p.d;
  let col = i % p.d;
  if (col > row) {
    if (p.back == 0u) {
      y[i] = 0.0;
    }
  } else if (p.back != 0u) {
    y[i] += dfactor[i] * select(1.0, sigmoid(raw[i]), col == row);
  } else {
    y[i] = select(raw[i], softplus(raw[i]), col == row);
  }
}
