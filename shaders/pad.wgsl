// Out (+)= In where both reach, zeros elsewhere: Out [M, Width], In [Rows, N]. Rows of a whole number of quads can be
// read four numbers at a time; rows of a layer's own width come back.
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

#params M, width, rows, N, add : u32
#write out : f32
#read source : f32

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.width; i += groups.x * W) {
    let m = i / p.width;
    let n = i % p.width;
    var x = 0.0;
    if (m < p.rows && n < p.N) {
      x = source[m * p.N + n];
    }
    if (p.add != 0u) {
      x += out[i];
    }
    out[i] = x;
  }
}
