// A packet is 16 bytes. For elements that take few instructions.
fn packet(p: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(half_packet(p.xy), half_packet(p.zw));
}
