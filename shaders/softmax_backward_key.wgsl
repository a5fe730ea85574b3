// The gradients of the softmax attention's keys and values (SPEC §13): dv_j = Σ_{i ≥ j} P_ij do_i and
// dk_j = Σ_{i ≥ j} dS_ij q_i/sqrt(d); dS as in softmax_backward_query, which has left do_i·o_i in Along.
//
// An invocation has one key, and goes through its queries in order; see shared/softmax.wgsl. No barriers.
#import "shared/softmax.wgsl"

@group(0) @binding(1) var<storage, read_write> dqkv : array<E>;
@group(0) @binding(2) var<storage, read> along : array<f32>;
@group(0) @binding(3) var<storage, read> qkv : array<E>;
@group(0) @binding(4) var<storage, read> dout : array<E>;
@group(0) @binding(5) var<storage, read> logs : array<f32>;
@group(0) @binding(6) var<storage, read> ints : array<i32>;

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let first = u32(ints[p.start + p.lo + group.z]);
  let steps = u32(ints[p.end + p.lo + group.z]) - first;
  let j = group.x * W + lane;
  if (j > steps) {
    return;
  }
  let head = group.y;
  let own = partAt(first + j, 1u, head);
  var k : array<E, D>;
  var v : array<E, D>;
  var dk : array<E, D>;
  var dv : array<E, D>;
  for (var c = 0u; c < D; c++) {
    k[c] = qkv[own + c] * p.scale;
    v[c] = qkv[own + p.N + c];
    dk[c] = E(0.0);
    dv[c] = E(0.0);
  }
  // From the workgroup's first query on, so that all read the same one.
  for (var i = group.x * W; i < steps; i++) {
    if (i >= j) {
      let query = partAt(first + i, 0u, head);
      let at = (first + i) * p.N + head * D;
      let there = (first + i) * p.heads + head;
      var scores = E(0.0);
      var weights = E(0.0);
      for (var c = 0u; c < D; c++) {
        scores = fma(k[c], qkv[query + c], scores);
        weights = fma(v[c], dout[at + c], weights);
      }
      let e = wexp(sumE(scores) - logs[there]);
      let ds = p.scale * e * (sumE(weights) - along[there]);
      for (var c = 0u; c < D; c++) {
        dk[c] = fma(E(ds), qkv[query + c], dk[c]);
        dv[c] = fma(E(e), dout[at + c], dv[c]);
      }
    }
  }
  for (var c = 0u; c < D; c++) {
    dqkv[own + c] = dk[c];
    dqkv[own + p.N + c] = dv[c];
  }
}
