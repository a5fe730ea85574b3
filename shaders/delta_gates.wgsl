// From the gradients of delta_forward's gates, dα and dβ in DGates [rows, 2H], to those of what they are made of: with
// log α = −exp(Rate)·softplus(a) and β = scale·σ(b)
//
//   DA = −exp(Rate)·α·dα·σ(a),  DB = dβ·β(1 − β/scale),  Parts [sequences, H]: Σ_t −exp(Rate)·α·dα·softplus(a)
//
// and zeros in a sequence's last row.
//
// Any number of workgroups: an invocation takes every head of a sequence whose number is its own modulo all
// invocations, and goes along the sequence, from step `skip` on, `steps` at most. No barriers.
#import "shared/math.wgsl"

const W : u32 = 32u;

#params start, end, lo, H, pairs, skip, steps : u32 // pairs: heads of all sequences
#params scale : f32
#write da, db, parts : f32
#read dgates, gates, a, rate : f32
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.pairs; i += groups.x * W) {
    let h = i % p.H;
    let end = u32(ints[p.end + p.lo + i / p.H]);
    let first = u32(ints[p.start + p.lo + i / p.H]) + p.skip;
    if (first >= end) {
      continue;
    }
    let decay = -wexp(rate[h]);
    var sum = 0.0;
    if (p.skip > 0u) { // the call before this one had the steps before
      sum = parts[i];
    }
    for (var r = first; r < min(end, first + p.steps); r++) {
      let g = 4u * r * p.H + h;
      let dsoft = decay * gates[g] * dgates[2u * r * p.H + h];
      let beta = gates[g + p.H];
      sum += dsoft * softplus(a[r * p.H + h]);
      da[r * p.H + h] = dsoft * sigmoid(a[r * p.H + h]);
      db[r * p.H + h] = dgates[(2u * r + 1u) * p.H + h] * beta * (1.0 - beta / p.scale);
    }
    if (p.skip == 0u) {
      da[end * p.H + h] = 0.0;
      db[end * p.H + h] = 0.0;
    }
    parts[i] = sum;
  }
}
