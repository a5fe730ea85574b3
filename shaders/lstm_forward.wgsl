// The time loop of an LSTM (SPEC §13). A step in row r with m = At[r], h' and c' the state and the memory there:
//
//   a = Pre[m] + W h',  i, f, o = σ(a_i), σ(a_f), σ(a_o),  g = tanh(a_g),  c = f c' + i g,  h = o tanh(c).
//
// Row r + 1 of State and Memory get h and c, row r of Gates i, f, g and o. The first rows are 0. Workgroups and
// barriers as in shared/gated_forward.wgsl.
#import "shared/math.wgsl"
#import "shared/gated_forward.wgsl"

const GATES : u32 = 4u;

#write state, memory, gates : f32
#read pre, weights : f32
#read ints : i32

fn begin(r : u32, n : u32) {
  state[r * p.N + n] = 0.0;
  memory[r * p.N + n] = 0.0;
}

fn finish(r : u32, n : u32, s : vec4f) -> f32 {
  let N = p.N;
  let m = u32(ints[p.at + r]) * 4u * N + n;
  let i = sigmoid(s.x + pre[m]);
  let f = sigmoid(s.y + pre[m + N]);
  let g = wtanh(s.z + pre[m + 2u * N]);
  let o = sigmoid(s.w + pre[m + 3u * N]);
  let q = r * 4u * N + n;
  gates[q] = i;
  gates[q + N] = f;
  gates[q + 2u * N] = g;
  gates[q + 3u * N] = o;
  let c = f * memory[r * N + n] + i * g;
  memory[r * N + N + n] = c;
  let h = o * wtanh(c);
  state[r * N + N + n] = h;
  return h;
}
