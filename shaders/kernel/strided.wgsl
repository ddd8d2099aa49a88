// Any layouts: elements one by one, several along the first dimension per invocation.
//
// Provides: Geometry, strided
// Needs: params, WORKGROUP_SIZE, workgroup_index, Walk, walk, ITEMS, item, take_element
struct Geometry {
    walk: Walk,
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn strided(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.walk.grid_width) * WORKGROUP_SIZE + invocation;
    if index >= params.geometry.walk.count {
        return;
    }
    let at = walk(index);
    for (var j = 0u; j < ITEMS; j++) {
        take_element(item(at, j));
    }
}
