// What the steps of a recurrence (SPEC §2) read in addition to the state, in one piece: first what the state is
// multiplied with, so that neighbouring units lie side by side, Out[c, n] = WDelta[n, c]; from element p.delta on
// (theta state and product) the same of WTheta for n < turn, 0 behind; and zeros where p leaves room behind either.
// Then, each from where p says, In [M, 2N], DeltaU [M, N] and one of Rot [M, 2N], Pre [M, N] and Steer [turn]. What
// they read backwards too, with p.plain: WDelta and WTheta as they are, then Alpha, Inv and Rot or Theta. With theta
// product tanh(Pre) comes last, both ways. N is a multiple of four.
//
// Any number of workgroups: an invocation takes elements whose number is its own modulo all invocations. No barriers.
#import "shared/math.wgsl"

const W : u32 = 64u;

#params weights, delta : u32 // elements; of them for WDelta
#params plain, N, turn : u32
#params count0, count1, count2, tokens : u32 // elements of the four others
#params at0, at1, at2, token : u32 // where they go
#write out : f32
#read wdelta, wtheta, source0, source1, source2, pre : f32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  let stride = groups.x * W;
  for (var i = id.x; i < p.weights; i += stride) {
    let theta = i >= p.delta;
    let k = select(i, i - p.delta, theta);
    let n = k % p.N;
    let c = k / p.N;
    var x = 0.0;
    if (p.plain != 0u) {
      if (!theta && c < 2u * p.N) {
        x = wdelta[k];
      } else if (theta && c < 2u * p.turn) {
        x = wtheta[k];
      }
    } else if (c < 2u * p.N) {
      if (!theta) {
        x = wdelta[n * 2u * p.N + c];
      } else if (n < p.turn) {
        x = wtheta[n * 2u * p.N + c];
      }
    }
    out[i] = x;
  }
#each k 3
  for (var i = id.x; i < p.count$k; i += stride) {
    out[p.at$k + i] = source$k[i];
  }
#end
  for (var i = id.x; i < p.tokens; i += stride) {
    out[p.token + i] = wtanh(pre[i]);
  }
}
