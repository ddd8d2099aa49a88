// Any layouts. A unit is a word of dst, or a larger element; its elements are loaded one by one. A row is one element
// or several adjacent ones in dst. An invocation takes some units of a long row, or some short rows.
//
// Provides: Geometry, LONG_ROWS, SRC_IN_ROWS, gather
// Needs: params, WORKGROUP_SIZE, workgroup_index, Walk, Position, channel_along, walk, Row, LANES, row_unit
struct Geometry {
    walk: Walk, // its first dimension counts invocations: along a long row, or across short rows
    row: Row,
    @size(16) rows: u32, // short rows along the first dimension
}

// The most units of a row per invocation.
const UNITS: u32 = 4u;

// Whether an invocation takes a part of one row instead of whole rows.
override LONG_ROWS: bool = false;

// Whether rows are contiguous in src too, with elements of the same size.
override SRC_IN_ROWS: bool = false;

@compute @workgroup_size(WORKGROUP_SIZE)
fn gather(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.walk.grid_width) * WORKGROUP_SIZE + invocation;
    if index >= params.geometry.walk.count {
        return;
    }
    let at = walk(index);
    if LONG_ROWS {
        take_units(at, at.index * UNITS);
        return;
    }
    // Neighbouring invocations take neighbouring rows.
    let first = params.geometry.walk.dims[0];
    for (var row = at.index; row < params.geometry.rows; row += first.extent) {
        let ahead = row - at.index;
        let channel = channel_along(at, 0u, row);
        take_units(Position(0u, row, at.src + ahead * first.src_stride, at.dst + ahead * first.dst_stride, channel), 0u);
    }
}

// Takes up to UNITS units of a row; leaves out the row's first `skip` units.
fn take_units(at: Position, skip: u32) {
    let row = params.geometry.row;
    let first = at.dst / LANES + skip;
    let end = min(first + UNITS, (at.dst + row.length + (LANES - 1u)) / LANES);
    for (var unit = first; unit < end; unit++) {
        row_unit(at, row, unit);
    }
}
