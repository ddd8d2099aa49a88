// Rows without gaps on both sides, at any distance from a packet. `row_edges` takes what is not in whole packets.
//
// Provides: Geometry, REPEATED, rows, row_last
// Needs: params, set_channel, WORKGROUP_SIZE, ADJACENT, workgroup_index, Walk, Position, walk, start, first_dimension,
//     second_dimension, ITEMS, SPLIT_ROWS, item, Row, Edges, PACKETS, whole_packets, packet_stride, row_packet,
//     DST_BYTES, UNIT_BYTES, row_unit, SHIFTED, funnel, PACKET_BYTES, packet_at, packet_from, byte_of_packet, packet,
//     load_src_packet, store_dst_packet
struct Geometry {
    walk: Walk,
    row: Row,
    edges: Edges,
    repeats: u32,       // of rows that are repeated: rows of dst per invocation
    repeated_rows: u32, // how many there are
    repeat_pitch: u32,  // packets from one to the next
    last_src: u32,      // of `row_last`: the row that goes furthest in src
    last_dst: u32,
    last_channel: u32,
}

// Whether a row of src goes to several rows of dst, those of the second dimension: an invocation takes some of them.
override REPEATED: bool = false;

@compute @workgroup_size(WORKGROUP_SIZE)
fn rows(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.walk.grid_width) * WORKGROUP_SIZE + invocation;
    if index >= params.geometry.walk.count {
        return;
    }
    let at = walk(index);
    if SPLIT_ROWS {
        take_packets(index, at, 0u);
        if PACKETS > 4u {
            take_packets(index, at, 4u);
        }
        return;
    }
    for (var j = 0u; j < ITEMS; j++) {
        take_packets(index, item(at, j), 0u);
    }
}

// Up to four of an invocation's packets, from the `skip`-th on.
fn take_packets(index: u32, at: Position, skip: u32) {
    let packets = whole_packets(at);
    let end = packets.y - packets.z;
    let stride = packet_stride();
    let a = row_packet(packets, at.index) + skip * stride;
    if !at.inside || a >= end {
        return;
    }
    set_channel(at.channel);
    // All loads come before the first store. Packets beyond the end repeat packet a: same value, same owner, harmless.
    let b = select(a, a + stride, a + stride < end);
    let c = select(a, a + 2u * stride, a + 2u * stride < end);
    let d = select(a, a + 3u * stride, a + 3u * stride < end);
    let src = Source((at.src - at.dst) * DST_BYTES, end - 1u);
    let a_low = load_src_packet(low(src, a));
    let a_high = load_high(src, a);
    let src_a = funnel(src.offset, a_low, a_high);
    if PACKETS == 1u {
        store_dst_packet(a, packet(src_a));
        return;
    }
    let b_low = load_low(src, b, a_high, a, a_low);
    let b_high = load_high(src, b);
    let src_b = funnel(src.offset, b_low, b_high);
    if PACKETS == 2u {
        store_dst_packet(a, packet(src_a));
        store_dst_packet(b, packet(src_b));
        return;
    }
    let c_low = load_low(src, c, b_high, a, a_low);
    let c_high = load_high(src, c);
    let src_c = funnel(src.offset, c_low, c_high);
    let d_low = load_low(src, d, c_high, a, a_low);
    let src_d = funnel(src.offset, d_low, load_high(src, d));
    if REPEATED {
        let four = Four(packet(src_a), packet(src_b), packet(src_c), packet(src_d));
        store_rows(vec4<u32>(a, b, c, d), repeats(index), four);
        return;
    }
    store_dst_packet(a, packet(src_a));
    store_dst_packet(b, packet(src_b));
    store_dst_packet(c, packet(src_c));
    store_dst_packet(d, packet(src_d));
}

struct Four {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
    d: vec4<u32>,
}

// Unrolled, since what a loop reads in each round is not kept in registers.
fn store_rows(at: vec4<u32>, count: u32, four: Four) {
    store_row(at, 0u, four);
    store_row(at, min(1u, count - 1u), four);
    store_row(at, min(2u, count - 1u), four);
    store_row(at, min(3u, count - 1u), four);
    store_row(at, min(4u, count - 1u), four);
    store_row(at, min(5u, count - 1u), four);
    store_row(at, min(6u, count - 1u), four);
    store_row(at, min(7u, count - 1u), four);
}

fn store_row(at: vec4<u32>, row: u32, four: Four) {
    let i = at + vec4<u32>(row * params.geometry.repeat_pitch);
    store_dst_packet(i.x, four.a);
    store_dst_packet(i.y, four.b);
    store_dst_packet(i.z, four.c);
    store_dst_packet(i.w, four.d);
}

// The rows of dst that an invocation takes.
fn repeats(index: u32) -> u32 {
    let batch = second_dimension(first_dimension(start(index))).index;
    return min(params.geometry.repeats, params.geometry.repeated_rows - batch * params.geometry.repeats);
}

// Where a row's packets come from: a packet of dst from two neighbours in src, or from one.
struct Source {
    offset: u32, // bytes from dst to src, modulo 2^32
    last: u32,   // the row's last packet in dst
}

fn low(src: Source, i: u32) -> u32 {
    return packet_at(byte_of_packet(i) + src.offset);
}

// The lower neighbour. Where an invocation's packets are neighbours, it is the upper one of the packet before, unless
// `i` is the first packet once more.
fn load_low(src: Source, i: u32, before: vec4<u32>, first: u32, first_low: vec4<u32>) -> vec4<u32> {
    if SHIFTED && (ADJACENT || !SPLIT_ROWS) {
        return select(before, first_low, i == first);
    }
    return load_src_packet(low(src, i));
}

// The upper neighbour, or the lower one of the last packet where the row ends in it.
fn load_high(src: Source, i: u32) -> vec4<u32> {
    if SHIFTED {
        return load_src_packet(min(low(src, i) + 1u, packet_from(byte_of_packet(src.last) + src.offset)));
    }
    return vec4<u32>(0u);
}

// The last whole packet of the row that goes furthest in src, unit by unit.
@compute @workgroup_size(4)
fn row_last(@builtin(local_invocation_index) invocation: u32) {
    let g = params.geometry;
    let at = Position(0u, 0u, g.last_src, g.last_dst, true, g.last_channel);
    let units = PACKET_BYTES / UNIT_BYTES;
    let packets = whole_packets(at);
    if packets.z != 0u && invocation < units {
        row_unit(at, (packets.y - 1u) * units + invocation);
    }
}
