// The backward pass of output_forward (SPEC §6): dz = Inv (DY − Y Re(conj(Y) DY)) is added to DZ[ZRow], σ(Gate) dz to
// DH[HRow]. Rows of Z and H are named once at most, so no two invocations add to one place.
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
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> dz : array<E>;
@group(0) @binding(2) var<storage, read_write> dh : array<E>;
@group(0) @binding(3) var<storage, read> dy : array<E>;
@group(0) @binding(4) var<storage, read> y : array<E>;
@group(0) @binding(5) var<storage, read> inv : array<E>;
@group(0) @binding(6) var<storage, read> gate : array<E>;
@group(0) @binding(7) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let n = i % p.N;
    let re = (i / p.N) * 2u * p.N + n;
    let row = ints[p.zrow + i / p.N];
    if (row >= 0) {
      let a = dy[re];
      let b = dy[re + p.N];
      let along = y[re] * a + y[re + p.N] * b;
      let ga = inv[i] * (a - y[re] * along);
      let gb = inv[i] * (b - y[re + p.N] * along);
      let at = u32(row) * 2u * p.N + n;
      dz[at] += ga;
      dz[at + p.N] += gb;
      if (p.gated != 0u) {
        let to = u32(ints[p.hrow + i / p.N]) * 2u * p.N + n;
        let s = sigmoidE(gate[n]);
        dh[to] += s * ga;
        dh[to + p.N] += s * gb;
      }
    }
  }
}
