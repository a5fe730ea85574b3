// The backward pass of activate_forward (SPEC §13): DX = DY ⊙ f′(X), and where p.times DX = DY ⊙ Times ⊙ f′(X) and
// DTimes = DY ⊙ f(X).
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.
#import "shared/activate.wgsl"

const W : u32 = 64u;

#params n, f, times : u32
#write dx, dtimes : E
#read dy, x, times : E

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.n; i += groups.x * W) {
    let a = activated(p.f, x[i]);
    var d = dy[i] * a.slope;
    if (p.times != 0u) {
      d *= times[i];
      dtimes[i] = dy[i] * a.y;
    }
    dx[i] = d;
  }
}
