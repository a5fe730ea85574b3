// The loss (SPEC §7): RowLoss[r] = logsumexp(Logits[r]) − Logits[r, Target[r]], DLogits = Scale·Weight (softmax −
// onehot): [P, C]; Hit[r] = 1 where Target[r] is the first of the greatest logits, else 0. Padded is DLogits with rows
// of p.width, zeros at their end (none where that is 0). One invocation does one row.
#import "shared/each.wgsl"
#import "shared/math.wgsl"

#params P, C, target_at : u32
#params scale : f32
#params width : u32
#write rowloss, hit, dlogits, padded : f32
#read logits, weight : f32
#read ints : i32

fn count() -> u32 { return p.P; }

fn each(i : u32) {
  let row = i * p.C;
  var top = logits[row];
  var best = 0u;
  for (var c = 1u; c < p.C; c++) {
    if (logits[row + c] > top) {
      top = logits[row + c];
      best = c;
    }
  }
  var sum = 0.0;
  for (var c = 0u; c < p.C; c++) {
    let e = wexp(logits[row + c] - top);
    dlogits[row + c] = e;
    sum += e;
  }
  let scale = p.scale * weight[i];
  for (var c = 0u; c < p.C; c++) {
    dlogits[row + c] *= scale / sum;
  }
  let wanted = u32(ints[p.target_at + i]);
  dlogits[row + wanted] -= scale;
  for (var c = 0u; c < p.width; c++) {
    var x = 0.0;
    if (c < p.C) {
      x = dlogits[row + c];
    }
    padded[i * p.width + c] = x;
  }
  rowloss[i] = top + wlog(sum) - logits[row + wanted];
  hit[i] = select(0.0, 1.0, best == wanted);
}
