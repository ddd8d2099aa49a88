// Rows of 8- or 16-bit elements without gaps in dst, or single ones at one place in their words: word by word of dst.

// Words of a line that an invocation takes: 1, 2 or 4.
override UNITS: u32 = 1u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn rows_by_word(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = workgroup_number(workgroup) * WORKGROUP_SIZE + invocation;
    if number >= params.geometry.count {
        return;
    }
    let at = walk(number);
    if IN_STEPS {
        take_word(at, at.step);
        return;
    }
    for (var j = 0u; j < LINES; j++) {
        take_words(line(at, j));
    }
}

fn take_words(at: Place) {
    take_word(at, 0u);
    if UNITS > 1u {
        take_word(at, 1u);
    }
    if UNITS > 2u {
        take_word(at, 2u);
        take_word(at, 3u);
    }
}

fn take_word(at: Place, i: u32) {
    let unit = at.dst / LANES + i;
    if at.inside && unit * LANES < at.dst + params.geometry.length {
        row_unit(at, unit);
    }
}
