// From the number of an invocation to a place in src and dst: what every kernel but the contiguous one begins with.
struct Geometry {
    // Per dimension, the innermost first: extent, src stride, dst stride (modulo 2^32), and the factor that divides
    // by the extent. Beyond the rank the extent is 1. Strides and starts count elements, for `transposed` packets.
    dims: array<vec4<u32>, 8>,
    shifts: array<vec4<u32>, 2>, // the shifts that go with the factors
    edge_shift: u32,  // 2^edge_shift invocations of `row_edges` per row
    count: u32,       // invocations, for `transposed` workgroups
    src_start: u32,   // where index 0 lies in src
    dst_start: u32,
    row: u32,         // workgroups in a row of the grid
    rows: u32,        // rows that `row_edges` looks at; some may be outside
    lines: u32,       // the first dimension's extent where an invocation takes several of its lines
    length: u32,      // elements in a row
    src_step: u32,    // src stride along a row
    src_packets: u32, // whole packets in the binding of src
    edge_row: u32,    // workgroups in a row of the grid of `row_edges`
    last_src: u32,    // of `row_last`: the row that reaches furthest in src
    last_dst: u32,
    repeats: u32,     // of `rows` that are repeated: rows of dst per invocation
    repeated_rows: u32, // how many there are
    repeat_pitch: u32, // packets from one to the next
    word_mask: u32,   // of `spread`: the bits of a word of dst that change
    word_shift: u32,  // how far a line in src lies below them
    // Of `transposed`:
    squares_along_src: u32, // along src's fastest dimension
    squares_along_dst: u32,
    src_pitch: u32,   // src stride along dst's fastest dimension
    dst_pitch: u32,   // dst stride along src's
}

// No dimension from this one on has an extent above 1: 1, 2, 4 or 8. A constant for the driver to fold, since a branch
// on a number of the block may cost as much as what it skips.
override RANK: u32 = 8u;

// What the first dimension counts: steps along a row, or the lines (rows or elements) themselves, LINES of them at a
// time.
override IN_STEPS: bool = false;

// Lines that an invocation takes, 1, 4 or 8, so that they share what finding the first one costs.
override LINES: u32 = 1u;

struct Place {
    rest: u32, // the number in the dimensions to come
    step: u32, // the index in the last one
    src: u32,
    dst: u32,
    inside: bool, // whether there is such a line
}

// The upper word of a * b.
fn multiply_high(a: u32, b: u32) -> u32 {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let middle = a1 * b0 + ((a0 * b0) >> 16u); // at most 2^32 - 2^16
    let cross = a0 * b1 + (middle & 0xffffu);
    return a1 * b1 + (middle >> 16u) + (cross >> 16u);
}

// `rest` is below 2^31: the host has chosen factor and shift so that the quotient is exact.
fn advance(at: Place, dim: vec4<u32>, shift: u32) -> Place {
    let rest = multiply_high(at.rest << 1u, dim.w) >> (shift & 31u);
    let i = at.rest - rest * dim.x;
    return Place(rest, i, at.src + i * dim.y, at.dst + i * dim.z, at.inside);
}

fn start(number: u32) -> Place {
    return Place(number, 0u, params.geometry.src_start, params.geometry.dst_start, true);
}

fn first_dimension(at: Place) -> Place {
    return advance(at, params.geometry.dims[0], params.geometry.shifts[0].x);
}

fn second_dimension(at: Place) -> Place {
    return advance(at, params.geometry.dims[1], params.geometry.shifts[0].y);
}

// Unrolled: naga's loops are not, and a dynamic index costs more than the branches.
fn other_dimensions(place: Place) -> Place {
    var at = place;
    if RANK > 2u {
        at = advance(at, params.geometry.dims[2], params.geometry.shifts[0].z);
        at = advance(at, params.geometry.dims[3], params.geometry.shifts[0].w);
    }
    if RANK > 4u {
        at = advance(at, params.geometry.dims[4], params.geometry.shifts[1].x);
        at = advance(at, params.geometry.dims[5], params.geometry.shifts[1].y);
        at = advance(at, params.geometry.dims[6], params.geometry.shifts[1].z);
        at = advance(at, params.geometry.dims[7], params.geometry.shifts[1].w);
    }
    return at;
}

// All dimensions; `step` is the index in the first.
fn walk(number: u32) -> Place {
    let first = first_dimension(start(number));
    var at = first;
    if RANK > 1u {
        at = other_dimensions(second_dimension(first));
    }
    return Place(0u, first.step, at.src, at.dst, true);
}

// The `j`-th line of an invocation that begins at `at`: neighbours, or as many lines apart as there are invocations, so
// that neighbouring invocations take neighbouring lines.
fn line(at: Place, j: u32) -> Place {
    let apart = select(params.geometry.dims[0].x, 1u, ADJACENT);
    let ahead = j * apart + select(0u, at.step * (LINES - 1u), ADJACENT);
    let src = at.src + ahead * params.geometry.dims[0].y;
    let dst = at.dst + ahead * params.geometry.dims[0].z;
    return Place(0u, 0u, src, dst, at.step + ahead < params.geometry.lines);
}

// The start of a row.
fn row_start(row: u32) -> Place {
    if IN_STEPS {
        let at = start(row);
        if RANK > 1u {
            return other_dimensions(second_dimension(at));
        }
        return at;
    }
    // LINES is a power of two.
    return line(walk(row / LINES), row % LINES);
}

fn workgroup_number(workgroup: vec3<u32>) -> u32 {
    return workgroup.y * params.geometry.row + workgroup.x;
}
