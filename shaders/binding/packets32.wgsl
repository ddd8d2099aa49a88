// Loads and stores whole packets of 16 bytes as words.
//
// Provides: Packet, words_of, packet_of
// Needs: ADJACENT
alias Packet = vec4<u32>;

fn words_of(p: Packet) -> vec4<u32> {
    return p;
}

// The packet to store, unchanged. A CPU stores the lanes of a vector one by one, and LLVM also scalarises the operation
// before the store if one operand is a constant. A maximum with `length >> 27` avoids that: the array's `length` is below
// 2^27, so the operand is 0, and compilers can only prove < 2^28.
fn packet_of(w: vec4<u32>, length: u32) -> Packet {
    if ADJACENT {
        return max(w, vec4<u32>(length >> 27u));
    }
    return w;
}
