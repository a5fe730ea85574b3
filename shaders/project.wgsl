// q = Λᵀ h per head (SPEC §3) and its backward pass, for widths that are multiples of four. v is a row's plane:
//
//   Out[v, c] = Σ_{r ≥ c} F[r, c] In[v, r]   (Q from State), or with p.back
//   Out[v, c] += Σ_{j ≤ c} F[c, j] In[v, j]  (DState from DQ),
//
// F the [N, N] matrix with the heads' lower triangles Factor on its diagonal.
//
// Workgroup (x, y) owns the v from 8xW on and the columns 4y … 4y + 3 of each, an invocation eight v, in registers.
// The range of the sum is what of F is not 0: it depends on y alone. No barriers.

const W : u32 = 8u;

#params vectors, N, d, back : u32 // vectors: two a row
#write out : vec4f
#read source : vec4f
#read factor : f32

// Line is what of a column of F, or with p.back of a row, is not 0: the entry first and that many behind it.
struct Line {
  first : u32,
  behind : u32,
  at : u32, // where entry 0 would stand in Factor, 1 or d before entry 1
}

fn lineOf(i : u32) -> Line {
  let head = i / p.d * p.d;
  if (p.back != 0u) {
    return Line(head, i - head, i * p.d - head);
  }
  return Line(i, head + p.d - 1u - i, i - head);
}

// has reports whether entry j is not 0.
fn has(line : Line, j : u32) -> bool { return j - line.first <= line.behind; }

fn store(v : u32, q : u32, sum : vec4f) {
  if (v < p.vectors) {
    let to = v * (p.N / 4u) + q;
    if (p.back != 0u) {
      out[to] += sum;
    } else {
      out[to] = sum;
    }
  }
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) lane : u32) {
  let Q = p.N / 4u;
  let q = group.y;
  let v = 8u * (group.x * W + lane);
#each c 4
  let line$c = lineOf(4u * q + $cu);
#end
#each g 8
  let at$g = min(v + $gu, p.vectors - 1u) * Q;
  var sum$g = vec4f(0.0);
#end
  let end = (line3.first + line3.behind) / 4u + 1u;
  let whole = line0.first + line0.behind; // up to here no line has ended
  let stride = select(p.d, 1u, p.back != 0u);
  for (var k = line0.first / 4u; k < end; k++) {
#each i 4
    let j$i = 4u * k + $iu;
    let s$i = j$i * stride; // a line's entry j, or where it has none another's: j is below N
    var f$i = vec4f(factor[line0.at + s$i], factor[line1.at + s$i], factor[line2.at + s$i], factor[line3.at + s$i]);
#end
    if (j0 < line3.first || j3 > whole) { // few tiles: a branch spares the others what this takes
#each i 4
      f$i = select(vec4f(0.0), f$i, vec4<bool>(has(line0, j$i), has(line1, j$i), has(line2, j$i), has(line3, j$i)));
#end
    }
#each g 8
    let x$g = source[at$g + k];
    sum$g = fma(vec4f(x$g.w), f3, fma(vec4f(x$g.z), f2, fma(vec4f(x$g.y), f1, fma(vec4f(x$g.x), f0, sum$g))));
#end
  }
  var sums = array<vec4f, 8>(sum0, sum1, sum2, sum3, sum4, sum5, sum6, sum7);
  for (var g = 0u; g < 8u; g++) { // a loop, not copies, which compile longer
    store(v + g, q, sums[g]);
  }
}
