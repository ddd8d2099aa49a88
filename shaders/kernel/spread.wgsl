// Groups of 8- or 16-bit elements, one in each word of dst and none in two: whole packets of dst, in which only the
// groups change. Groups in src are as near to each other as they can be, or in words too.
//
// Provides: Geometry, GROUP_PITCH, spread
// Needs: params, set_channel, WORKGROUP_SIZE, workgroup_index, Walk, walk, Row, DST_BYTES, SHIFTED, funnel, packet_at, packet,
//     load_src_packet, load_dst_packet, store_dst_packet
struct Geometry {
    walk: Walk,
    row: Row,        // a group
    word_mask: u32,  // the bits of a word of dst that change
    word_shift: u32, // how far a group in src lies below them
}

// From one group to the next in src, in bytes: 1 to 4.
override GROUP_PITCH: u32 = 4u;

// Groups that an invocation takes: those of four packets.
const GROUPS: u32 = 16u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn spread(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.walk.grid_width) * WORKGROUP_SIZE + invocation;
    if index >= params.geometry.walk.count {
        return;
    }
    // Four packets of dst, as many of src as there are bytes from a group to the next. All loads come before the
    // first store.
    let at = walk(index);
    set_channel(at.channel);
    let byte = at.src * DST_BYTES;
    let p0 = load(byte, 0u);
    let p1 = load(byte, 1u);
    let p2 = load(byte, 2u);
    let p3 = load(byte, 3u);
    let q0 = funnel(byte, p0, p1);
    let q1 = funnel(byte, p1, p2);
    let q2 = funnel(byte, p2, p3);
    let q3 = funnel(byte, p3, load(byte, 4u));
    let dst = packet_at(at.dst * DST_BYTES);
    let old_a = load_dst_packet(dst);
    let old_b = load_dst_packet(dst + 1u);
    let old_c = load_dst_packet(dst + 2u);
    let old_d = load_dst_packet(dst + 3u);
    if GROUP_PITCH == 1u {
        store(dst, old_a, one_byte(q0.x));
        store(dst + 1u, old_b, one_byte(q0.y));
        store(dst + 2u, old_c, one_byte(q0.z));
        store(dst + 3u, old_d, one_byte(q0.w));
    } else if GROUP_PITCH == 2u {
        store(dst, old_a, two_bytes(q0.xy));
        store(dst + 1u, old_b, two_bytes(q0.zw));
        store(dst + 2u, old_c, two_bytes(q1.xy));
        store(dst + 3u, old_d, two_bytes(q1.zw));
    } else if GROUP_PITCH == 3u {
        store(dst, old_a, three_bytes(q0.xyz));
        store(dst + 1u, old_b, three_bytes(vec3<u32>(q0.w, q1.xy)));
        store(dst + 2u, old_c, three_bytes(vec3<u32>(q1.zw, q2.x)));
        store(dst + 3u, old_d, three_bytes(q2.yzw));
    } else {
        store(dst, old_a, q0);
        store(dst + 1u, old_b, q1);
        store(dst + 2u, old_c, q2);
        store(dst + 3u, old_d, q3);
    }
}

// The `i`-th packet of src from the one with `byte` on, or the one that the last group ends in.
fn load(byte: u32, i: u32) -> vec4<u32> {
    if i >= GROUP_PITCH && (!SHIFTED || i > GROUP_PITCH) {
        return vec4<u32>(0u);
    }
    let last = packet_at(byte + GROUP_PITCH * (GROUPS - 1u) + params.geometry.row.length * DST_BYTES - 1u);
    return load_src_packet(min(packet_at(byte) + i, last));
}

// Four groups from the words that they fill, each in the low end of a word of its own, with something else above it.

fn one_byte(w: u32) -> vec4<u32> {
    return vec4<u32>(w) >> vec4<u32>(0u, 8u, 16u, 24u);
}

fn two_bytes(w: vec2<u32>) -> vec4<u32> {
    return w.xxyy >> vec4<u32>(0u, 16u, 0u, 16u);
}

fn three_bytes(w: vec3<u32>) -> vec4<u32> {
    return vec4<u32>(w.x, (w.x >> 24u) | (w.y << 8u), (w.y >> 16u) | (w.z << 16u), w.z >> 8u);
}

fn store(i: u32, old: vec4<u32>, groups: vec4<u32>) {
    let y = packet(groups << vec4<u32>(params.geometry.word_shift & 31u));
    store_dst_packet(i, old ^ ((old ^ y) & vec4<u32>(params.geometry.word_mask)));
}
