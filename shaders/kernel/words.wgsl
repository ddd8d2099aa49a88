// Rows of 8- or 16-bit elements without gaps in dst, or single ones at one place in their words: one word of dst per
// invocation.
@compute @workgroup_size(WORKGROUP_SIZE)
fn rows_by_word(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = workgroup_number(workgroup) * WORKGROUP_SIZE + invocation;
    if number >= params.geometry.count {
        return;
    }
    let at = walk(number);
    let unit = at.dst / LANES + at.step;
    if unit * LANES < at.dst + params.geometry.length {
        row_unit(at, unit);
    }
}
