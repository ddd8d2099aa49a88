// Packets, what is loaded and stored at once where it can be, and how bytes and words are counted in them.
//
// Provides: PACKET_BYTES, PACKET_WORDS, packet_at, packet_from, byte_of_packet
const PACKET_BYTES: u32 = 16u;
const PACKET_WORDS: u32 = 4u;
const PACKET_SHIFT: u32 = 4u; // that multiplies by PACKET_BYTES

// The packet that holds a byte.
fn packet_at(byte: u32) -> u32 {
    return byte >> PACKET_SHIFT;
}

// The first packet that begins at a byte or behind it.
fn packet_from(byte: u32) -> u32 {
    return (byte + (PACKET_BYTES - 1u)) >> PACKET_SHIFT;
}

fn byte_of_packet(i: u32) -> u32 {
    return i << PACKET_SHIFT;
}
