// Turns a linear index into a place in src and dst, dimension by dimension. Division by the extent gives the index
// in the dimension (remainder) and the linear index over the remaining dimensions (quotient). `src/kernel/walk.rs` is
// the host's half.
//
// Provides: Walk, Place, RANK, walk, start, first_dimension, second_dimension, other_dimensions
// Needs: params, divide, TURNS
struct Dim {
    extent: u32,     // 1 beyond the rank
    src_stride: u32, // modulo 2^32, in elements
    dst_stride: u32,
    multiplier: u32, // with the shift of the same dimension, divides by the extent
}

struct Walk {
    dims: array<Dim, 8>,         // in the order of the walk
    shifts: array<vec4<u32>, 2>, // the shifts that go with the multipliers
    count: u32,      // linear indices: one per invocation, per run, or per workgroup of squares
    src_start: u32,  // the place of index 0 in src
    dst_start: u32,
    grid_width: u32, // workgroups along x
    channel_dim: u32,   // the dimension of channels; 2^32 - 1 if none
    first_channel: u32, // the channel of index 0
    turn_dim: u32,      // the dimension of which an invocation takes TURNS indices
    turn_extent: u32,   // all indices of this dimension
    turn_src: u32,      // strides from one of them to the next
    turn_dst: u32,
    @size(8) turn_channel: u32, // 1 if it is the dimension of channels, else 0
}

// The number of dimensions to walk: 0, 1, 2, 4 or 8; later ones have extent 1. It is a constant, because a branch on a
// uniform may cost as much as the code that the branch skips.
override RANK: u32 = 8u;

struct Place {
    inside: bool,   // whether the index is below the count
    turns: u32,     // indices that are left in the dimension of turns
    remaining: u32, // the linear index over the remaining dimensions
    index: u32,     // the index in the first dimension
    src: u32,       // in elements
    dst: u32,
    channel: u32,   // the index in the dimension of channels; 0 if the walk lacks it
}

// The place at index `i` of dimension `d`, from `at` on.
fn along(at: Place, d: u32, i: u32, remaining: u32, dim: Dim) -> Place {
    let w = params.geometry.walk;
    var next = at;
    next.remaining = remaining;
    next.src += i * dim.src_stride;
    next.dst += i * dim.dst_stride;
    if d == 0u {
        next.index = i;
    }
    if TURNS == 1u {
        next.channel = select(at.channel, i, w.channel_dim == d);
    } else {
        // The dimension of turns counts groups of TURNS indices.
        let turned = w.turn_dim == d;
        next.channel = select(at.channel, select(i, i * TURNS, turned), w.channel_dim == d);
        next.turns = select(at.turns, w.turn_extent - i * TURNS, turned);
    }
    return next;
}

fn advance(at: Place, d: u32, dim: Dim, shift: u32) -> Place {
    let remaining = divide(at.remaining, dim.multiplier, shift);
    return along(at, d, at.remaining - remaining * dim.extent, remaining, dim);
}

fn start(linear_index: u32) -> Place {
    let w = params.geometry.walk;
    return Place(linear_index < w.count, 1u, linear_index, 0u, w.src_start, w.dst_start, 0u);
}

fn first_dimension(at: Place) -> Place {
    if RANK == 1u {
        return along(at, 0u, at.remaining, 0u, params.geometry.walk.dims[0]);
    }
    return advance(at, 0u, params.geometry.walk.dims[0], params.geometry.walk.shifts[0].x);
}

fn second_dimension(at: Place) -> Place {
    return advance(at, 1u, params.geometry.walk.dims[1], params.geometry.walk.shifts[0].y);
}

// Unrolled by hand: a dynamic index costs more than the branches.
fn other_dimensions(second: Place) -> Place {
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

// Walks all dimensions.
fn walk(linear_index: u32) -> Place {
    let begin = start(linear_index);
    if RANK == 0u {
        return begin;
    }
    let first = first_dimension(begin);
    if RANK == 1u {
        return first;
    }
    return other_dimensions(second_dimension(first));
}
