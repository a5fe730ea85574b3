// Λ [H, d, d] (SPEC §3): the lower triangle of Raw, softplus on its diagonal, zeros above.
#import "shared/each.wgsl"
#import "shared/math.wgsl"

#params n, d : u32
#write factor : f32
#read raw : f32

fn count() -> u32 { return p.n; }

fn each(i : u32) {
  let row = i / p.d % p.d;
  let col = i % p.d;
  if (col < row) {
    factor[i] = raw[i];
  } else if (col == row) {
    factor[i] = softplus(raw[i]);
  } else {
    factor[i] = 0.0;
  }
}
