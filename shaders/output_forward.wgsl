// The output (SPEC §6): Y = z/sqrt(|z|² + ε), z = Z[ZRow] + σ(Gate) ⊙ H[HRow]; zeros where ZRow is −1. Y [P, 2N], Inv
// [P, N].
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/element.wgsl"

const W : u32 = 64u;

struct Params {
  P : u32,
  N : u32,
  zrow : u32,
  hrow : u32,
  gated : u32,
  eps : f32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> y : array<E>;
@group(0) @binding(2) var<storage, read_write> inv : array<E>;
@group(0) @binding(3) var<storage, read> z : array<E>;
@group(0) @binding(4) var<storage, read> h : array<E>;
@group(0) @binding(5) var<storage, read> gate : array<E>;
@group(0) @binding(6) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let n = i % p.N;
    let re = (i / p.N) * 2u * p.N + n;
    let row = ints[p.zrow + i / p.N];
    var a = E(0.0);
    var b = E(0.0);
    var scale = E(0.0);
    if (row >= 0) {
      let at = u32(row) * 2u * p.N + n;
      a = z[at];
      b = z[at + p.N];
      if (p.gated != 0u) {
        let source = u32(ints[p.hrow + i / p.N]) * 2u * p.N + n;
        let s = sigmoidE(gate[n]);
        a += s * h[source];
        b += s * h[source + p.N];
      }
      scale = 1.0 / sqrt(a * a + b * b + p.eps);
    }
    inv[i] = scale;
    y[re] = a * scale;
    y[re + p.N] = b * scale;
  }
}
