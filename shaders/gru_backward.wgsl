// The time loop of a GRU backwards (SPEC §13). Of the step in row r, with dh = DState[r + 1] and h' the state before:
//
//   dc = dh (1 − z)(1 − c²),
//   DGates[r] = dc (U_c h') r(1 − r), dh (h' − c) z(1 − z), dc,  Gates[r] ← the same but for the third part, dc r,
//   DState[r] += dh z + Uᵀ Gates[r], with the first 3N numbers of Gates[r].
//
// Rows after a sequence's last step get zeros. Workgroups and barriers as in shared/gated_backward.wgsl.
#import "shared/gated_backward.wgsl"

const GATES : u32 = 3u;

@group(0) @binding(1) var<storage, read_write> dstate : array<f32>;
@group(0) @binding(2) var<storage, read_write> gates : array<f32>;
@group(0) @binding(3) var<storage, read_write> dgates : array<f32>;
@group(0) @binding(4) var<storage, read> state : array<f32>;
@group(0) @binding(5) var<storage, read> weights : array<f32>;
@group(0) @binding(6) var<storage, read> ints : array<i32>;

fn begin(r : u32, s : u32, n : u32) {
  for (var k = 0u; k < 3u; k++) {
    gates[(4u * r + k) * p.N + n] = 0.0;
    dgates[(3u * r + k) * p.N + n] = 0.0;
  }
}

fn slope(r : u32, s : u32, n : u32) {
  let N = p.N;
  let q = r * 4u * N + n;
  let reset = gates[q];
  let keep = gates[q + N];
  let c = gates[q + 2u * N];
  let dh = dstate[r * N + N + n];
  let dc = dh * (1.0 - keep) * (1.0 - c * c);
  let dreset = dc * gates[q + 3u * N] * reset * (1.0 - reset);
  let dkeep = dh * (state[r * N + n] - c) * keep * (1.0 - keep);
  let d = r * 3u * N + n;
  dgates[d] = dreset;
  dgates[d + N] = dkeep;
  dgates[d + 2u * N] = dc;
  gates[q] = dreset;
  gates[q + N] = dkeep;
  gates[q + 2u * N] = dc * reset;
  dstate[r * N + n] += dh * keep;
}
