// Rows of dst that begin anywhere: an invocation takes some of the whole packets of one, `block_edges` what is beside these.
// `blocks` tells the elements of a row, from one to the next in src, how many of the binding of src lie in whole packets of
// it (2^32 - 1 where src is not read across packets), and the rows; `steps` the workgroups of `block_edges` along x. The first dimension of the walk counts the
// invocations of a row.
//
// Provides: place, row_packet, source_distance, source_packet, source_shift, last_source_packet, block_edges
// Needs: params, WORKGROUP_SIZE, ADJACENT, workgroup_index, Position, RANK, walk, start, second_dimension,
//     other_dimensions, Place, Row, DST_BYTES, UNIT_BYTES, LANES, row_unit
const PACKET_BYTES: u32 = 16u;

// Invocations of `block_edges` for a row.
const EDGE_INVOCATIONS: u32 = 8u;

// The first whole packet of a row in dst, and the one behind the last whose source is in whole packets of src.
fn whole_packets(at: Position) -> vec2<u32> {
    let rows = params.geometry.blocks;
    let first = (at.dst * DST_BYTES + (PACKET_BYTES - 1u)) / PACKET_BYTES;
    let length = min(rows.x, rows.z - at.src);
    return vec2<u32>(first, max(first, (at.dst + length) * DST_BYTES / PACKET_BYTES));
}

// The start of a row; `x` is the first packet of dst that the invocation takes, `y` the one behind the row's last.
fn place(workgroup: vec3<u32>, invocation: u32, packets: u32) -> Place {
    let w = params.geometry.walk;
    let index = workgroup_index(workgroup, w.grid_width) * WORKGROUP_SIZE + invocation;
    let at = walk(index);
    let whole = whole_packets(at);
    let first = whole.x + at.index * select(1u, packets, ADJACENT);
    return Place(index < w.count && first < whole.y, at.src, at.dst, at.channel - w.first_channel, first, whole.y);
}

// The invocation's `n`-th packet of dst. Behind the row's last one it is the first once more: same value, same owner,
// harmless.
fn row_packet(at: Place, n: u32) -> u32 {
    let i = at.x + n * select(params.geometry.walk.dims[0].extent, 1u, ADJACENT);
    return select(at.x, i, i < at.y);
}

// Packets of src before the source of packet 0 of dst, modulo 2^32, where both begin at the same place in one.
fn source_distance(at: Place) -> u32 {
    return at.src * DST_BYTES / PACKET_BYTES - at.dst * DST_BYTES / PACKET_BYTES;
}

// The packet of src where the source of packet `i` of dst begins.
fn source_packet(at: Place, i: u32) -> u32 {
    return (i * PACKET_BYTES + (at.src - at.dst) * DST_BYTES) / PACKET_BYTES;
}

// How many bytes behind the start of that packet.
fn source_shift(at: Place) -> u32 {
    return (at.src - at.dst) * DST_BYTES % PACKET_BYTES;
}

// The packet of src where the source of the row's last one ends.
fn last_source_packet(at: Place) -> u32 {
    return (at.y * PACKET_BYTES + (at.src - at.dst) * DST_BYTES - 1u) / PACKET_BYTES;
}

// Some invocations for each row, a unit each as a rule: up to a packet before the whole ones, up to one behind them, and one
// more where its source is not in whole packets of src.
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
