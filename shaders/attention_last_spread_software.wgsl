// The gradients of the rows that the last row i of each sequence read (SPEC §§3-6): dh_j += P_ij do_i,
//
//   dq_j = −2 dD̃_ij (q_i − q_j) + 2 de_{j−1} (q_j − q_{j−1}) − 2 de_j (q_{j+1} − q_j),
//   and for j = i also Σ_j 2 dD̃_ij (q_i − q_j),
//
// 0 in the row before a sequence's first step.
//
// Workgroup (x, s) owns the quads xW … of all rows of sequence s, an invocation one of them. No barriers.

const W : u32 = 8u;

@group(0) @binding(0) var<uniform> p : AttentionLastParams;
@group(0) @binding(1) var<storage, read_write> dstate : array<vec4f>;
@group(0) @binding(2) var<storage, read_write> dq : array<vec4f>;
@group(0) @binding(3) var<storage, read> work : array<f32>;
@group(0) @binding(4) var<storage, read> q : array<vec4f>;
@group(0) @binding(5) var<storage, read> dout : array<vec4f>;
@group(0) @binding(6) var<storage, read> ints : array<i32>;

#import "shared/attention_last.wgsl"

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let s = spanOf(group.y);
  let width = p.N / 2u;
  let c = group.x * W + lane;
  if (c < width) {
    let head = headsOf(c);
    let i = s.first + s.steps - 1u;
    let last = q[i * width + c];
    let g = dout[group.y * width + c];
    var now = q[s.first * width + c];
    var edge = vec4f(0.0); // 2 de_{j−1} (q_j − q_{j−1})
    var sum = vec4f(0.0);
    dq[(s.first - 1u) * width + c] = vec4f(0.0);
    for (var j = s.first; j <= i; j++) {
      let next = q[min(j + 1u, i) * width + c];
      let pull = 2.0 * perHead(GRAD, j, head) * (last - now);
      let beyond = 2.0 * perHead(DEDGE, j, head) * (next - now);
      sum += pull;
      dq[j * width + c] = edge - beyond - pull;
      dstate[j * width + c] += perHead(WEIGHT, j, head) * g;
      edge = beyond;
      now = next;
    }
    dq[i * width + c] += sum;
  }
}
