// The up to two packets that a run of elements without gaps covers in part.
//
// Provides: Run, edges
// Needs: params, clamped_packet, PACKET_BYTES, PACKET_WORDS, packet_at, byte_of_packet, load_contended_src_word,
//     load_contended_dst_word, store_contended_dst_word
struct Run {
    first: u32,      // dst packet where the whole ones begin
    count: u32,      // whole packets
    src_shift: u32,  // src packet minus dst packet, modulo 2^32
    grid_width: u32, // workgroups along x
    begin: u32,      // first byte in dst
    @size(12) end: u32, // the byte after its last
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
    let g = params.geometry.run;
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
    let y = clamped_packet(at, vec4<u32>(
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
