// X = 0, n elements from the first.
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params first, n : u32
#write x : E

fn count() -> u32 { return p.n; }

fn each(i : u32) { x[p.first + i] = E(0.0); }
