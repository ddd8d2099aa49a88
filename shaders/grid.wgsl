// Workgroups, and the linear index of one in a grid that is folded into two dimensions.
//
// Provides: WORKGROUP_SIZE, ADJACENT, workgroup_index
//
// Invocations in a workgroup, along x.
const WORKGROUP_SIZE: u32 = 256u;

// Whether the packets of an invocation lie next to each other: better where a thread runs the invocations of a
// workgroup one after the other. Otherwise neighbouring invocations take neighbouring packets, as GPUs want it.
override ADJACENT: bool = false;

fn workgroup_index(workgroup: vec3<u32>, grid_width: u32) -> u32 {
    return workgroup.y * grid_width + workgroup.x;
}
