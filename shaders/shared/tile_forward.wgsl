  // The body of a product X·Wᵀ: sum0 … sum7, quads of columns at eight rows of X that begin at row0 … row7, gain the K
  // quads' products with the rows of w that begin at at0 … at3. x and w are arrays of quads. The rows of X are the
  // same for a workgroup, so four rows of weights are read once for eight of X.
  for (var k = 0u; k < K; k++) {
    let w0 = w[at0 + k];
    let w1 = w[at1 + k];
    let w2 = w[at2 + k];
    let w3 = w[at3 + k];
    let kx = vec4f(w0.x, w1.x, w2.x, w3.x);
    let ky = vec4f(w0.y, w1.y, w2.y, w3.y);
    let kz = vec4f(w0.z, w1.z, w2.z, w3.z);
    let kw = vec4f(w0.w, w1.w, w2.w, w3.w);
#each g 8
    let x$g = x[row$g + k];
    sum$g = fma(vec4f(x$g.w), kw, fma(vec4f(x$g.z), kz, fma(vec4f(x$g.y), ky, fma(vec4f(x$g.x), kx, sum$g))));
#end
  }
