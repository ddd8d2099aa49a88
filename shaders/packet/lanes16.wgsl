// A packet is 16 bytes, here 8 elements of different channels: two groups of four.
//
// Provides: packet
// Needs: elements, channel, set_channel
fn packet(p: vec4<u32>) -> vec4<u32> {
    let first = channel;
    let low = vec2<u32>(0xffffu);
    let half = vec2<u32>(16u);
    let a = elements(vec4<u32>(p.xy & low, p.xy >> half).xzyw);
    set_channel(first + 1u);
    let b = elements(vec4<u32>(p.zw & low, p.zw >> half).xzyw);
    return vec4<u32>(a.xz, b.xz) | (vec4<u32>(a.yw, b.yw) << vec4<u32>(16u));
}
