// Adam and AdamW (SPEC §8): g = clip·G (+ Decay·P); m = β₁m + (1−β₁)g; v = β₂v + (1−β₂)g²; P −= rate·m/(sqrt(v)·root +
// ε), with the corrections 1/(1−βᵗ) in rate and root from the host. Where Norm2 or Loss is not finite Guard is set;
// then, and where Guard was set before, nothing else is written.
//
// Where Norm2 comes in parts, one number from each workgroup of sumsquares.wgsl, every workgroup adds them up in
// one order, and the first writes Norm2.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. Guard is
// written only where no invocation's course depends on it. Barriers: in reduceSum.
#import "shared/math.wgsl"
#import "shared/reduce.wgsl"

const W : u32 = 64u;
const PARTS : u32 = 0u; // 1 where Norm2 comes in parts

#params n, losses, guarded, decoupled : u32
#params clip, rate, root, shrink, decay, beta1, beta2, rest1, rest2, eps : f32
#params parts : u32
#write param, m, v, guard, norm2 : f32
#read grad, loss, part : f32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(local_invocation_index) lane : u32,
  @builtin(num_workgroups) groups : vec3u) {
  var square = 0.0;
  if (PARTS != 0u) {
    for (var i = lane; i < p.parts; i += W) {
      square += part[i];
    }
    square = reduceSum(lane, square);
    if (id.x == 0u) {
      norm2[0] = square;
    }
  } else {
    square = norm2[0];
  }
  if (!finite(square) || (p.losses != 0u && !finite(loss[0]))) {
    if (p.guarded != 0u && id.x == 0u) {
      guard[0] = 1.0;
    }
    return;
  }
  if (p.guarded != 0u && guard[0] != 0.0) {
    return;
  }
  for (var i = id.x; i < p.n; i += groups.x * W) {
    var scale = 1.0;
    let norm = sqrt(square);
    if (p.clip > 0.0 && norm > p.clip) {
      scale = p.clip / norm;
    }
    var g = grad[i] * scale;
    var x = param[i];
    if (p.decoupled != 0u) {
      x -= p.shrink * x;
    } else {
      g += p.decay * x;
    }
    let mean = p.beta1 * m[i] + p.rest1 * g;
    let spread = p.beta2 * v[i] + p.rest2 * g * g;
    m[i] = mean;
    v[i] = spread;
    param[i] = x - p.rate * mean / (sqrt(spread) * p.root + p.eps);
  }
}
