// From packets `src` and `src + src_pitch` to packets `dst` and `dst + dst_pitch`: 2 by 2 elements.
//
// Provides: transpose
// Needs: packet, load_src_packet, store_dst_packet
fn transpose(src: u32, src_pitch: u32, dst: u32, dst_pitch: u32) {
    let a = packet(load_src_packet(src));
    let b = packet(load_src_packet(src + src_pitch));
    store_dst_packet(dst, vec4<u32>(a.xy, b.xy));
    store_dst_packet(dst + dst_pitch, vec4<u32>(a.zw, b.zw));
}
