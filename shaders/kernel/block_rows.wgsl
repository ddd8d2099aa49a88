// Rows of dst that begin anywhere. An invocation takes some whole packets of a row; `block_edges` takes the elements
// beside them. The first dimension of the walk counts the invocations of a row. In the geometry,
// - `blocks.x` is the elements of a row, `blocks.y` their stride in src, `blocks.w` the number of rows;
// - `blocks.z` is how many elements lie in whole packets of src's binding (2^32 - 1 without `across`);
// - `steps.x` is the workgroups of `block_edges` along x.
//
// Provides: place_in_row, row_packet, source_distance, source_packet, source_shift, last_source_packet, block_edges
// Needs: params, WORKGROUP_SIZE, IN_SEQUENCE, workgroup_index, Position, RANK, walk, start, second_dimension,
//     other_dimensions, Place, Row, DST_BYTES, UNIT_BYTES, LANES, row_unit
const PACKET_BYTES: u32 = 16u;

// Invocations of `block_edges` per row.
const EDGE_INVOCATIONS: u32 = 8u;

// x: a row's first whole packet in dst; y: behind the last one whose source lies in whole packets of src.
fn whole_packets(at: Position) -> vec2<u32> {
    let rows = params.geometry.blocks;
    let first = (at.dst * DST_BYTES + (PACKET_BYTES - 1u)) / PACKET_BYTES;
    // A row that begins behind the whole packets of src is shorter than a packet: the host asserts it. The difference then wraps,
    // and no packet of dst is whole.
    let length = min(rows.x, rows.z - at.src);
    return vec2<u32>(first, max(first, (at.dst + length) * DST_BYTES / PACKET_BYTES));
}

// The start of a row. In the result, `x` is the invocation's first packet of dst, `y` the `y` of `whole_packets`.
fn place_in_row(workgroup: vec3<u32>, invocation: u32, packets: u32) -> Place {
    let w = params.geometry.walk;
    let index = workgroup_index(workgroup, w.grid_width) * WORKGROUP_SIZE + invocation;
    let at = walk(index);
    let whole = whole_packets(at);
    let first = whole.x + at.index * select(1u, packets, IN_SEQUENCE);
    return Place(index < w.count && first < whole.y, at.src, at.dst, at.channel - w.first_channel, first, whole.y);
}

// The invocation's `n`-th packet of dst. Behind the end of the packets it is the invocation's first packet again: the
// invocation then stores the same value again.
fn row_packet(at: Place, n: u32) -> u32 {
    let i = at.x + n * select(params.geometry.walk.dims[0].extent, 1u, IN_SEQUENCE);
    return select(at.x, i, i < at.y);
}

// The distance from packets of dst to their source, in packets modulo 2^32. Requires that whole packets of src
// are the source of whole packets of dst.
fn source_distance(at: Place) -> u32 {
    return at.src * DST_BYTES / PACKET_BYTES - at.dst * DST_BYTES / PACKET_BYTES;
}

// The packet of src in which the source of packet `i` of dst begins.
fn source_packet(at: Place, i: u32) -> u32 {
    return (i * PACKET_BYTES + (at.src - at.dst) * DST_BYTES) / PACKET_BYTES;
}

// The offset in bytes at which the source of a packet of dst begins in its packet of src.
fn source_shift(at: Place) -> u32 {
    return (at.src - at.dst) * DST_BYTES % PACKET_BYTES;
}

// The packet of src in which the source of the row's last packet ends.
fn last_source_packet(at: Place) -> u32 {
    return (at.y * PACKET_BYTES + (at.src - at.dst) * DST_BYTES - 1u) / PACKET_BYTES;
}

// Takes the units (words, or larger elements) beside a row's whole packets: up to a packet before them, up to a packet
// behind them, and up to one more packet whose source does not lie in whole packets of src. An invocation takes every
// EDGE_INVOCATIONS-th unit.
@compute @workgroup_size(WORKGROUP_SIZE)
fn block_edges(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let rows = params.geometry.blocks;
    let index = workgroup_index(workgroup, params.geometry.steps.x) * WORKGROUP_SIZE + invocation;
    let number = index / EDGE_INVOCATIONS;
    if number >= rows.w {
        return;
    }
    var at = start(number);
    if RANK > 1u {
        at = other_dimensions(second_dimension(at));
    }
    let units = PACKET_BYTES / UNIT_BYTES;
    let whole = whole_packets(at);
    let begin = at.dst / LANES;
    let end = (at.dst + rows.x + (LANES - 1u)) / LANES;
    let ahead = min(whole.x * units, end) - begin;
    let behind = min(whole.y * units, end);
    for (var i = index % EDGE_INVOCATIONS; i < ahead + (end - behind); i += EDGE_INVOCATIONS) {
        row_unit(at, Row(rows.x, rows.y), select(behind + (i - ahead), begin + i, i < ahead));
    }
}
