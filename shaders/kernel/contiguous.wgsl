// Elements without gaps, src and dst at the same distance from a 16-byte boundary. `body` takes the whole
// packets, `edges` the up to two packets that the tile covers in part.
//
// Provides: Geometry, body, edges
// Needs: params, set_channel, divide, WORKGROUP_SIZE, ADJACENT, workgroup_index, PACKET_BYTES, PACKET_WORDS, packet_at, byte_of_packet, packet,
//     load_src_packet, store_dst_packet, load_contended_src_word, load_contended_dst_word, store_contended_dst_word
struct Geometry {
    first: u32,      // dst packet where the whole ones begin
    count: u32,      // whole packets
    src_shift: u32,  // src packet minus dst packet, modulo 2^32
    grid_width: u32, // workgroups along x
    begin: u32,      // first byte of the tile in dst
    end: u32,        // the byte after its last
    groups: u32,            // of four elements, until the channels begin with one again
    groups_multiplier: u32, // divides by `groups`, with the shift
    groups_shift: u32,
    groups_per_packet: u32,
}

const PACKETS_PER_INVOCATION: u32 = 4u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn body(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.grid_width);
    let stride = select(WORKGROUP_SIZE, 1u, ADJACENT);
    let first = index * (WORKGROUP_SIZE * PACKETS_PER_INVOCATION)
        + invocation * select(1u, PACKETS_PER_INVOCATION, ADJACENT);
    if first >= params.geometry.count {
        return;
    }
    // All loads come before the first store. Packets beyond the end repeat packet a: same value, same owner, harmless.
    let a = params.geometry.first + first;
    let end = params.geometry.first + params.geometry.count;
    let b = select(a, a + stride, a + stride < end);
    let c = select(a, a + 2u * stride, a + 2u * stride < end);
    let d = select(a, a + 3u * stride, a + 3u * stride < end);
    let shift = params.geometry.src_shift;
    let src_a = load_src_packet(a + shift);
    let src_b = load_src_packet(b + shift);
    let src_c = load_src_packet(c + shift);
    let src_d = load_src_packet(d + shift);
    store_dst_packet(a, clamped(a, src_a));
    store_dst_packet(b, clamped(b, src_b));
    store_dst_packet(c, clamped(c, src_c));
    store_dst_packet(d, clamped(d, src_d));
}

// Packet `i` of dst.
fn clamped(i: u32, p: vec4<u32>) -> vec4<u32> {
    let g = params.geometry;
    let group = (i - packet_at(g.begin)) * g.groups_per_packet;
    set_channel(group - divide(group, g.groups_multiplier, g.groups_shift) * g.groups);
    return packet(p);
}

// The bits of word `i` (counted from the packet's start) that hold bytes `begin` to `end` of the packet.
fn word_mask(i: u32, begin: u32, end: u32) -> u32 {
    let low = clamp(begin, i * 4u, i * 4u + 4u) - i * 4u;
    let high = clamp(end, i * 4u, i * 4u + 4u) - i * 4u;
    return bits_below(high) & ~bits_below(low);
}

// The bits of the first `bytes` bytes of a word, 0 to 4.
fn bits_below(bytes: u32) -> u32 {
    return select((1u << ((bytes * 8u) & 31u)) - 1u, 0xffffffffu, bytes >= 4u);
}

fn load_edge_word(i: u32, mask: u32) -> u32 {
    if mask == 0u {
        return 0u; // outside the tile, perhaps outside the buffer
    }
    return load_contended_src_word(i);
}

fn store_edge_word(i: u32, mask: u32, w: u32) {
    if mask == 0xffffffffu {
        store_contended_dst_word(i, w);
    } else if mask != 0u {
        store_contended_dst_word(i, (load_contended_dst_word(i) & ~mask) | (w & mask));
    }
}

// Invocation 0 owns the packet of the first byte, invocation 1 that of the byte after the last.
@compute @workgroup_size(2)
fn edges(@builtin(local_invocation_index) invocation: u32) {
    let g = params.geometry;
    let at = packet_at(select(g.begin, g.end, invocation == 1u));
    if invocation == 1u && at == packet_at(g.begin) {
        return;
    }
    let origin = byte_of_packet(at);
    let begin = max(g.begin, origin) - origin;
    let end = min(g.end - origin, PACKET_BYTES);
    if end - begin == PACKET_BYTES || end == begin {
        return;
    }
    let mask = vec4<u32>(
        word_mask(0u, begin, end),
        word_mask(1u, begin, end),
        word_mask(2u, begin, end),
        word_mask(3u, begin, end),
    );
    let dst = at * PACKET_WORDS;
    let src = (at + g.src_shift) * PACKET_WORDS;
    let y = clamped(at, vec4<u32>(
        load_edge_word(src, mask.x),
        load_edge_word(src + 1u, mask.y),
        load_edge_word(src + 2u, mask.z),
        load_edge_word(src + 3u, mask.w),
    ));
    store_edge_word(dst, mask.x, y.x);
    store_edge_word(dst + 1u, mask.y, y.y);
    store_edge_word(dst + 2u, mask.z, y.z);
    store_edge_word(dst + 3u, mask.w, y.w);
}
