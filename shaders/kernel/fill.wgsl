// Rows without gaps in dst of one element of src each: two packets of dst per invocation, `row_edges` takes what is
// left.
@compute @workgroup_size(WORKGROUP_SIZE)
fn fill(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = workgroup_number(workgroup) * WORKGROUP_SIZE + invocation;
    if number >= params.geometry.count {
        return;
    }
    let at = walk(number);
    let whole = whole_packets(at);
    let dst = whole.x + at.step * PACKETS_PER_STEP;
    if dst >= whole.y {
        return;
    }
    let x = splat(element(load_src(at.src)));
    store_dst_packet(dst, x);
    if dst + 1u < whole.y {
        store_dst_packet(dst + 1u, x);
    }
}

const PACKETS_PER_STEP: u32 = 2u;
