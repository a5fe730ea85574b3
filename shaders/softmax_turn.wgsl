// Positions for the softmax attention (SPEC §13): in each head of queries, or keys, every pair (c, c + d/2) is turned
// by its position's angle, or with p.back by the opposite one, in place. Turn [positions, d] has the pairs' cosines
// and then their sines.
//
// Workgroups (x, y) have sequence p.lo + y: an invocation takes every pair whose number is its own modulo all
// invocations in x. No barriers.

const W : u32 = 64u;

#params start, end : u32 // where in ints it stands where each sequence begins and ends
#params lo, N, d, back : u32
#write x : f32 // [rows, N]
#read turn : f32
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(num_workgroups) groups : vec3u,
  @builtin(local_invocation_index) lane : u32) {
  let first = u32(ints[p.start + p.lo + group.y]);
  let steps = u32(ints[p.end + p.lo + group.y]) - first;
  let half = p.d / 2u;
  let pairs = p.N / 2u;
  for (var i = group.x * W + lane; i < steps * pairs; i += groups.x * W) {
    let t = i / pairs;
    let pair = i % pairs;
    let c = pair % half;
    let at = (first + t) * p.N + pair / half * p.d + c;
    let cosine = turn[t * p.d + c];
    var sine = turn[t * p.d + half + c];
    if (p.back != 0u) {
      sine = -sine;
    }
    let a = x[at];
    let b = x[at + half];
    x[at] = cosine * a - sine * b;
    x[at + half] = cosine * b + sine * a;
  }
}
