// How whole packets of 16 bytes are loaded and stored: as words.
//
// Provides: Packet, words_of, packet_of
alias Packet = vec4<u32>;

fn words_of(p: Packet) -> vec4<u32> {
    return p;
}

fn packet_of(w: vec4<u32>) -> Packet {
    return w;
}
