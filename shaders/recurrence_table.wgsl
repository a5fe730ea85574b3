// Table[m] += Σ Src[r] over the steps r of the covered sequences with At[r] = m: Table [M, width], Src [rows, width].
//
// Any number of workgroups: an invocation takes every element of Table whose number is its own modulo all invocations and
// sums over the rows in order. No barriers.

const W : u32 = 64u;

struct Params {
  start : u32,
  end : u32,
  at : u32,
  lo : u32,
  hi : u32,
  M : u32,
  width : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> table : array<f32>;
@group(0) @binding(2) var<storage, read> src : array<f32>;
@group(0) @binding(3) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.width; i += groups.x * W) {
    let m = i32(i / p.width);
    let c = i % p.width;
    var sum = 0.0;
    for (var s = p.lo; s < p.hi; s++) {
      let last = u32(ints[p.end + s]);
      for (var r = u32(ints[p.start + s]); r < last; r++) {
        if (ints[p.at + r] == m) {
          sum += src[r * p.width + c];
        }
      }
    }
    table[i] += sum;
  }
}
