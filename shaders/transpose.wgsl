// Out = Inᵀ: Out [N, M], In [M, N].
#import "shared/each.wgsl"

#params M, N : u32
#write out : f32
#read source : f32

fn count() -> u32 { return p.M * p.N; }

fn each(i : u32) { out[i] = source[i % p.M * p.N + i / p.M]; }
