// The time loop of a GRU backwards (SPEC §13). Of the step in row r, with dh = DState[r + 1] and h' the state before:
//
//   dc = dh (1 − z)(1 − c²),
//   Gates[r] ← dc (U_c h') r(1 − r), dh (h' − c) z(1 − z), dc,  Hidden[r] ← dc r,
//   DState[r] += dh z + Uᵀ d, with d the first two parts of Gates[r] and Hidden[r].
//
// Rows after a sequence's last step get zeros. Workgroups and barriers as in shared/gated_backward.wgsl.
#import "shared/gated_backward.wgsl"

const GATES : u32 = 3u;

#write dstate, gates, hidden : f32
#read state, weights : f32
#read ints : i32

fn begin(r : u32, s : u32, n : u32) {
  for (var k = 0u; k < 3u; k++) {
    gates[(3u * r + k) * p.N + n] = 0.0;
  }
  hidden[r * p.N + n] = 0.0;
}

fn gradient(r : u32, j : u32) -> f32 {
  if (j < 2u * p.N) {
    return gates[r * 3u * p.N + j];
  }
  return hidden[r * p.N + j - 2u * p.N];
}

fn slope(r : u32, s : u32, n : u32) -> vec4f {
  let N = p.N;
  let q = r * 3u * N + n;
  let reset = gates[q];
  let keep = gates[q + N];
  let c = gates[q + 2u * N];
  let dh = dstate[r * N + N + n];
  let dc = dh * (1.0 - keep) * (1.0 - c * c);
  let dreset = dc * hidden[r * N + n] * reset * (1.0 - reset);
  let dkeep = dh * (state[r * N + n] - c) * keep * (1.0 - keep);
  gates[q] = dreset;
  gates[q + N] = dkeep;
  gates[q + 2u * N] = dc;
  hidden[r * N + n] = dc * reset;
  dstate[r * N + n] += dh * keep;
  return vec4f(dreset, dkeep, dc * reset, 0.0);
}
