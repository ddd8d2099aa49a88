// The packets of rows: which are whole, which of them an invocation takes, and the units (words, or 64-bit elements) at
// the ends that are not in whole packets.

// Packets that an invocation takes: 1, 2 or 4.
override PACKETS: u32 = 4u;

// The first whole packet of a row in dst, and the one after the last. A last one whose source is not in whole packets
// of src is left out.
fn whole_packets(at: Place) -> vec2<u32> {
    let begin = at.dst * ELEMENT_BYTES;
    let end = begin + params.geometry.length * ELEMENT_BYTES;
    let first = (begin + 15u) >> 4u;
    let last = max(first, end >> 4u);
    let src_end = at.src * ELEMENT_BYTES + ((last << 4u) - begin);
    let out_of_reach = last > first && ((src_end + 15u) >> 4u) > params.geometry.src_packets;
    return vec2<u32>(first, last - select(0u, 1u, out_of_reach));
}

// An invocation's packets are so far apart: neighbours, or a row's steps apart, so that neighbouring invocations take
// neighbouring packets.
fn packet_stride() -> u32 {
    return select(params.geometry.dims[0].x, 1u, ADJACENT || !IN_STEPS);
}

// The first of an invocation's packets in dst.
fn row_packet(whole: vec2<u32>, step: u32) -> u32 {
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
    let whole = whole_packets(at) * (16u / UNIT_BYTES);
    let end = (at.dst + params.geometry.length + (LANES - 1u)) / LANES;
    let i = number - (row << (params.geometry.edge_shift & 31u));
    let head = at.dst / LANES + i;
    let unit = select(whole.y + (i - 4u), head, i < 4u);
    if unit < select(end, min(whole.x, end), i < 4u) {
        row_unit(at, unit);
    }
}
