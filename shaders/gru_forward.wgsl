// The time loop of a GRU (SPEC §13). A step in row r with m = At[r], h' the state there:
//
//   r = σ(Pre[m]_r + U_r h'),  z = σ(Pre[m]_z + U_z h'),  c = tanh(Pre[m]_c + r (U_c h')),  h = (1 − z) c + z h'.
//
// Row r + 1 of State gets h, row r of Gates r, z and c (SPEC's n), that of Hidden U_c h'. The first row is 0.
// Workgroups and barriers as in shared/gated_forward.wgsl.
#import "shared/math.wgsl"
#import "shared/gated_forward.wgsl"

const GATES : u32 = 3u;

#write state, gates, hidden : f32
#read pre, weights : f32
#read ints : i32

fn begin(r : u32, n : u32) { state[r * p.N + n] = 0.0; }

fn finish(r : u32, n : u32, s : vec4f) -> f32 {
  let N = p.N;
  let m = u32(ints[p.at + r]) * 3u * N + n;
  let reset = sigmoid(s.x + pre[m]);
  let keep = sigmoid(s.y + pre[m + N]);
  let c = wtanh(fma(reset, s.z, pre[m + 2u * N]));
  let q = r * 3u * N + n;
  gates[q] = reset;
  gates[q + N] = keep;
  gates[q + 2u * N] = c;
  hidden[r * N + n] = s.z;
  let h = (1.0 - keep) * c + keep * state[r * N + n];
  state[r * N + N + n] = h;
  return h;
}
