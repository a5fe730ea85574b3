// Drive[m] = In[m] | DeltaU[m] | Rot[m] (theta token) or Pre[m] (theta state): what a step reads of its drive row, side by
// side in one binding. Drive [M, 5N], In and Rot [M, 2N], DeltaU and Pre [M, N].
//
// Any number of workgroups: an invocation takes every element whose number is its own modulo all invocations. No
// barriers.

const W : u32 = 64u;

struct Params {
  M : u32,
  N : u32,
  state_theta : u32,
}

@group(0) @binding(0) var<uniform> p : Params;
@group(0) @binding(1) var<storage, read_write> drive : array<f32>;
@group(0) @binding(2) var<storage, read> input : array<f32>;
@group(0) @binding(3) var<storage, read> delta : array<f32>;
@group(0) @binding(4) var<storage, read> angle : array<f32>;

@compute @workgroup_size(W)
fn main(@builtin(global_invocation_id) id : vec3u, @builtin(num_workgroups) groups : vec3u) {
  for (var i = id.x; i < p.M * p.N; i += groups.x * W) {
    let m = i / p.N;
    let n = i % p.N;
    let to = m * 5u * p.N + n;
    let re = m * 2u * p.N + n;
    drive[to] = input[re];
    drive[to + p.N] = input[re + p.N];
    drive[to + 2u * p.N] = delta[i];
    if (p.state_theta != 0u) {
      drive[to + 3u * p.N] = angle[i];
    } else {
      drive[to + 3u * p.N] = angle[re];
      drive[to + 4u * p.N] = angle[re + p.N];
    }
  }
}
