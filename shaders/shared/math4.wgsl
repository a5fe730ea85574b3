// Four units side by side: the elementary functions and complex numbers of shared/math.wgsl and shared/complex.wgsl.
#import "shared/math.wgsl"
#import "shared/complex.wgsl"

fn wtanh4(x : vec4f) -> vec4f { return vec4f(wtanh(x.x), wtanh(x.y), wtanh(x.z), wtanh(x.w)); }

// Complex4 is four complex numbers.
struct Complex4 {
  re : vec4f,
  im : vec4f,
}

fn cis4(x : vec4f) -> Complex4 {
  let a = cis(x.x);
  let b = cis(x.y);
  let c = cis(x.z);
  let d = cis(x.w);
  return Complex4(vec4f(a.x, b.x, c.x, d.x), vec4f(a.y, b.y, c.y, d.y));
}
