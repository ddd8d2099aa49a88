// From packets `src`, `src + src_pitch`, … to packets `dst`, `dst + dst_pitch`, …: 16 by 16 elements.
//
// Provides: transpose
// Needs: packet, load_src_packet, store_dst_packet
fn transpose(src: u32, src_pitch: u32, dst: u32, dst_pitch: u32) {
    let a = quad(src, src_pitch);
    let b = quad(src + 4u * src_pitch, src_pitch);
    let c = quad(src + 8u * src_pitch, src_pitch);
    let d = quad(src + 12u * src_pitch, src_pitch);
    store_columns(dst, dst_pitch, a.first, b.first, c.first, d.first);
    store_columns(dst + dst_pitch, dst_pitch, a.second, b.second, c.second, d.second);
    store_columns(dst + 2u * dst_pitch, dst_pitch, a.third, b.third, c.third, d.third);
    store_columns(dst + 3u * dst_pitch, dst_pitch, a.fourth, b.fourth, c.fourth, d.fourth);
}

// Every fourth column.
fn store_columns(dst: u32, pitch: u32, a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>) {
    store_dst_packet(dst, vec4<u32>(a.x, b.x, c.x, d.x));
    store_dst_packet(dst + 4u * pitch, vec4<u32>(a.y, b.y, c.y, d.y));
    store_dst_packet(dst + 8u * pitch, vec4<u32>(a.z, b.z, c.z, d.z));
    store_dst_packet(dst + 12u * pitch, vec4<u32>(a.w, b.w, c.w, d.w));
}

// Four packets with their columns side by side: a word holds an element of each.
struct Quad {
    first: vec4<u32>, // columns 0, 4, 8, 12
    second: vec4<u32>, // columns 1, 5, 9, 13
    third: vec4<u32>,
    fourth: vec4<u32>,
}

fn quad(src: u32, pitch: u32) -> Quad {
    let a = packet(load_src_packet(src));
    let b = packet(load_src_packet(src + pitch));
    let c = packet(load_src_packet(src + 2u * pitch));
    let d = packet(load_src_packet(src + 3u * pitch));
    let even = vec4<u32>(0x00ff00ffu);
    let low = vec4<u32>(0xffffu);
    let byte = vec4<u32>(8u);
    let half = vec4<u32>(16u);
    let ab_even = (a & even) | ((b & even) << byte);
    let ab_odd = ((a >> byte) & even) | (b & ~even);
    let cd_even = (c & even) | ((d & even) << byte);
    let cd_odd = ((c >> byte) & even) | (d & ~even);
    return Quad(
        (ab_even & low) | (cd_even << half),
        (ab_odd & low) | (cd_odd << half),
        (ab_even >> half) | (cd_even & ~low),
        (ab_odd >> half) | (cd_odd & ~low),
    );
}
