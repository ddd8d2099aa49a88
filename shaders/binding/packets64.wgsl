// The type of packets (16 bytes) in bindings, for affine steps in f64: two u64. On a CPU two accesses of 8 bytes cost
// half as much as four of 4 bytes. Compilers cancel the conversions here against those of `affine/float64_fast.wgsl`.
//
// Provides: Packet, words_of, packet_of
alias Packet = vec2<u64>;

fn words_of(p: Packet) -> vec4<u32> {
    return vec4<u32>(u32(p.x), u32(p.x >> 32u), u32(p.y), u32(p.y >> 32u));
}

fn packet_of(w: vec4<u32>, length: u32) -> Packet {
    return vec2<u64>(u64(w.x) | (u64(w.y) << 32u), u64(w.z) | (u64(w.w) << 32u));
}
