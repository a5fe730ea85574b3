// Dst[v] = Σ over r with At[r] = v of Src[r]: Dst [Table, Width], Src [Rows, Width]. One invocation sums one element of
// Dst over the rows in order.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  at : u32,
  rows : u32,
  width : u32,
  table : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dst : array<f32>;
@group(0) @binding(2) var<storage, read> src : array<f32>;
@group(0) @binding(3) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.table * p.width; i += groups.x * W) {
    let v = i32(i / p.width);
    let c = i % p.width;
    var sum = 0.0;
    for (var r = 0u; r < p.rows; r++) {
      if (ints[p.at + r] == v) {
        sum += src[r * p.width + c];
      }
    }
    dst[i] = sum;
  }
}
