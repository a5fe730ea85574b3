// A block of columns: Dst[r, to + c] = Src[r, origin + c], or += with p.add, for r < M and c < N.
#import "shared/each.wgsl"
#import "shared/element.wgsl"

#params M, N, dstwidth, srcwidth, to, origin, add : u32
#write dst : E
#read src : E

fn count() -> u32 { return p.M * p.N; }

fn each(i : u32) {
  let r = i / p.N;
  let c = i % p.N;
  let at = r * p.dstwidth + p.to + c;
  var x = src[r * p.srcwidth + p.origin + c];
  if (p.add != 0u) {
    x += dst[at];
  }
  dst[at] = x;
}
