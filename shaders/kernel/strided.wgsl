// Any layouts: elements one by one, several along the first dimension per invocation.
@compute @workgroup_size(WORKGROUP_SIZE)
fn strided(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = workgroup_number(workgroup) * WORKGROUP_SIZE + invocation;
    if number >= params.geometry.count {
        return;
    }
    let at = walk(number);
    take_element(line(at, 0u));
    if LINES > 1u {
        take_element(line(at, 1u));
        take_element(line(at, 2u));
        take_element(line(at, 3u));
    }
}

fn take_element(at: Place) {
    if at.inside {
        store_dst(at.dst, element(load_src(at.src)));
    }
}
