// From packets `src`, `src + src_pitch`, … to packets `dst`, `dst + dst_pitch`, …: 4 by 4 elements.
//
// Provides: transpose
// Needs: packet, load_src_packet, store_dst_packet
fn transpose(src: u32, src_pitch: u32, dst: u32, dst_pitch: u32) {
    let a = packet(load_src_packet(src));
    let b = packet(load_src_packet(src + src_pitch));
    let c = packet(load_src_packet(src + 2u * src_pitch));
    let d = packet(load_src_packet(src + 3u * src_pitch));
    store_dst_packet(dst, vec4<u32>(a.x, b.x, c.x, d.x));
    store_dst_packet(dst + dst_pitch, vec4<u32>(a.y, b.y, c.y, d.y));
    store_dst_packet(dst + 2u * dst_pitch, vec4<u32>(a.z, b.z, c.z, d.z));
    store_dst_packet(dst + 3u * dst_pitch, vec4<u32>(a.w, b.w, c.w, d.w));
}
