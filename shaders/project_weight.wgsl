// DΛ_k[i, j] = Σ h_i dq_j over the rows and planes of head k, 0 above the diagonal (SPEC §3), for widths that are
// multiples of four. With more than one part the rows are cut into parts of p.part, and part c is the c-th of as many
// DΛ one after another: partial_sum.wgsl adds them up.
//
// Workgroup (x, y) owns of part y the tiles xW …, an invocation one of them in registers: eight columns i of State by
// eight columns j of DQ, tile A by tile A − B with B < p.band. What of a tile lies in two heads is dropped, and an
// element below the diagonal clears its mirror image. No barriers.

const W : u32 = 8u;

#params N, d, band, vectors, part : u32 // vectors: two a row; part: that many of them
#write dfactor : f32
#read dq, state : vec4f

fn put(c : u32, i : u32, j : u32, sum : f32) {
  let head = i / p.d;
  if (i < p.N && j <= i && j / p.d == head) {
    let at = (c * p.N + head * p.d) * p.d;
    let row = i - head * p.d;
    let col = j - head * p.d;
    dfactor[at + row * p.d + col] = sum;
    if (col < row) {
      dfactor[at + col * p.d + row] = 0.0;
    }
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let Q = p.N / 4u;
  let id = group.x * W + lane;
  let A = id / p.band;
  let B = id % p.band;
  let c = group.y;
#each g 8
  var a$g = vec4f(0.0);
  var b$g = vec4f(0.0);
#end
  var own = A >= B && 8u * A < p.N;
  if (own) {
    own = 8u * (A - B) + 7u >= 8u * A / p.d * p.d;
  }
  if (own) {
    let h = 2u * A;
    let high = min(h + 1u, Q - 1u);
    let g = 2u * (A - B);
    let far = min(g + 1u, Q - 1u);
    let end = min((c + 1u) * p.part, p.vectors);
    for (var v = c * p.part; v < end; v++) {
      let d0 = state[v * Q + h];
      let d1 = state[v * Q + high];
      let xa = dq[v * Q + g];
      let xb = dq[v * Q + far];
#import "shared/tile_weight.wgsl"
    }
    var sums = array<vec4f, 16>(a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7);
    for (var e = 0u; e < 64u; e++) { // a loop, not copies, which compile longer
      put(c, 8u * A + e / 4u % 8u, 8u * (A - B) + e / 32u * 4u + e % 4u, sums[e / 4u][e % 4u]);
    }
  }
}
