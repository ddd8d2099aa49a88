// Turns a linear index into a position in src and dst, dimension by dimension. Division by the extent gives the index
// in the dimension (remainder) and the linear index over the remaining dimensions (quotient). `src/kernel/walk.rs` is
// the host's half.
//
// Provides: Walk, Position, RANK, walk, start, first_dimension, second_dimension, other_dimensions, channel_along
// Needs: params, divide
struct Dim {
    extent: u32,     // 1 beyond the rank
    src_stride: u32, // modulo 2^32, in elements
    dst_stride: u32,
    multiplier: u32, // with the shift of the same dimension, divides by the extent
}

struct Walk {
    dims: array<Dim, 8>,         // in the order of the walk
    shifts: array<vec4<u32>, 2>, // the shifts that go with the multipliers
    count: u32,      // linear indices: one per invocation, or per workgroup of squares
    src_start: u32,  // the position of index 0 in src
    dst_start: u32,
    grid_width: u32, // workgroups along x
    channel_dim: u32,   // the dimension of channels; 2^32 - 1 if none
    first_channel: u32, // the channel of index 0
}

// The number of dimensions to walk: 1, 2, 4 or 8; later ones have extent 1. It is a constant, because a branch on a
// uniform may cost as much as the code that the branch skips.
override RANK: u32 = 8u;

struct Position {
    remaining: u32, // the linear index over the remaining dimensions
    index: u32,     // the index in the dimension walked last
    src: u32,
    dst: u32,
    channel: u32,
}

fn advance(at: Position, d: u32, dim: Dim, shift: u32) -> Position {
    let remaining = divide(at.remaining, dim.multiplier, shift);
    let i = at.remaining - remaining * dim.extent;
    let channel = channel_along(at, d, i);
    return Position(remaining, i, at.src + i * dim.src_stride, at.dst + i * dim.dst_stride, channel);
}

// The channel at index `i` if `d` is the dimension of channels, else the channel of `at`.
fn channel_along(at: Position, d: u32, i: u32) -> u32 {
    return select(at.channel, params.geometry.walk.first_channel + i, params.geometry.walk.channel_dim == d);
}

fn start(linear_index: u32) -> Position {
    let w = params.geometry.walk;
    return Position(linear_index, 0u, w.src_start, w.dst_start, w.first_channel);
}

fn first_dimension(at: Position) -> Position {
    if RANK == 1u {
        let dim = params.geometry.walk.dims[0];
        let i = at.remaining;
        return Position(0u, i, at.src + i * dim.src_stride, at.dst + i * dim.dst_stride, channel_along(at, 0u, i));
    }
    return advance(at, 0u, params.geometry.walk.dims[0], params.geometry.walk.shifts[0].x);
}

fn second_dimension(at: Position) -> Position {
    return advance(at, 1u, params.geometry.walk.dims[1], params.geometry.walk.shifts[0].y);
}

// Unrolled by hand: a dynamic index costs more than the branches.
fn other_dimensions(second: Position) -> Position {
    var at = second;
    if RANK > 2u {
        at = advance(at, 2u, params.geometry.walk.dims[2], params.geometry.walk.shifts[0].z);
        at = advance(at, 3u, params.geometry.walk.dims[3], params.geometry.walk.shifts[0].w);
    }
    if RANK > 4u {
        at = advance(at, 4u, params.geometry.walk.dims[4], params.geometry.walk.shifts[1].x);
        at = advance(at, 5u, params.geometry.walk.dims[5], params.geometry.walk.shifts[1].y);
        at = advance(at, 6u, params.geometry.walk.dims[6], params.geometry.walk.shifts[1].z);
        at = advance(at, 7u, params.geometry.walk.dims[7], params.geometry.walk.shifts[1].w);
    }
    return at;
}

// Walks all dimensions. In the result, `index` is the index in the first dimension.
fn walk(linear_index: u32) -> Position {
    let first = first_dimension(start(linear_index));
    var at = first;
    if RANK > 1u {
        at = other_dimensions(second_dimension(first));
    }
    return Position(0u, first.index, at.src, at.dst, at.channel);
}
