#import "shared/math.wgsl"
#import "shared/lse.wgsl"
#import "shared/reduce.wgsl"
#import "shared/attention_kinds.wgsl"
// One row i of the attention (SPEC §§3-5), for j ≤ i: D_ij = |q_i − q_j|² per head, C̃_ij = log(1 + Σ_{t=j}^{i−1} e^{e_t}),
// D̃ = D + softplus(Rho) C̃, A from the summaries c_k = C̃_i1 and B, D̂^(k) = Σ_l A_kl D̃^(l), P = softmax_j of −D̂.
//
// The file that imports this declares W, AttentionParams as p, and the bindings work, q and ints. A workgroup owns a
// sequence's rows i that are its own, and a region of work where it keeps four arrays over j for each head. Every
// function is called by all invocations from uniform control flow. Position t of a sequence is arena row first + t.
//
// A row's work is done in phases, each of which reads only what phases before it left in work. One dispatch does all of
// them, or, where that would make an invocation's loops too long for the adapter, each phase has a dispatch of its own,
// in which the workgroups (s, g, 0), (s, g, 1), … share the row's positions or columns; phases that go through a whole
// row in order have one workgroup.

const MAX_HEADS : u32 = 16u;
const MAX_PAIRS : u32 = 256u;

// The phases, bits of p.phases.
const PHASE_DISTANCE : u32 = 1u; // shared
const PHASE_WEIGHTS : u32 = 2u;  // in order
const PHASE_COLUMNS : u32 = 4u;  // shared
const PHASE_SUMS : u32 = 8u;     // in order
const PHASE_EDGES : u32 = 16u;   // shared

struct AttentionParams {
  start : u32,
  end : u32,
  lo : u32,
  N : u32,
  H : u32,
  rows : u32, // of the arena
  last : u32,
  fusion : u32,
  tree : u32,
  row0 : u32,   // workgroup (s, g) owns the rows row0 + g, row0 + g + stride, … of sequence s, count of them
  stride : u32,
  count : u32,
  edges : u32,  // where in work the edges begin, [rows, H]
  region : u32, // where the regions begin
  extra : u32,
  phases : u32,
}

fn phase(x : u32) -> bool {
  return (p.phases & x) != 0u;
}

var<workgroup> scanBox : array<f32, W>;
var<workgroup> treeBox : array<f32, W>;
var<workgroup> summary : array<f32, MAX_HEADS>;
var<workgroup> fused : array<f32, MAX_PAIRS>;
var<workgroup> blend : array<f32, MAX_PAIRS>;

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

fn at(s : Span, kind : u32, k : u32, j : u32) -> u32 {
  return s.base + (kind * p.H + k) * s.steps + j;
}

fn softRho(k : u32) -> f32 {
  return work[k];
}

fn bilinear(k : u32, l : u32) -> f32 {
  return work[2u * p.H + k * p.H + l];
}

fn edge(s : Span, k : u32, t : u32) -> f32 {
  return work[p.edges + (s.first + t) * p.H + k];
}

fn grow(a : f32, b : f32) -> f32 {
  if (p.tree == TREE_LSE) {
    return lse(a, b);
  }
  return a + b;
}

// attentionRow does the first two phases. Of positions that workgroups share, an invocation takes first, first + stride, …
fn attentionRow(s : Span, lane : u32, i : u32, first : u32, stride : u32) {
  if (phase(PHASE_DISTANCE)) {
    distances(s, first, stride, i);
  }
  storageBarrier();
  if (phase(PHASE_WEIGHTS)) {
    trees(s, lane, i);
    storageBarrier();
    fuse(s, lane);
    weights(s, lane, i);
  }
  storageBarrier();
}

fn distances(s : Span, first : u32, stride : u32, i : u32) {
  let d = p.N / p.H;
  let me = (s.first + i) * 2u * p.N;
  for (var j = first; j <= i; j += stride) {
    let other = (s.first + j) * 2u * p.N;
    for (var k = 0u; k < p.H; k++) {
      var sum = 0.0;
      for (var c = k * d; c < (k + 1u) * d; c++) {
        let v = vec2f(q[me + c], q[me + p.N + c]) - vec2f(q[other + c], q[other + p.N + c]);
        sum += dot(v, v);
      }
      work[at(s, DIST, k, j)] = sum;
    }
  }
}

// trees is C̃.
fn trees(s : Span, lane : u32, i : u32) {
  // From j = i down: a scan of 0, e_{i−1}, e_{i−2}, … in blocks of W. Barriers: a scan's step is read by all before
  // any overwrites it, and written by all before any reads it.
  var none = LSE_ZERO;
  if (p.tree != TREE_LSE) {
    none = 0.0;
  }
  for (var k = 0u; k < p.H; k++) {
    var carry = none;
    for (var back = 0u; back <= i; back += W) {
      let n = back + lane;
      var x = none;
      if (n == 0u) {
        x = 0.0;
      } else if (n <= i && p.tree != TREE_NONE) {
        x = edge(s, k, i - n);
      }
      scanBox[lane] = x;
      workgroupBarrier();
      for (var step = 1u; step < W; step *= 2u) {
        var y = none;
        if (lane >= step) {
          y = scanBox[lane - step];
        }
        workgroupBarrier();
        if (lane >= step) {
          x = grow(x, y);
          scanBox[lane] = x;
        }
        workgroupBarrier();
      }
      x = grow(x, carry);
      if (n <= i) {
        work[at(s, TREE, k, i - n)] = select(x, 0.0, p.tree == TREE_NONE);
      }
      carry = grow(scanBox[W - 1u], carry);
      workgroupBarrier();
    }
  }
}

// fuse is the summaries, A and its blend, from D and C̃ at j = 0.
fn fuse(s : Span, lane : u32) {
  if (lane < p.H) {
    if (p.tree == TREE_NONE) {
      summary[lane] = wlog1p(work[at(s, DIST, lane, 0u)]);
    } else {
      summary[lane] = work[at(s, TREE, lane, 0u)];
    }
  }
  workgroupBarrier();
  if (lane < p.H) {
    let k = lane * p.H;
    var top = -1e30;
    for (var l = 0u; l < p.H; l++) {
      let x = summary[lane] * bilinear(lane, l) * summary[l];
      fused[k + l] = x;
      top = max(top, x);
    }
    var sum = 0.0;
    for (var l = 0u; l < p.H; l++) {
      let x = wexp(fused[k + l] - top);
      fused[k + l] = x;
      sum += x;
    }
    for (var l = 0u; l < p.H; l++) {
      fused[k + l] = select(fused[k + l] / sum, 1.0 / f32(p.H), p.fusion == FUSION_MEAN);
    }
  }
  workgroupBarrier();
  if (lane < p.H) {
    var mean = 0.0;
    for (var k = 0u; k < p.H; k++) {
      mean += fused[k * p.H + lane] / f32(p.H);
    }
    for (var k = 0u; k < p.H; k++) {
      blend[k * p.H + lane] = select(fused[k * p.H + lane], mean, p.fusion == FUSION_POOLED);
    }
  }
  workgroupBarrier();
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
fn rect(s : Span, l : u32, j : u32) -> f32 {
  return work[at(s, DIST, l, j)] + softRho(l) * work[at(s, TREE, l, j)];
}
