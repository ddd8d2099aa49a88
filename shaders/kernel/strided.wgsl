// Any layouts: elements one by one, several along the first dimension per invocation.
//
// Provides: Geometry, strided
// Needs: params, set_channel, WORKGROUP_SIZE, workgroup_index, Walk, Position, walk, ITEMS, item, load_src, element, store_dst
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

fn take_element(at: Position) {
    if at.inside {
        set_channel(at.channel);
        store_dst(at.dst, element(load_src(at.src)));
    }
}
