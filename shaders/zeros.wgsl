// X = 0 for up to eight windows, n quads of each.
//
// Any number of workgroups: an invocation takes every quad of a window whose number is its own modulo all invocations.
// No barriers.

const W : u32 = 64u;

struct Params {
#each g 8
  n$g : u32,
#end
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> x0 : array<vec4f>;
@group(0) @binding(2) var<storage, read_write> x1 : array<vec4f>;
@group(0) @binding(3) var<storage, read_write> x2 : array<vec4f>;
@group(0) @binding(4) var<storage, read_write> x3 : array<vec4f>;
@group(0) @binding(5) var<storage, read_write> x4 : array<vec4f>;
@group(0) @binding(6) var<storage, read_write> x5 : array<vec4f>;
@group(0) @binding(7) var<storage, read_write> x6 : array<vec4f>;
@group(0) @binding(8) var<storage, read_write> x7 : array<vec4f>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
#each g 8
  for (var i = id.x; i < p.n$g; i += groups.x * W) {
    x$g[i] = vec4f(0.0);
  }
#end
}
