// The linear index of a workgroup in a grid of two dimensions.
//
// Provides: WORKGROUP_SIZE, ADJACENT, workgroup_index
//
// Invocations in a workgroup, along x.
const WORKGROUP_SIZE: u32 = 256u;

// Whether an invocation takes adjacent packets, which suits CPUs: a thread runs a workgroup's invocations in sequence.
// Otherwise neighbouring invocations take adjacent packets, which suits GPUs.
override ADJACENT: bool = false;

fn workgroup_index(workgroup: vec3<u32>, grid_width: u32) -> u32 {
    return workgroup.y * grid_width + workgroup.x;
}
