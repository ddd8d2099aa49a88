// Any layouts: one element per invocation.
@compute @workgroup_size(WORKGROUP_SIZE)
fn strided(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = workgroup_number(workgroup) * WORKGROUP_SIZE + invocation;
    if number >= params.geometry.count {
        return;
    }
    let at = walk(number);
    store_dst(at.dst, element(load_src(at.src)));
}
