// The linear index of a workgroup in a grid that is folded into two dimensions.
//
// Provides: workgroup_index
fn workgroup_index(workgroup: vec3<u32>, grid_width: u32) -> u32 {
    return workgroup.y * grid_width + workgroup.x;
}
