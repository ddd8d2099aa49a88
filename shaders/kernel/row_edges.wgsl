// The packets of rows: which are whole, which of them an invocation takes, and the units (words, or 64-bit elements) at
// the ends that are not in whole packets.

// Packets that an invocation takes: 1, 2, 4, 8 of `rows`, 16 of `fill`.
override PACKETS: u32 = 4u;

// Whether `row_edges` takes the packets that `row_last` would: where there may be one in many rows.
override WITH_LAST: bool = false;

// The first whole packet of a row in dst, the one after the last, and whether that last one is left out because its source
// is not in whole packets of src: 1 or 0.
fn whole_packets(at: Place) -> vec3<u32> {
    let begin = at.dst * ELEMENT_BYTES;
    let end = begin + params.geometry.length * ELEMENT_BYTES;
    let first = (begin + 15u) >> 4u;
    let last = max(first, end >> 4u);
    let src_end = at.src * ELEMENT_BYTES + ((last << 4u) - begin);
    let out_of_reach = last > first && ((src_end + 15u) >> 4u) > params.geometry.src_packets;
    return vec3<u32>(first, last, select(0u, 1u, out_of_reach));
}

// An invocation's packets are so far apart: neighbours, or a row's steps apart, so that neighbouring invocations take
// neighbouring packets.
fn packet_stride() -> u32 {
    return select(params.geometry.dims[0].x, 1u, ADJACENT || !IN_STEPS);
}

// The first of an invocation's packets in dst.
fn row_packet(whole: vec3<u32>, step: u32) -> u32 {
    return whole.x + step * select(1u, PACKETS, ADJACENT);
}

// Eight or sixteen invocations per row: up to 4 units before the whole packets, up to 4 or 8 behind them.
@compute @workgroup_size(WORKGROUP_SIZE)
fn row_edges(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = (workgroup.y * params.geometry.edge_row + workgroup.x) * WORKGROUP_SIZE + invocation;
    let row = number >> (params.geometry.edge_shift & 31u);
    if row >= params.geometry.rows {
        return;
    }
    let at = row_start(row);
    if !at.inside {
        return;
    }
    let packets = whole_packets(at);
    let whole_begin = packets.x * (16u / UNIT_BYTES);
    let whole_end = (packets.y - select(0u, packets.z, WITH_LAST)) * (16u / UNIT_BYTES);
    let end = (at.dst + params.geometry.length + (LANES - 1u)) / LANES;
    let i = number - (row << (params.geometry.edge_shift & 31u));
    let head = at.dst / LANES + i;
    let unit = select(whole_end + (i - 4u), head, i < 4u);
    if unit < select(end, min(whole_begin, end), i < 4u) {
        row_unit(at, unit);
    }
}

// The last whole packet of the row that reaches furthest in src, unit by unit.
@compute @workgroup_size(4)
fn row_last(@builtin(local_invocation_index) invocation: u32) {
    let at = Place(0u, 0u, params.geometry.last_src, params.geometry.last_dst, true);
    let packets = whole_packets(at);
    if packets.z != 0u && invocation < 16u / UNIT_BYTES {
        row_unit(at, (packets.y - 1u) * (16u / UNIT_BYTES) + invocation);
    }
}
