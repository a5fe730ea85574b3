// addSums adds to DRho [H] and DB [H, H] the sums over n rows of H + H² numbers in part, from first on: those elements whose
// number is lane modulo stride, each in order. The file that imports this declares p.H and the bindings drho, db and part.
fn addSums(lane : u32, stride : u32, first : u32, n : u32) {
  let width = p.H + p.H * p.H;
  for (var i = lane; i < width; i += stride) {
    var sum = 0.0;
    for (var r = 0u; r < n; r++) {
      sum += part[first + r * width + i];
    }
    if (i < p.H) {
      drho[i] += sum;
    } else {
      db[i - p.H] += sum;
    }
  }
}
