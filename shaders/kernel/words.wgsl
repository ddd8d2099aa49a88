// Rows of 8- or 16-bit elements without gaps in dst, or single ones at one place in their words: word by word of dst.
//
// Provides: Geometry, WORDS, words
// Needs: params, WORKGROUP_SIZE, workgroup_index, Walk, Position, walk, ITEMS, SPLIT_ROWS, item, Row, LANES, row_unit
struct Geometry {
    walk: Walk,
    row: Row,
}

// Words of a row that an invocation takes: 1, 2 or 4.
override WORDS: u32 = 1u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn words(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.walk.grid_width) * WORKGROUP_SIZE + invocation;
    if index >= params.geometry.walk.count {
        return;
    }
    let at = walk(index);
    if SPLIT_ROWS {
        take_word(at, at.index);
        return;
    }
    for (var j = 0u; j < ITEMS; j++) {
        take_words(item(at, j));
    }
}

fn take_words(at: Position) {
    take_word(at, 0u);
    if WORDS > 1u {
        take_word(at, 1u);
    }
    if WORDS > 2u {
        take_word(at, 2u);
        take_word(at, 3u);
    }
}

fn take_word(at: Position, i: u32) {
    let unit = at.dst / LANES + i;
    if at.inside && unit * LANES < at.dst + params.geometry.row.length {
        row_unit(at, unit);
    }
}
