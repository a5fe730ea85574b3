// The products of a time loop on a GPU, in the two forms that recurrence_forward.wgsl tells of. A product has a quad
// of columns for each of Q, and SLICES slices of EACH terms, those behind the last one 0. An invocation owns a quad of
// columns and a slice. Every sum goes through its slice in order, in every form.
//
// The file that imports this has the parameters start, end, lo, skip and steps in p, the binding ints, and declares Q,
// EACH, the workgroup memory `terms`, and weight, a quad of the weights by its number. The constants are the host's:
// what they are for a width is in loop.go. No barriers.

const SLICES : u32 = 3u;
const HELD : u32 = 0u; // fours of an invocation's quads that stay in registers: none or all FOURS

const FOURS : u32 = (EACH + 3u) / 4u; // of a slice; what fills up the last one is 0
const PLACES : u32 = FOURS * SLICES;
const PARTS : u32 = Q * SLICES; // sums of a product

// Four are neighbouring terms. A GPU reads them in one piece, and their bounds are checked once; they are no vec4f,
// whose parts two invocations must not write at the same time.
alias Four = array<f32, 4>;

// placeOf is where term c lies, in numbers: slice by slice.
fn placeOf(c : u32) -> u32 { return c / EACH * (4u * FOURS) + c % EACH; }

// Span is the rows of a sequence that the call covers.
struct Span {
  sequence : u32, // from p.lo on
  first : u32,
  steps : u32,
  end : u32, // the row after the sequence's last step
}

fn spanOf(i : u32) -> Span {
  let start = u32(ints[p.start + p.lo + i]);
  let end = u32(ints[p.end + p.lo + i]);
  let first = min(start + p.skip, end);
  return Span(i, first, min(end - first, p.steps), end);
}

// weightOf is quad k of a slice whose quads begin at w.
fn weightOf(w : u32, k : u32) -> vec4f {
  if (k < EACH) {
    return weight(w + k * Q);
  }
  return vec4f(0.0);
}

// held goes on with the products of a four that stays in registers, from quad k of its slice on.
fn held(behind : vec4f, base : u32, k : u32, a : vec4f, b : vec4f, c : vec4f, d : vec4f) -> vec4f {
  let x = base + k / 4u;
  var sum = fma(vec4f(terms[x][0]), a, behind);
  if (k + 1u < EACH) {
    sum = fma(vec4f(terms[x][1]), b, sum);
  }
  if (k + 2u < EACH) {
    sum = fma(vec4f(terms[x][2]), c, sum);
  }
  if (k + 3u < EACH) {
    sum = fma(vec4f(terms[x][3]), d, sum);
  }
  return sum;
}

// streamed computes the products of a slice, whose weights begin at w and whose terms at base, and adds them to those
// behind.
fn streamed(behind : vec4f, w : u32, base : u32) -> vec4f {
  var sum = behind;
  for (var y = 0u; y + 1u < EACH / 4u; y += 2u) {
    let at = w + y * 4u * Q;
#each x 8
    let w$x = weight(at + $xu * Q);
#end
    let x = base + y;
#each i 8
    sum = fma(vec4f(terms[x + $iu / 4u][$iu % 4u]), w$i, sum);
#end
  }
  // Less than eight are left.
  let done = EACH / 8u * 8u;
#each x 7
  let w$x = weightOf(w, done + $xu);
#end
  let x = base + done / 4u;
#each i 7
  if (done + $iu < EACH) {
    sum = fma(vec4f(terms[x + $iu / 4u][$iu % 4u]), w$i, sum);
  }
#end
  return sum;
}
