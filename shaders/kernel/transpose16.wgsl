// From packets `src`, `src + src_pitch`, … to packets `dst`, `dst + dst_pitch`, …: 8 by 8 elements.
//
// Provides: transpose
// Needs: packet, load_src_packet, store_dst_packet
fn transpose(src: u32, src_pitch: u32, dst: u32, dst_pitch: u32) {
    let a = pair(src, src_pitch);
    let b = pair(src + 2u * src_pitch, src_pitch);
    let c = pair(src + 4u * src_pitch, src_pitch);
    let d = pair(src + 6u * src_pitch, src_pitch);
    store_dst_packet(dst, vec4<u32>(a.even.x, b.even.x, c.even.x, d.even.x));
    store_dst_packet(dst + dst_pitch, vec4<u32>(a.odd.x, b.odd.x, c.odd.x, d.odd.x));
    store_dst_packet(dst + 2u * dst_pitch, vec4<u32>(a.even.y, b.even.y, c.even.y, d.even.y));
    store_dst_packet(dst + 3u * dst_pitch, vec4<u32>(a.odd.y, b.odd.y, c.odd.y, d.odd.y));
    store_dst_packet(dst + 4u * dst_pitch, vec4<u32>(a.even.z, b.even.z, c.even.z, d.even.z));
    store_dst_packet(dst + 5u * dst_pitch, vec4<u32>(a.odd.z, b.odd.z, c.odd.z, d.odd.z));
    store_dst_packet(dst + 6u * dst_pitch, vec4<u32>(a.even.w, b.even.w, c.even.w, d.even.w));
    store_dst_packet(dst + 7u * dst_pitch, vec4<u32>(a.odd.w, b.odd.w, c.odd.w, d.odd.w));
}

// Two packets with their columns side by side: a word holds an element of the first and one of the second.
struct Pair {
    even: vec4<u32>, // columns 0, 2, 4, 6
    odd: vec4<u32>,
}

fn pair(src: u32, pitch: u32) -> Pair {
    let a = packet(load_src_packet(src));
    let b = packet(load_src_packet(src + pitch));
    let low = vec4<u32>(0xffffu);
    let half = vec4<u32>(16u);
    return Pair((a & low) | (b << half), (a >> half) | (b & ~low));
}
