// A block of columns: Dst[r, to + c] = Src[r, origin + c], or += with p.add, for r < M and c < N.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/element.wgsl"

const W : u32 = 64u;

#params M, N, dstwidth, srcwidth, to, origin, add : u32
#write dst : E
#read src : E

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.N; i += groups.x * W) {
    let r = i / p.N;
    let c = i % p.N;
    let at = r * p.dstwidth + p.to + c;
    var x = src[r * p.srcwidth + p.origin + c];
    if (p.add != 0u) {
      x += dst[at];
    }
    dst[at] = x;
  }
}
