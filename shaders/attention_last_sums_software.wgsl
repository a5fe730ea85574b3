// DRho [H] (SPEC §4) and DB [H, H] (SPEC §5) gain the sums over all sequences: n rows of H + H² in part.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations and sums
// in order. No barriers.

const W : u32 = 64u;

struct Params {
  H : u32,
  n : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> drho : array<f32>;
@group(0) @binding(2) var<storage, read_write> db : array<f32>;
@group(0) @binding(3) var<storage, read> part : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  let width = p.H + p.H * p.H;
  for (var i = id.x; i < width; i += groups.x * W) {
    var sum = 0.0;
    for (var r = 0u; r < p.n; r++) {
      sum += part[r * width + i];
    }
    if (i < p.H) {
      drho[i] += sum;
    } else {
      db[i - p.H] += sum;
    }
  }
}
