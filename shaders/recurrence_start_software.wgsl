// The first rows of the sequences (SPEC §2): with gather = 0, State[Start[s]] = Init[s − lo], or 0 where Init is not
// given; with gather = 1, Init[s − lo] = State[Start[s]], for lo ≤ s < lo + count. Rows of 2N. For software adapters:
// a GPU's time loop does it itself (recurrence_loop_gpu.wgsl).
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  start : u32,
  lo : u32,
  count : u32,
  width : u32,
  given : u32,
  gather : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> state : array<f32>;
@group(0) @binding(2) var<storage, read_write> init : array<f32>;
@group(0) @binding(3) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.count * p.width; i += groups.x * W) {
    let row = u32(ints[p.start + p.lo + i / p.width]) * p.width + i % p.width;
    if (p.gather != 0u) {
      init[i] = state[row];
    } else if (p.given != 0u) {
      state[row] = init[i];
    } else {
      state[row] = 0.0;
    }
  }
}
