// Sums by list, in order and without atomics: sum m, c = Σ term(i, c) over the items i of list m, for c < columns.
// The file that imports this declares
//
//   items(m)         where list m begins and ends,
//   term(i, c)       what item i brings to column c,
//   gain(m, c, sum)  which adds the sum to its place.
//
// A call covers the items of each list from `skip` on, `most` of them.
//
// Workgroup (x, y) owns the columns COLUMNS·x … of every list whose number is y modulo their rows. An invocation sums
// one column over every SLICES-th item, in order; it reads four at a time as long as there are four.
// Barriers: in slicesSum; which lists a workgroup has is the same for all of it.
#import "shared/element.wgsl"
#import "shared/slices.wgsl"

alias S = E;

#params first, items : u32 // where in ints it stands where each list begins, and where the lists lie
#params row : u32 // a term's own: where in ints an index lies, or where row 0 begins
#params lists, columns, skip, most : u32

@compute @workgroup_size(W)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(num_workgroups) groups : vec3u,
  @builtin(local_invocation_index) lane : u32) {
  let c = group.x * COLUMNS + lane % COLUMNS;
  let own = min(c, p.columns - 1u);
  let slice = lane / COLUMNS;
  for (var m = group.y; m < p.lists; m += groups.y) {
    let range = items(m);
    let begin = range.x + p.skip;
    let end = min(range.y, begin + p.most);
    var part = E(0.0);
    var i = begin + slice;
    for (; i + 3u * SLICES < end; i += 4u * SLICES) {
#each n 4
      let x$n = term(i + $nu * SLICES, own);
#end
#each n 4
      part += x$n;
#end
    }
    for (; i < end; i += SLICES) {
      part += term(i, own);
    }
    let sum = slicesSum(lane, part);
    if (slice == 0u && c < p.columns) {
      gain(m, c, sum);
    }
  }
}
