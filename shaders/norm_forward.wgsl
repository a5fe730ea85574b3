// A norm (SPEC §13): y = Inv (x − Mean) ⊙ Gain + Bias of each row x = X + Plus, Inv = 1/sqrt(mean((x − Mean)²) + ε);
// without p.layer, which is the RMS norm, Mean and Bias are 0. Sum is x, written where p.plus.
//
// Any number of workgroups: one takes every OWNED rows whose number is its own modulo all workgroups. Barriers: in
// rowSum; how often a workgroup goes round is the same for all of it.
#import "shared/share.wgsl"

#params P, N, plus, layer : u32
#params eps : f32
#write y, total, mean, inv : f32
#read x, plus, gain, bias : f32

fn value(i : u32) -> f32 {
  if (p.plus != 0u) {
    return x[i] + plus[i];
  }
  return x[i];
}

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(num_workgroups) groups : vec3u,
  @builtin(local_invocation_index) lane : u32) {
  let slice = lane % SLICES;
  for (var first = group.x * OWNED; first < p.P; first += groups.x * OWNED) {
    let row = first + lane / SLICES;
    let at = min(row, p.P - 1u) * p.N;
    var middle = 0.0;
    if (p.layer != 0u) {
      var part = 0.0;
      for (var i = slice; i < p.N; i += SLICES) {
        part += value(at + i);
      }
      middle = rowSum(lane, part) / f32(p.N);
    }
    var part = 0.0;
    for (var i = slice; i < p.N; i += SLICES) {
      let off = value(at + i) - middle;
      part += off * off;
    }
    let scale = 1.0 / sqrt(rowSum(lane, part) / f32(p.N) + p.eps);
    if (row < p.P) {
      for (var i = slice; i < p.N; i += SLICES) {
        let v = value(at + i);
        var out = (v - middle) * scale * gain[i];
        if (p.layer != 0u) {
          out += bias[i];
        }
        y[at + i] = out;
        if (p.plus != 0u) {
          total[at + i] = v;
        }
      }
      if (slice == 0u) {
        inv[row] = scale;
        if (p.layer != 0u) {
          mean[row] = middle;
        }
      }
    }
  }
}
