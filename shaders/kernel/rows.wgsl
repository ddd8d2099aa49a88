// Rows without gaps on both sides, at any distance from a packet. `row_edges` takes what is not in whole packets.

// Whether src and dst may lie at different distances from a packet.
override SHIFTED: bool = true;

@compute @workgroup_size(WORKGROUP_SIZE)
fn rows(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let number = workgroup_number(workgroup) * WORKGROUP_SIZE + invocation;
    if number >= params.geometry.count {
        return;
    }
    let at = walk(number);
    if IN_STEPS {
        take_packets(at);
        return;
    }
    take_packets(line(at, 0u));
    if LINES > 1u {
        take_packets(line(at, 1u));
        take_packets(line(at, 2u));
        take_packets(line(at, 3u));
    }
}

fn take_packets(at: Place) {
    let packets = whole_packets(at);
    let end = packets.y - packets.z;
    let a = row_packet(packets, at.step);
    if !at.inside || a >= end {
        return;
    }
    // All loads come before the first store. Past the end, a packet is the first once more.
    let stride = packet_stride();
    let b = select(a, a + stride, a + stride < end);
    let c = select(a, a + 2u * stride, a + 2u * stride < end);
    let d = select(a, a + 3u * stride, a + 3u * stride < end);
    let offset = (at.src - at.dst) * ELEMENT_BYTES;
    let src_a = load_src_bytes((a << 4u) + offset);
    if PACKETS == 1u {
        store_dst_packet(a, packet(src_a));
        return;
    }
    let src_b = load_src_bytes((b << 4u) + offset);
    if PACKETS == 2u {
        store_dst_packet(a, packet(src_a));
        store_dst_packet(b, packet(src_b));
        return;
    }
    let src_c = load_src_bytes((c << 4u) + offset);
    let src_d = load_src_bytes((d << 4u) + offset);
    store_dst_packet(a, packet(src_a));
    store_dst_packet(b, packet(src_b));
    store_dst_packet(c, packet(src_c));
    store_dst_packet(d, packet(src_d));
}

// 16 bytes from any element on.
fn load_src_bytes(byte: u32) -> vec4<u32> {
    let a = load_src_packet(byte >> 4u);
    if !SHIFTED {
        return a;
    }
    let shift = byte & 15u;
    return funnel(a, load_src_packet((byte + 15u) >> 4u), shift);
}

// The 16 bytes from byte `shift` of a on, the rest from b. `shift` is a multiple of the element.
fn funnel(a: vec4<u32>, b: vec4<u32>, shift: u32) -> vec4<u32> {
    let by_two = (shift & 8u) != 0u;
    let a2 = select(a, vec4<u32>(a.zw, b.xy), by_two);
    let b2 = select(b, b.zwzw, by_two);
    if ELEMENT_BYTES == 8u {
        return a2;
    }
    let by_one = (shift & 4u) != 0u;
    let a1 = select(a2, vec4<u32>(a2.yzw, b2.x), by_one);
    if ELEMENT_BYTES == 4u {
        return a1;
    }
    let next = vec4<u32>(a1.yzw, select(b2.x, b2.y, by_one));
    let bits = vec4<u32>((shift & 3u) << 3u);
    return (a1 >> bits) | ((next << vec4<u32>(1u)) << (vec4<u32>(31u) - bits));
}
