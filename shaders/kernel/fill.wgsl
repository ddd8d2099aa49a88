// Rows without gaps in dst of one element of src each. `row_edges` takes what is not in whole packets.
//
// Provides: Geometry, fill
// Needs: params, set_channel, WORKGROUP_SIZE, workgroup_index, Walk, Position, walk, ITEMS, SPLIT_ROWS, item, Row, Edges, PACKETS,
//     whole_packets, packet_stride, row_packet, load_src, element, splat, store_dst_packet
struct Geometry {
    walk: Walk,
    row: Row,
    edges: Edges,
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn fill(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.walk.grid_width) * WORKGROUP_SIZE + invocation;
    if index >= params.geometry.walk.count {
        return;
    }
    let at = walk(index);
    if SPLIT_ROWS {
        fill_packets(at);
        return;
    }
    for (var j = 0u; j < ITEMS; j++) {
        fill_packets(item(at, j));
    }
}

fn fill_packets(at: Position) {
    let packets = whole_packets(at);
    // No packet of src is loaded, so none is out of reach.
    let end = packets.y;
    let a = row_packet(packets, at.index);
    if !at.inside || a >= end {
        return;
    }
    set_channel(at.channel);
    let x = splat(element(load_src(at.src)));
    // Packets beyond the end repeat packet a: same value, same owner, harmless.
    let stride = packet_stride();
    store_four(a, stride, end, x);
    if PACKETS > 4u {
        store_four(select(a, a + 4u * stride, a + 4u * stride < end), stride, end, x);
    }
    if PACKETS > 8u {
        store_four(select(a, a + 8u * stride, a + 8u * stride < end), stride, end, x);
        store_four(select(a, a + 12u * stride, a + 12u * stride < end), stride, end, x);
    }
}

fn store_four(a: u32, stride: u32, end: u32, x: vec4<u32>) {
    store_dst_packet(a, x);
    if PACKETS > 1u {
        store_dst_packet(select(a, a + stride, a + stride < end), x);
    }
    if PACKETS > 2u {
        store_dst_packet(select(a, a + 2u * stride, a + 2u * stride < end), x);
        store_dst_packet(select(a, a + 3u * stride, a + 3u * stride < end), x);
    }
}
