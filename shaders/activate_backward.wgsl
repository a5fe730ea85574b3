// The backward pass of activate_forward (SPEC §13): DX = DY ⊙ f′(X), and where p.times DX = DY ⊙ Times ⊙ f′(X) and
// DTimes = DY ⊙ f(X).
#import "shared/each.wgsl"
#import "shared/activate.wgsl"

#params n, f, times : u32
#write dx, dtimes : E
#read dy, x, times : E

fn count() -> u32 { return p.n; }

fn each(i : u32) {
  let a = activated(p.f, x[i]);
  var d = dy[i] * a.slope;
  if (p.times != 0u) {
    d *= times[i];
    dtimes[i] = dy[i] * a.y;
  }
  dx[i] = d;
}
