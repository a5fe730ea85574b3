// Teams of TEAM invocations. A workgroup of W has TEAMS of them, and each does the same work for another head at the
// same time, so that a sum does not depend on W. The file that imports this declares const W : u32, a multiple of TEAM.
//
// Every invocation calls together, from uniform control flow; all of a team get its result. The barriers: after each
// has stored its number, after each halving, and before the store may be used again.

const TEAM : u32 = 64u;
const TEAMS : u32 = W / TEAM;

var<workgroup> teamBox : array<f32, W>;

fn teamSum(lane : u32, x : f32) -> f32 {
  teamBox[lane] = x;
  workgroupBarrier();
  for (var step = TEAM / 2u; step > 0u; step = step / 2u) {
    if (lane % TEAM < step) {
      teamBox[lane] = teamBox[lane] + teamBox[lane + step];
    }
    workgroupBarrier();
  }
  let r = teamBox[lane / TEAM * TEAM];
  workgroupBarrier();
  return r;
}

fn teamMax(lane : u32, x : f32) -> f32 {
  teamBox[lane] = x;
  workgroupBarrier();
  for (var step = TEAM / 2u; step > 0u; step = step / 2u) {
    if (lane % TEAM < step) {
      teamBox[lane] = max(teamBox[lane], teamBox[lane + step]);
    }
    workgroupBarrier();
  }
  let r = teamBox[lane / TEAM * TEAM];
  workgroupBarrier();
  return r;
}
