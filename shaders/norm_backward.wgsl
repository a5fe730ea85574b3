// The backward pass of norm_forward (SPEC §13): with e = Inv (x − Mean) and g = DY ⊙ Gain, DX = Inv (g − mean(g) −
// e mean(g ⊙ e)) of each row, or += with p.add; without p.layer, mean(g) and Mean are 0. norm_gain makes the gradients
// of gain and bias.
//
// Any number of workgroups: one takes every OWNED rows whose number is its own modulo all workgroups. Barriers: in
// rowSum; how often a workgroup goes round is the same for all of it.
#import "shared/share.wgsl"

#params P, N, layer, add : u32
#write dx : f32
#read dy, x, mean, inv, gain : f32

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(num_workgroups) groups : vec3u,
  @builtin(local_invocation_index) lane : u32) {
  let slice = lane % SLICES;
  for (var first = group.x * OWNED; first < p.P; first += groups.x * OWNED) {
    let row = first + lane / SLICES;
    let own = min(row, p.P - 1u);
    let at = own * p.N;
    let scale = inv[own];
    var middle = 0.0;
    var plain = 0.0;
    if (p.layer != 0u) {
      middle = mean[own];
      var part = 0.0;
      for (var i = slice; i < p.N; i += SLICES) {
        part += dy[at + i] * gain[i];
      }
      plain = rowSum(lane, part) / f32(p.N);
    }
    var part = 0.0;
    for (var i = slice; i < p.N; i += SLICES) {
      part += dy[at + i] * gain[i] * (x[at + i] - middle) * scale;
    }
    let along = rowSum(lane, part) / f32(p.N);
    if (row < p.P) {
      for (var i = slice; i < p.N; i += SLICES) {
        let e = (x[at + i] - middle) * scale;
        var d = scale * (dy[at + i] * gain[i] - plain - e * along);
        if (p.add != 0u) {
          d += dx[at + i];
        }
        dx[at + i] = d;
      }
    }
  }
}
