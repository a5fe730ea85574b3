// Y = f(X), or Y = f(X) ⊙ Times where p.times; Y gains it where p.add (SPEC §13).
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/activate.wgsl"

const W : u32 = 64u;

#params n, f, times, add : u32
#write y : E
#read x, times : E

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * W) {
    var out = activated(p.f, x[i]).y;
    if (p.times != 0u) {
      out *= times[i];
    }
    if (p.add != 0u) {
      out += y[i];
    }
    y[i] = out;
  }
}
