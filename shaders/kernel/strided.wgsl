// Any layouts: elements one by one, several along the first dimension per invocation.
@compute @workgroup_size(WORKGROUP_SIZE)
fn strided(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = workgroup_number(workgroup) * WORKGROUP_SIZE + invocation;
    if number >= params.geometry.count {
        return;
    }
    let at = walk(number);
    for (var j = 0u; j < LINES; j++) {
        take_element(line(at, j));
    }
}

fn take_element(at: Place) {
    if at.inside {
        store_dst(at.dst, element(load_src(at.src)));
    }
}
