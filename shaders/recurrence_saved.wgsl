// Saved[r] = cos θ | sin θ | Alpha[r] | Inv[r] | θ/π: what a step of the backward loop reads of the forward pass, side by side in
// one binding. θ is the angle of the step in row r: Rot[At[r]] (theta token) or Theta[r] (theta state); 0 from turn on.
// Saved [rows, 5N]. Rows without a step are left alone.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/math.wgsl"
#import "shared/complex.wgsl"

const W : u32 = 64u;

struct Params {
  rows : u32,
  N : u32,
  turn : u32,
  state_theta : u32,
  at : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> saved : array<f32>;
@group(0) @binding(2) var<storage, read> alpha : array<f32>;
@group(0) @binding(3) var<storage, read> inv : array<f32>;
@group(0) @binding(4) var<storage, read> angle : array<f32>;
@group(0) @binding(5) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.rows * p.N; i += groups.x * W) {
    let r = i / p.N;
    let n = i % p.N;
    let m = ints[p.at + r];
    if (m >= 0) {
      var e = vec2f(1.0, 0.0);
      var t = 0.0;
      if (n < p.turn) {
        if (p.state_theta != 0u) {
          e = cis(angle[i]);
          t = angle[i] / PI;
        } else {
          let re = u32(m) * 2u * p.N + n;
          e = vec2f(angle[re], angle[re + p.N]);
        }
      }
      let to = r * 5u * p.N + n;
      saved[to] = e.x;
      saved[to + p.N] = e.y;
      saved[to + 2u * p.N] = alpha[i];
      saved[to + 3u * p.N] = inv[i];
      saved[to + 4u * p.N] = t;
    }
  }
}
