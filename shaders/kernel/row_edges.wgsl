// The packets of rows: which are whole, which of them an invocation takes, and the units (words, or 64-bit elements) at
// the ends that are not in whole packets. `src/kernel/row_edges.rs` is the host's half.
//
// Provides: Edges, PACKETS, WITH_LAST, whole_packets, packet_stride, row_packet, row_edges
// Needs: params, WORKGROUP_SIZE, ADJACENT, workgroup_index, Position, start, second_dimension,
//     other_dimensions, walk, RANK, ITEMS, SPLIT_ROWS, item, DST_BYTES, UNIT_BYTES, LANES, row_unit,
//     PACKET_BYTES, packet_at, packet_from, byte_of_packet
struct Edges {
    rows: u32,        // that `row_edges` looks at; some may be outside
    src_packets: u32, // whole packets in the binding of src
    shift: u32,       // 2^shift invocations of `row_edges` per row
    grid_width: u32,  // workgroups of `row_edges` along x
}

// Packets of a row that an invocation takes: 1, 2, 4, 8 of `rows`, 16 of `fill`.
override PACKETS: u32 = 4u;

// Whether `row_edges` takes the packets that `row_last` would: where there may be one in many rows.
override WITH_LAST: bool = false;

// The first whole packet of a row in dst, the one after the last, and whether that last one is left out because its
// source is not in whole packets of src: 1 or 0.
fn whole_packets(at: Position) -> vec3<u32> {
    let begin = at.dst * DST_BYTES;
    let end = begin + params.geometry.row.length * DST_BYTES;
    let first = packet_from(begin);
    let last = max(first, packet_at(end));
    let src_end = at.src * DST_BYTES + (byte_of_packet(last) - begin);
    let out_of_reach = last > first && packet_from(src_end) > params.geometry.edges.src_packets;
    return vec3<u32>(first, last, select(0u, 1u, out_of_reach));
}

// An invocation's packets are so far apart: neighbours, or a row's segments apart, so that neighbouring invocations
// take neighbouring packets.
fn packet_stride() -> u32 {
    return select(params.geometry.walk.dims[0].extent, 1u, ADJACENT || !SPLIT_ROWS);
}

// The first of an invocation's packets in dst.
fn row_packet(whole: vec3<u32>, segment: u32) -> u32 {
    return whole.x + segment * select(1u, PACKETS, ADJACENT);
}

// The start of a row.
fn row_start(row: u32) -> Position {
    if SPLIT_ROWS {
        let at = start(row);
        if RANK > 1u {
            return other_dimensions(second_dimension(at));
        }
        return at;
    }
    // ITEMS is a power of two.
    return item(walk(row / ITEMS), row % ITEMS);
}

// Eight or sixteen invocations per row: up to 4 units before the whole packets, up to 4 or 8 behind them.
@compute @workgroup_size(WORKGROUP_SIZE)
fn row_edges(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.edges.grid_width) * WORKGROUP_SIZE + invocation;
    let shift = params.geometry.edges.shift & 31u;
    let row = index >> shift;
    if row >= params.geometry.edges.rows {
        return;
    }
    let at = row_start(row);
    if !at.inside {
        return;
    }
    let units = PACKET_BYTES / UNIT_BYTES;
    let packets = whole_packets(at);
    let whole_begin = packets.x * units;
    let whole_end = (packets.y - select(0u, packets.z, WITH_LAST)) * units;
    let end = (at.dst + params.geometry.row.length + (LANES - 1u)) / LANES;
    let i = index - (row << shift);
    let head = at.dst / LANES + i;
    let unit = select(whole_end + (i - 4u), head, i < 4u);
    if unit < select(end, min(whole_begin, end), i < 4u) {
        row_unit(at, unit);
    }
}
