// The type of packets (16 bytes) in bindings: four words.
//
// Provides: Packet, words_of, packet_of
// Needs: ON_CPU
alias Packet = vec4<u32>;

fn words_of(p: Packet) -> vec4<u32> {
    return p;
}

// Returns the packet unchanged. A CPU stores the lanes of a vector one by one, and LLVM also scalarises the operation
// before the store if one operand is a constant. The maximum with `length >> 27` prevents that. The array's `length` is
// below 2^27, so the operand is 0; compilers do not know this, because they can only prove `length` < 2^28.
fn packet_of(w: vec4<u32>, length: u32) -> Packet {
    if ON_CPU {
        return max(w, vec4<u32>(length >> 27u));
    }
    return w;
}
