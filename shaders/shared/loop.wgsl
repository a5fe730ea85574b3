// The products of a time loop on a GPU, in the forms that recurrence_forward.wgsl tells of. A product has a quad of
// columns for each of Q, and SLICES slices of EACH terms, those behind the last one 0. An invocation owns a quad of
// columns and a slice. Every sum goes through its slice in order, in every form.
//
// The file that imports this has the parameters start, end, lo, count, order, skip and steps in p, the binding ints,
// and declares Q, EACH, TERMS, the workgroup memory `terms`, of G sequences, TERMS Fours each, and weight, a quad of
// the weights by its number. The constants are the host's: what they are for a width is in loop.go. No barriers.

const SLICES : u32 = 3u;
const HELD : u32 = 0u;  // fours of an invocation's quads that stay in registers, at most all FOURS
const G : u32 = 1u;     // sequences that a workgroup owns
const SLOTS : u32 = 1u; // 1 or 2: for the sums of so many of them there is room at a time

const FOURS : u32 = (EACH + 3u) / 4u; // of a slice; what fills up the last one is 0
const PLACES : u32 = FOURS * SLICES;
const PARTS : u32 = Q * SLICES; // sums of a product

// Four are neighbouring terms. A GPU reads them in one piece, and their bounds are checked once; they are no vec4f,
// whose parts two invocations must not write at the same time.
alias Four = array<f32, 4>;

// placeOf is where term c lies, in numbers: slice by slice.
fn placeOf(c : u32) -> u32 {
  return c / EACH * (4u * FOURS) + c % EACH;
}

// Span is the rows of a sequence that the call covers.
struct Span {
  sequence : u32, // from p.lo on
  first : u32,
  steps : u32,
  end : u32, // the row after the sequence's last step
}

fn spanOf(i : u32) -> Span {
  var s = min(i, p.count - 1u);
  if (G > 1u) {
    s = u32(ints[p.order + s]) - p.lo;
  }
  let start = u32(ints[p.start + p.lo + s]);
  let end = u32(ints[p.end + p.lo + s]);
  let first = min(start + p.skip, end);
  return Span(s, first, select(0u, min(end - first, p.steps), i < p.count), end);
}

// Sums are an invocation's, of a quad of columns, for each sequence.
struct Sums {
#each g G
  d$g : vec4f,
#end
}

// weightOf is quad k of a slice whose quads begin at w.
fn weightOf(w : u32, k : u32) -> vec4f {
  if (k < EACH) {
    return weight(w + k * Q);
  }
  return vec4f(0.0);
}

// held goes on with the products of a four that stays in registers, from quad k of its slice on.
fn held(behind : Sums, base : u32, k : u32, a : vec4f, b : vec4f, c : vec4f, d : vec4f) -> Sums {
  var sum = behind;
#each g G
  {
    let x = base + $gu * TERMS + k / 4u;
    sum.d$g = fma(vec4f(terms[x][0]), a, sum.d$g);
    if (k + 1u < EACH) {
      sum.d$g = fma(vec4f(terms[x][1]), b, sum.d$g);
    }
    if (k + 2u < EACH) {
      sum.d$g = fma(vec4f(terms[x][2]), c, sum.d$g);
    }
    if (k + 3u < EACH) {
      sum.d$g = fma(vec4f(terms[x][3]), d, sum.d$g);
    }
  }
#end
  return sum;
}

// streamed goes on with the products of a slice, whose weights begin at w and whose terms at base, behind so many
// fours of it.
fn streamed(behind : Sums, w : u32, base : u32, fours : u32) -> Sums {
  var sum = behind;
  if (fours + 1u < EACH / 4u) {
    for (var y = fours; y + 1u < EACH / 4u; y += 2u) {
      let at = w + y * 4u * Q;
#each x 8
      let w$x = weight(at + $xu * Q);
#end
#each g G
      {
        let x = base + $gu * TERMS + y;
        sum.d$g = fma(vec4f(terms[x][0]), w0, sum.d$g);
        sum.d$g = fma(vec4f(terms[x][1]), w1, sum.d$g);
        sum.d$g = fma(vec4f(terms[x][2]), w2, sum.d$g);
        sum.d$g = fma(vec4f(terms[x][3]), w3, sum.d$g);
        sum.d$g = fma(vec4f(terms[x + 1u][0]), w4, sum.d$g);
        sum.d$g = fma(vec4f(terms[x + 1u][1]), w5, sum.d$g);
        sum.d$g = fma(vec4f(terms[x + 1u][2]), w6, sum.d$g);
        sum.d$g = fma(vec4f(terms[x + 1u][3]), w7, sum.d$g);
      }
#end
    }
  }
  // Less than eight are left.
  let done = min(4u * fours + (max(EACH / 4u, fours) - fours) / 2u * 8u, EACH);
#each x 7
  let w$x = weightOf(w, done + $xu);
#end
#each g G
  {
    let x = base + $gu * TERMS + done / 4u;
    if (done < EACH) {
      sum.d$g = fma(vec4f(terms[x][0]), w0, sum.d$g);
    }
    if (done + 1u < EACH) {
      sum.d$g = fma(vec4f(terms[x][1]), w1, sum.d$g);
    }
    if (done + 2u < EACH) {
      sum.d$g = fma(vec4f(terms[x][2]), w2, sum.d$g);
    }
    if (done + 3u < EACH) {
      sum.d$g = fma(vec4f(terms[x][3]), w3, sum.d$g);
    }
    if (done + 4u < EACH) {
      sum.d$g = fma(vec4f(terms[x + 1u][0]), w4, sum.d$g);
    }
    if (done + 5u < EACH) {
      sum.d$g = fma(vec4f(terms[x + 1u][1]), w5, sum.d$g);
    }
    if (done + 6u < EACH) {
      sum.d$g = fma(vec4f(terms[x + 1u][2]), w6, sum.d$g);
    }
  }
#end
  return sum;
}
