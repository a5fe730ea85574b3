// The products of the drive that read u (SPEC §2), for widths that are multiples of four; X is u:
//
//   PreTheta = W_θ u + b_θ,  PreGamma = W_γ u + b_γ,  DeltaU = W_δu u + b_δ,  e = e^{iπ·tanh PreTheta},
//   V = u ⊙ e,  Rot = e for the first Turn units, 1 for the others.  [M, N]; V, Rot [M, 2N].
//
// The weights [N, N] and biases [N] lie in one window, each from where p says, in quads; so is N given.
//
// Workgroup (x, y, z) owns the quads of columns xW … of the rows 8y … 8y + 7 of the z-th of the three; an invocation
// owns a quad of all eight rows, in registers, as in matmul.wgsl. No barriers.
#import "shared/math4.wgsl"

const W : u32 = 8u;

#params M, Q, turn, rotate, theta, thetabias, gamma, gammabias, delta, deltabias : u32
#write pretheta, pregamma, deltau, v, rot : vec4f
#read x, w : vec4f

// turned writes what the angle of a quad makes.
fn turned(m : u32, q : u32, pre : vec4f) {
  let one = m * p.Q + q;
  let two = 2u * m * p.Q + q;
  let e = cis4(PI * wtanh4(pre));
  pretheta[one] = pre;
  v[two] = x[one] * e.re;
  v[two + p.Q] = x[one] * e.im;
  if (p.rotate != 0u) {
    let turns = vec4u(4u * q) + vec4u(0u, 1u, 2u, 3u) < vec4u(p.turn); // of units 4q … 4q + 3
    rot[two] = select(vec4f(1.0), e.re, turns);
    rot[two + p.Q] = select(vec4f(0.0), e.im, turns);
  }
}

fn store(kind : u32, m : u32, q : u32, sum : vec4f) {
  if (m < p.M && q < p.Q) {
    if (kind == 0u) {
      turned(m, q, sum);
    } else if (kind == 1u) {
      pregamma[m * p.Q + q] = sum;
    } else {
      deltau[m * p.Q + q] = sum;
    }
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let K = p.Q;
  let kind = group.z;
  let q = group.x * W + lane;
  let own = min(q, K - 1u);
  let m = 8u * group.y;
  let base = select(select(p.delta, p.gamma, kind == 1u), p.theta, kind == 0u) + 4u * own * K;
  let start = w[select(select(p.deltabias, p.gammabias, kind == 1u), p.thetabias, kind == 0u) + own];
#each g 8
  let row$g = min(m + $gu, p.M - 1u) * K;
  var sum$g = start;
#end
#each c 4
  let at$c = base + $cu * K;
#end
#import "shared/tile_forward.wgsl"
  for (var g = 0u; g < 8u; g++) { // a loop, not copies, which compile longer
    var sum = vec4f(0.0);
    switch (g) {
#each g 8
      case $gu: { sum = sum$g; }
#end
      default: {}
    }
    store(kind, m + g, q, sum);
  }
}
