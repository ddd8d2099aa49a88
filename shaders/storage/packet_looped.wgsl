// A packet is 16 bytes. For elements that take many instructions: inlined once per half, compilers would
// take seconds.
fn packet(p: vec4<u32>) -> vec4<u32> {
    var halves = p;
    for (var i = 0u; i < 2u; i++) {
        halves = vec4<u32>(halves.zw, half_packet(halves.xy));
    }
    return halves;
}
