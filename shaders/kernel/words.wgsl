// Rows of 8- or 16-bit elements without gaps in dst, or single ones at one place in their words: word by word of dst.
@compute @workgroup_size(WORKGROUP_SIZE)
fn rows_by_word(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = workgroup_number(workgroup) * WORKGROUP_SIZE + invocation;
    if number >= params.geometry.count {
        return;
    }
    let at = walk(number);
    if IN_STEPS {
        take_word(at);
        return;
    }
    take_word(line(at, 0u));
    if LINES > 1u {
        take_word(line(at, 1u));
        take_word(line(at, 2u));
        take_word(line(at, 3u));
    }
}

fn take_word(at: Place) {
    let unit = at.dst / LANES + at.step;
    if at.inside && unit * LANES < at.dst + params.geometry.length {
        row_unit(at, unit);
    }
}
