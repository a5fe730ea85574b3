// The attention of each sequence's last row i (SPEC §§3-6; the equations stand in shared/attention.wgsl) in three
// kinds of dispatch that need no barrier: distances of all rows, then one invocation a sequence for what runs along
// it, then the weighted sums of rows. For software adapters and widths that are multiples of four.
//
// The file that imports this declares AttentionLastParams as p and the bindings work and ints. work holds six arrays
// [rows, H] one after another, and behind them for each sequence its summaries, A, its blend and their gradients.
#import "shared/attention_kinds.wgsl"

const EDGE : u32 = 4u;
const DEDGE : u32 = 5u;

struct AttentionLastParams {
  start : u32,
  end : u32,
  lo : u32,
  count : u32, // sequences
  N : u32,
  H : u32,
  rows : u32, // of the arena
  fusion : u32,
  tree : u32,
  back : u32, // for the backward pass
}

struct Span {
  first : u32, // row of position 0
  steps : u32,
}

fn spanOf(s : u32) -> Span {
  let start = u32(ints[p.start + p.lo + s]);
  return Span(start + 1u, u32(ints[p.end + p.lo + s]) - start);
}

fn at(kind : u32, row : u32, k : u32) -> u32 {
  return (kind * p.rows + row) * p.H + k;
}

// headsOf are the heads of quad c of a row of 2N numbers.
fn headsOf(c : u32) -> vec4u {
  return (vec4u(4u * c % p.N) + vec4u(0u, 1u, 2u, 3u)) / (p.N / p.H);
}

// perHead is what an array of work holds of a row, of each of four heads.
fn perHead(kind : u32, row : u32, head : vec4u) -> vec4f {
  let w = at(kind, row, 0u);
  return vec4f(work[w + head.x], work[w + head.y], work[w + head.z], work[w + head.w]);
}
