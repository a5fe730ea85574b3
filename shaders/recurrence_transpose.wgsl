// What a step multiplies the state with, so that neighbouring units lie side by side: Out[c, n] = WDelta[n, c], then
// Out[2N + c, n] = WTheta[n, c] for n < turn (theta state); 0 where there is no such n. Out [2N or 4N, 4Q], Q = ⌈N/4⌉.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  n : u32, // elements of Out
  N : u32,
  turn : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> out : array<f32>;
@group(0) @binding(2) var<storage, read> wdelta : array<f32>;
@group(0) @binding(3) var<storage, read> wtheta : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  let width = (p.N + 3u) / 4u * 4u;
  for (var i = id.x; i < p.n; i += groups.x * W) {
    let n = i % width;
    let c = i / width;
    var x = 0.0;
    if (c < 2u * p.N) {
      if (n < p.N) {
        x = wdelta[n * 2u * p.N + c];
      }
    } else if (n < p.turn) {
      x = wtheta[n * 2u * p.N + c - 2u * p.N];
    }
    out[i] = x;
  }
}
