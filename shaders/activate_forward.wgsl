// Y = f(X), or Y = f(X) ⊙ Times where p.times; Y gains it where p.add (SPEC §13).
#import "shared/each.wgsl"
#import "shared/activate.wgsl"

#params n, f, times, add : u32
#write y : E
#read x, times : E

fn count() -> u32 { return p.n; }

fn each(i : u32) {
  var out = activated(p.f, x[i]).y;
  if (p.times != 0u) {
    out *= times[i];
  }
  if (p.add != 0u) {
    out += y[i];
  }
  y[i] = out;
}
