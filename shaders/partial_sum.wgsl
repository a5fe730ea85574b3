// Out[to + i] (+)= Σ_c Part[from + c·n + i] for i < n: so for each of several jobs, whose places do not overlap. One
// invocation sums one element: every fourth part in order, so that four reads are under way, then the four sums.
#import "shared/each.wgsl"

const MOST : u32 = 12u;

#params jobs : array<vec4u, MOST> // from, to, n, parts
#params total, add : u32 // total: elements of all jobs
#write out : f32
#read part : f32

fn count() -> u32 { return p.total; }

fn each(e : u32) {
  var i = e;
  var j = 0u;
  while (i >= p.jobs[j].z) {
    i -= p.jobs[j].z;
    j++;
  }
  let job = p.jobs[j];
  var four = vec4f(0.0);
  var at = job.x + i;
  for (var c = 0u; c + 4u <= job.w; c += 4u) {
    four += vec4f(part[at], part[at + job.z], part[at + 2u * job.z], part[at + 3u * job.z]);
    at += 4u * job.z;
  }
  var sum = four.x + four.y + (four.z + four.w);
  for (var c = 0u; c < job.w % 4u; c++) {
    sum += part[at + c * job.z];
  }
  if (p.add != 0u) {
    sum += out[job.y + i];
  }
  out[job.y + i] = sum;
}
