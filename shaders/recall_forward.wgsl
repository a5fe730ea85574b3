// Out[p] = Gate[Token[p]] ⊙ State[Row[p]] (SPEC §2, memory: ζ). Out [P, 2N], Gate [V, N].
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/element.wgsl"

const W : u32 = 64u;

#params P, N, row, token : u32
#write out : E
#read state, gate : E
#read ints : i32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.P * p.N; i += groups.x * W) {
    let n = i % p.N;
    let re = (i / p.N) * 2u * p.N + n;
    let at = u32(ints[p.row + i / p.N]) * 2u * p.N + n;
    let g = gate[u32(ints[p.token + i / p.N]) * p.N + n];
    out[re] = g * state[at];
    out[re + p.N] = g * state[at + p.N];
  }
}
