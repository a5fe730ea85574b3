// Sum and maximum over a workgroup. The file that imports this declares const W : u32, its workgroup size, a power of
// two. Every invocation calls together, from uniform control flow; all get the result. The barriers: after each has
// stored its number, after each halving, and before the store may be used again.

var<workgroup> reduceBox : array<f32, W>;

fn reduceSum(lane : u32, x : f32) -> f32 {
  reduceBox[lane] = x;
  workgroupBarrier();
  for (var step = W / 2u; step > 0u; step = step / 2u) {
    if (lane < step) {
      reduceBox[lane] = reduceBox[lane] + reduceBox[lane + step];
    }
    workgroupBarrier();
  }
  let r = reduceBox[0];
  workgroupBarrier();
  return r;
}

fn reduceMax(lane : u32, x : f32) -> f32 {
  reduceBox[lane] = x;
  workgroupBarrier();
  for (var step = W / 2u; step > 0u; step = step / 2u) {
    if (lane < step) {
      reduceBox[lane] = max(reduceBox[lane], reduceBox[lane + step]);
    }
    workgroupBarrier();
  }
  let r = reduceBox[0];
  workgroupBarrier();
  return r;
}
