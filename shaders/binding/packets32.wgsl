// How whole packets of 16 bytes are loaded and stored: as words.
alias Packet = vec4<u32>;

fn words_of(p: Packet) -> vec4<u32> {
    return p;
}

fn packet_of(words: vec4<u32>) -> Packet {
    return words;
}
