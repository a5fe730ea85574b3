// The backward pass of factor_forward (SPEC §3): DRaw += DΛ on the lower triangle, times sigmoid(Raw) on the diagonal.
#import "shared/each.wgsl"
#import "shared/math.wgsl"

#params n, d : u32
#write draw : f32
#read dfactor, raw : f32

fn count() -> u32 { return p.n; }

fn each(i : u32) {
  let row = i / p.d % p.d;
  let col = i % p.d;
  if (col < row) {
    draw[i] += dfactor[i];
  } else if (col == row) {
    draw[i] += dfactor[i] * sigmoid(raw[i]);
  }
}
