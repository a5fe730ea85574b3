// The products of project_forward.wgsl and project_backward.wgsl, for widths that are multiples of four:
//
//   Out[v, c] = Σ_{r ≥ c} F[r, c] In[v, r]   (Q from State),   or with p.back   Out[v, c] += Σ_{j ≤ c} F[c, j] In[v, j]
//   (DState from DQ), F the [N, N] matrix with the heads' lower triangles Factor on its diagonal; v is a row's plane.
//
// An invocation owns eight v and the columns 4y … 4y + 3 of each, in registers; workgroup (x, y) the v from 8xW on. The
// range of the sum is what of F is not 0: it depends on y alone. No barriers.

const W : u32 = 8u;

struct Params {
  vectors : u32, // two a row
  N : u32,
  d : u32,
  back : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> out : array<vec4f>;
@group(0) @binding(2) var<storage, read> source : array<vec4f>;
@group(0) @binding(3) var<storage, read> factor : array<f32>;

// entry is F[r, c]; c is in the head that begins at column head.
fn entry(r : u32, c : u32, head : u32) -> f32 {
  let inside = r >= c && r < head + p.d;
  let x = factor[head * p.d + (select(c, r, inside) - head) * p.d + c - head];
  return select(0.0, x, inside);
}

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
  let col$c = 4u * q + $cu;
  let head$c = col$c / p.d * p.d;
#end
#each g 8
  let at$g = min(v + $gu, p.vectors - 1u) * Q;
  var sum$g = vec4f(0.0);
#end
  var begin = q;
  var end = (head3 + p.d + 3u) / 4u;
  if (p.back != 0u) {
    begin = head0 / 4u;
    end = q + 1u;
  }
  for (var k = begin; k < end; k++) {
#each i 4
    var f$i = vec4f(0.0);
#end
    if (p.back != 0u) {
#each i 4
      {
        let j = 4u * k + $iu;
        let head = j / p.d * p.d;
        f$i = vec4f(entry(col0, j, head), entry(col1, j, head), entry(col2, j, head), entry(col3, j, head));
      }
#end
    } else {
#each i 4
      {
        let r = 4u * k + $iu;
        f$i = vec4f(entry(r, col0, head0), entry(r, col1, head1), entry(r, col2, head2), entry(r, col3, head3));
      }
#end
    }
#each g 8
    let x$g = source[at$g + k];
    sum$g = fma(vec4f(x$g.w), f3, fma(vec4f(x$g.z), f2, fma(vec4f(x$g.y), f1, fma(vec4f(x$g.x), f0, sum$g))));
#end
  }
#each g 8
  store(v + $gu, q, sum$g);
#end
}
