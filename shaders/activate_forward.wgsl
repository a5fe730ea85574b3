// Y = f(X), or Y = f(X) ⊙ Times where p.times; Y gains it where p.add (SPEC §13).
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/activate.wgsl"

const W : u32 = 64u;

struct Params {
  n : u32,
  f : u32,
  times : u32,
  add : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> y : array<E>;
@group(0) @binding(2) var<storage, read> x : array<E>;
@group(0) @binding(3) var<storage, read> times : array<E>;

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
