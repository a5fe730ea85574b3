// The time loop of an LSTM backwards (SPEC §13). Of the step in row r, with dh = DState[r + 1], dc the gradient of the
// memory c from later steps, c' the memory before:
//
//   dc ← dc + dh o (1 − tanh² c),
//   Gates[r] ← dc g i(1 − i), dc c' f(1 − f), dc i (1 − g²), dh tanh(c) o(1 − o),
//   dc ← dc f,  DState[r] += Wᵀ Gates[r].
//
// Rows after a sequence's last step get zeros. Carry [sequences, N] holds dc. Workgroups and barriers as in
// shared/gated_backward.wgsl.
#import "shared/math.wgsl"
#import "shared/gated_backward.wgsl"

const GATES : u32 = 4u;

#write dstate, gates, carry : f32
#read memory, weights : f32
#read ints : i32

fn begin(r : u32, s : u32, n : u32) {
  carry[s * p.N + n] = 0.0;
  for (var k = 0u; k < 4u; k++) {
    gates[(4u * r + k) * p.N + n] = 0.0;
  }
}

fn gradient(r : u32, j : u32) -> f32 { return gates[r * 4u * p.N + j]; }

fn slope(r : u32, s : u32, n : u32) -> vec4f {
  let N = p.N;
  let q = r * 4u * N + n;
  let i = gates[q];
  let f = gates[q + N];
  let g = gates[q + 2u * N];
  let o = gates[q + 3u * N];
  let t = wtanh(memory[r * N + N + n]);
  let dh = dstate[r * N + N + n];
  let dc = carry[s * N + n] + dh * o * (1.0 - t * t);
  let d = vec4f(dc * g * i * (1.0 - i), dc * memory[r * N + n] * f * (1.0 - f), dc * i * (1.0 - g * g),
    dh * t * o * (1.0 - o));
  for (var k = 0u; k < 4u; k++) {
    gates[q + k * N] = d[k];
  }
  carry[s * N + n] = dc * f;
  return d;
}
