// Packets that straddle two loaded packets.
//
// Provides: across_packets
//
// The 16 bytes from byte `shift % 16` of a on, continued in b. `shift` is a multiple of `size`, an element's bytes.
fn across_packets(shift: u32, size: u32, a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    let by_two = (shift & 8u) != 0u;
    let a2 = select(a, vec4<u32>(a.zw, b.xy), by_two);
    let b2 = select(b, b.zwzw, by_two);
    if size == 8u {
        return a2;
    }
    let by_one = (shift & 4u) != 0u;
    let a1 = select(a2, vec4<u32>(a2.yzw, b2.x), by_one);
    if size == 4u {
        return a1;
    }
    let next = vec4<u32>(a1.yzw, select(b2.x, b2.y, by_one));
    let bits = vec4<u32>((shift & 3u) << 3u);
    return (a1 >> bits) | ((next << vec4<u32>(1u)) << (vec4<u32>(31u) - bits));
}
