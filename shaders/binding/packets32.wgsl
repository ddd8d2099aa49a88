// How whole packets of 16 bytes are loaded and stored: as words.
//
// Provides: Packet, words_of, packet_of
// Needs: ADJACENT
alias Packet = vec4<u32>;

fn words_of(p: Packet) -> vec4<u32> {
    return p;
}

// The packet that is stored. A CPU stores the lanes of a vector one by one, and LLVM does what comes last before that
// lane by lane too, if it is an operation with a constant; a maximum of unsigned numbers is not. `length` is that of
// the array, below 2^27, since no binding has 2^31 bytes; compilers know of 2^28 alone.
fn packet_of(w: vec4<u32>, length: u32) -> Packet {
    if ADJACENT {
        return max(w, vec4<u32>(length >> 27u));
    }
    return w;
}
