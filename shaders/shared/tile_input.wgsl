  // The body of a product DY·W: sum0 … sum7, a quad of columns at eight rows of DY that begin at row0 … row7, gain the
  // products of `count` quads of DY with rows 0, 1, … of w, whose quads at that column are `K` apart from `base` on; a
  // row behind `last` is read as that one, which matters not where DY is 0. dy and w are arrays of quads.
  for (var n = 0u; n < count; n++) {
    let w0 = w[base + min(4u * n, last) * K];
    let w1 = w[base + min(4u * n + 1u, last) * K];
    let w2 = w[base + min(4u * n + 2u, last) * K];
    let w3 = w[base + min(4u * n + 3u, last) * K];
#each g 8
    let d$g = dy[row$g + n];
    sum$g = fma(vec4f(d$g.w), w3, fma(vec4f(d$g.z), w2, fma(vec4f(d$g.y), w1, fma(vec4f(d$g.x), w0, sum$g))));
#end
  }
