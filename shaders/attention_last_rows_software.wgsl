// D_ij = |q_i − q_j|² and e_j = |q_{j+1} − q_j|² per head (SPEC §3) for the last row i of each sequence, and for the
// backward pass do_i · h_j.
//
// Workgroup (x, s) owns the positions xW … xW + W − 1 of sequence s, an invocation one of them. No barriers.

const W : u32 = 8u;

@group(0) @binding(0) var<uniform> p : AttentionLastParams;
@group(0) @binding(1) var<storage, read_write> work : array<f32>;
@group(0) @binding(2) var<storage, read> q : array<vec4f>;
@group(0) @binding(3) var<storage, read> state : array<vec4f>;
@group(0) @binding(4) var<storage, read> dout : array<vec4f>;
@group(0) @binding(5) var<storage, read> ints : array<i32>;

#import "shared/attention_last.wgsl"

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let s = spanOf(group.y);
  let j = group.x * W + lane;
  if (j < s.steps) {
    let Q = p.N / 4u;
    let d = p.N / p.H;
    let last = (s.first + s.steps - 1u) * 2u * Q;
    let row = (s.first + j) * 2u * Q;
    let next = min(row + 2u * Q, last);
    let out = group.y * 2u * Q;
    for (var k = 0u; k < p.H; k++) {
      var dist = vec4f(0.0);
      var edge = vec4f(0.0);
      var grad = vec4f(0.0);
      for (var c = k * d / 4u; c < (k * d + d + 3u) / 4u; c++) {
        let col = vec4u(4u * c) + vec4u(0u, 1u, 2u, 3u);
        let own = select(vec4f(0.0), vec4f(1.0), (col >= vec4u(k * d)) & (col < vec4u(k * d + d)));
        let re = q[row + c];
        let im = q[row + Q + c];
        let x = q[last + c] - re;
        let y = q[last + Q + c] - im;
        dist = fma(own, x * x + y * y, dist);
        let ex = q[next + c] - re;
        let ey = q[next + Q + c] - im;
        edge = fma(own, ex * ex + ey * ey, edge);
        if (p.back != 0u) {
          grad = fma(own, dout[out + c] * state[row + c] + dout[out + Q + c] * state[row + Q + c], grad);
        }
      }
      work[at(DIST, s.first + j, k)] = (dist.x + dist.y) + (dist.z + dist.w);
      work[at(EDGE, s.first + j, k)] = (edge.x + edge.y) + (edge.z + edge.w);
      if (p.back != 0u) {
        work[at(GRAD, s.first + j, k)] = (grad.x + grad.y) + (grad.z + grad.w);
      }
    }
  }
}
