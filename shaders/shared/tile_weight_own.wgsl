  // What an invocation owns of a product DYᵀ·X whose rows are cut into parts of p.rows: of part c the quads of columns
  // q and q + W of eight rows from quad n of DY on, in a0 … a7 and b0 … b7, and the sums of DY's quads n and n + 1 in
  // total0 and total1. A row of X has K quads, one of DY `width`; what lies behind is read as the last.
  let c = group.y / p.blocks;
  let n = group.y % p.blocks * 2u;
  let second = min(n + 1u, width - 1u);
  let q = group.x * 2u * W + lane;
  let near = min(q, K - 1u);
  let far = min(q + W, K - 1u);
#each g 8
  var a$g = vec4f(0.0);
  var b$g = vec4f(0.0);
#end
  var total0 = vec4f(0.0);
  var total1 = vec4f(0.0);
  let begin = c * p.rows;
  let end = min(begin + p.rows, p.M);
