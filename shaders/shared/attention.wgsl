// One row i of the attention (SPEC §§3-5), for j ≤ i: D_ij = |q_i − q_j|² per head, C̃_ij = log(1 + Σ_{t=j}^{i−1}
// e^{e_t}), D̃ = D + softplus(Rho) C̃, A from the summaries c_k = C̃_i1 and B, D̂^(k) = Σ_l A_kl D̃^(l), P = softmax_j
// of −D̂.
//
// The file that imports this declares W and the bindings work, q and ints. A workgroup owns a
// sequence's rows i that are its own, and a region of work where it keeps four arrays over j for each head. Every
// function is called by all invocations from uniform control flow. Position t of a sequence is arena row first + t.
#import "shared/reduce.wgsl"
#import "shared/distance.wgsl"
#import "shared/tree.wgsl"
#import "shared/tree_scan.wgsl"
#import "shared/fusion.wgsl"

const MAX_HEADS : u32 = 16u;
const MAX_PAIRS : u32 = 256u;

#params start, end, lo, N, H, rows, last, fusion, tree : u32 // rows: of the arena
// Workgroup (s, g) owns the rows row0 + g, row0 + g + stride, … of sequence s, count of them.
#params row0, stride, count : u32
#params edges, region : u32 // where in work the edges, [rows, H], and the regions begin
#params extra, done : u32 // done: the rows' distances, trees and weights are in work

struct Span {
  first : u32,
  steps : u32,
  base : u32, // of the workgroup's region
}

fn spanOf(s : u32, g : u32) -> Span {
  let start = u32(ints[p.start + p.lo + s]);
  let steps = u32(ints[p.end + p.lo + s]) - start;
  return Span(start + 1u, steps, p.region + (g * p.rows + start) * 4u * p.H);
}

fn at(s : Span, kind : u32, k : u32, j : u32) -> u32 { return s.base + (kind * p.H + k) * s.steps + j; }

fn softRho(k : u32) -> f32 { return work[k]; }

fn bilinear(k : u32, l : u32) -> f32 { return work[2u * p.H + k * p.H + l]; }

fn edge(s : Span, k : u32, t : u32) -> f32 { return work[p.edges + (s.first + t) * p.H + k]; }

// four is the positions j to j + 3; in place of those behind i stands i. What belongs to four is read in one go, so
// that the reads are under way together.
fn four(j : u32, i : u32) -> vec4u { return min(vec4u(j) + vec4u(0u, 1u, 2u, 3u), vec4u(i)); }

// attentionRow leaves D, C̃ and P of row i in work.
fn attentionRow(s : Span, lane : u32, i : u32) {
  if (p.done == 0u) {
    distances(s, lane, i);
    storageBarrier();
    trees(s, lane, i);
    storageBarrier(); // invocations read each other's trees
    fuse(s, lane);
    weights(s, lane, i);
  }
  storageBarrier();
}

// distances is D, a head and position an invocation.
fn distances(s : Span, lane : u32, i : u32) {
  let me = (s.first + i) * 2u * p.N;
  for (var x = lane; x < p.H * (i + 1u); x += W) {
    let j = x % (i + 1u);
    let k = x / (i + 1u);
    work[at(s, DIST, k, j)] = squareDistance(me, (s.first + j) * 2u * p.N, k);
  }
}

// weights is P. An invocation reads at j what it writes itself, or what was there before.
fn weights(s : Span, lane : u32, i : u32) {
  for (var k = 0u; k < p.H; k++) {
    var top = -1e30;
    for (var j = lane; j <= i; j += W) {
      var x = 0.0;
      for (var l = 0u; l < p.H; l++) {
        x = fma(blend[k * p.H + l], rect(s, l, j), x);
      }
      work[at(s, WEIGHT, k, j)] = x;
      top = max(top, -x);
    }
    top = reduceMax(lane, top);
    var sum = 0.0;
    for (var j = lane; j <= i; j += W) {
      let e = wexp(-work[at(s, WEIGHT, k, j)] - top);
      work[at(s, WEIGHT, k, j)] = e;
      sum += e;
    }
    sum = reduceSum(lane, sum);
    for (var j = lane; j <= i; j += W) {
      work[at(s, WEIGHT, k, j)] /= sum;
    }
  }
}

// rect is D̃.
fn rect(s : Span, l : u32, j : u32) -> f32 { return work[at(s, DIST, l, j)] + softRho(l) * work[at(s, TREE, l, j)]; }
