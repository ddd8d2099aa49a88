// Packets of dst that pass through workgroup memory, for blocks of several adjacent packets: an invocation computes the
// packets of its block, but stores others, so that neighbouring invocations store neighbouring packets. A GPU is slow
// where they leave gaps, even if the next store fills the gaps.
//
// Provides: put, put_nothing, store_exchanged
// Needs: WORKGROUP_SIZE, PACKETS, store_dst_packet
var<workgroup> exchanged: array<vec4<u32>, WORKGROUP_SIZE * PACKETS>;

// The index in dst of each block's first packet, or `NOWHERE` if the block is outside the tile.
var<workgroup> places: array<u32, WORKGROUP_SIZE>;

// No packet has this index: a binding has less than 2^31 bytes.
const NOWHERE: u32 = 0xffffffffu;

// Takes the `n`-th packet of the invocation's block, whose first packet is the `first` of dst.
fn put(invocation: u32, first: u32, n: u32, packet: vec4<u32>) {
    places[invocation] = first;
    exchanged[invocation * PACKETS + n] = packet;
}

fn put_nothing(invocation: u32) {
    places[invocation] = NOWHERE;
}

// Stores a packet of the workgroup, behind a barrier.
fn store_exchanged(number: u32) {
    let block = number / PACKETS;
    let first = places[block];
    if first != NOWHERE {
        store_dst_packet(first + (number - block * PACKETS), exchanged[number]);
    }
}
