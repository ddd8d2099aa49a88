// A packet is 16 bytes, here 4 elements of different channels: one group of four.
//
// Provides: GROUPS_PER_PACKET, packet, eight_packets
// Needs: Four, Eight, elements, set_channel
const GROUPS_PER_PACKET: u32 = 1u;

fn packet(p: vec4<u32>) -> vec4<u32> {
    return elements(p);
}

// Packets whose first group is this one.
fn eight_packets(group: u32, p: Eight) -> Eight {
    set_channel(group);
    return Eight(four_packets(p.low), four_packets(p.high));
}

fn four_packets(p: Four) -> Four {
    return Four(elements(p.a), elements(p.b), elements(p.c), elements(p.d));
}
