// Packets of dst that pass through workgroup memory, for boxes of several adjacent packets: an invocation computes the
// packets of its box, but stores others, so that neighbouring invocations store neighbouring packets. A GPU is slow
// where they leave gaps in a sector of 32 bytes, even if the next store fills the gaps. Memory holds the packets of a
// round: all of a box, or two.
//
// Provides: NOWHERE, put, put_place, store_exchanged
// Needs: WORKGROUP_SIZE, MOST_OF_ROUND, store_dst_packet
var<workgroup> exchanged: array<vec4<u32>, WORKGROUP_SIZE * MOST_OF_ROUND>;

// The index in dst of the first packet of each box, or `NOWHERE` if the box is outside the tile.
var<workgroup> places: array<u32, WORKGROUP_SIZE>;

// No packet has this index: a binding has less than 2^31 bytes.
const NOWHERE: u32 = 0xffffffffu;

fn put_place(invocation: u32, first: u32) {
    places[invocation] = first;
}

// Takes the `n`-th packet of a round of `count` from an invocation.
fn put(invocation: u32, n: u32, count: u32, packet: vec4<u32>) {
    exchanged[invocation * count + n] = packet;
}

// Stores a packet of a round of `count`, behind a barrier. `before`: packets of each box in the rounds before.
fn store_exchanged(number: u32, count: u32, before: u32) {
    let giver = number / count;
    let first = places[giver];
    if first != NOWHERE {
        store_dst_packet(first + before + (number - giver * count), exchanged[number]);
    }
}
