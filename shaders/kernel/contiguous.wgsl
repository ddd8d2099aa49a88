// Elements without gaps, src and dst at the same distance from a 16-byte boundary. `body` takes the whole
// packets, `edges` the up to two packets that the tile covers in part.
//
// Provides: Geometry, body, clamped_packet
// Needs: params, Run, WORKGROUP_SIZE, ADJACENT, workgroup_index, packet, load_src_packet, store_dst_packet
struct Geometry {
    run: Run,
}

const PACKETS_PER_INVOCATION: u32 = 4u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn body(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let index = workgroup_index(workgroup, params.geometry.run.grid_width);
    let stride = select(WORKGROUP_SIZE, 1u, ADJACENT);
    let first = index * (WORKGROUP_SIZE * PACKETS_PER_INVOCATION)
        + invocation * select(1u, PACKETS_PER_INVOCATION, ADJACENT);
    if first >= params.geometry.run.count {
        return;
    }
    // All loads come before the first store. Packets beyond the end repeat packet a: same value, same owner, harmless.
    let a = params.geometry.run.first + first;
    let end = params.geometry.run.first + params.geometry.run.count;
    let b = select(a, a + stride, a + stride < end);
    let c = select(a, a + 2u * stride, a + 2u * stride < end);
    let d = select(a, a + 3u * stride, a + 3u * stride < end);
    let shift = params.geometry.run.src_shift;
    let src_a = load_src_packet(a + shift);
    let src_b = load_src_packet(b + shift);
    let src_c = load_src_packet(c + shift);
    let src_d = load_src_packet(d + shift);
    store_dst_packet(a, packet(src_a));
    store_dst_packet(b, packet(src_b));
    store_dst_packet(c, packet(src_c));
    store_dst_packet(d, packet(src_d));
}

// Packet `i` of dst.
fn clamped_packet(i: u32, p: vec4<u32>) -> vec4<u32> {
    return packet(p);
}
