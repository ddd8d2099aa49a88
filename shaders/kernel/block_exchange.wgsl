// Packets of dst that pass through workgroup memory, for blocks of several adjacent packets: an invocation computes the
// packets of its block, but stores others, so that neighbouring invocations store neighbouring packets. A GPU is slow
// where they leave gaps in a sector of 32 bytes, even if the next store fills the gaps. Memory holds the packets of a
// round: all of a block, or two.
//
// Provides: NOWHERE, put, put_place, store_exchanged
// Needs: WORKGROUP_SIZE, ROUND, store_dst_packet
var<workgroup> exchanged: array<vec4<u32>, WORKGROUP_SIZE * ROUND>;

// The index in dst of the first packet of each block, or `NOWHERE` if the block is outside the tile.
var<workgroup> places: array<u32, WORKGROUP_SIZE>;

// No packet has this index: a binding has less than 2^31 bytes.
const NOWHERE: u32 = 0xffffffffu;

fn put_place(invocation: u32, first: u32) {
    places[invocation] = first;
}

// Takes the `n`-th packet of the round from an invocation.
fn put(invocation: u32, n: u32, packet: vec4<u32>) {
    exchanged[invocation * ROUND + n] = packet;
}

// Stores a packet of the round, behind a barrier. `before`: packets of each block in the rounds before.
fn store_exchanged(number: u32, before: u32) {
    let block = number / ROUND;
    let first = places[block];
    if first != NOWHERE {
        store_dst_packet(first + before + (number - block * ROUND), exchanged[number]);
    }
}
