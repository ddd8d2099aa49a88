// A packet is 16 bytes, here 16 elements of different channels: four groups of four.
//
// Provides: GROUPS_PER_PACKET, packet, eight_packets
// Needs: Four, Eight, elements, lanes_of, word_of, channel, set_channel
const GROUPS_PER_PACKET: u32 = 4u;

fn packet(p: vec4<u32>) -> vec4<u32> {
    let first = channel;
    let x = word(p.x);
    set_channel(first + 1u);
    let y = word(p.y);
    set_channel(first + 2u);
    let z = word(p.z);
    set_channel(first + 3u);
    return vec4<u32>(x, y, z, word(p.w));
}

// Packets whose first group is this one: group by group, whose numbers are looked up once.
fn eight_packets(group: u32, p: Eight) -> Eight {
    let low = transposed(p.low);
    let high = transposed(p.high);
    set_channel(group);
    let low_x = words(low.a);
    let high_x = words(high.a);
    set_channel(group + 1u);
    let low_y = words(low.b);
    let high_y = words(high.b);
    set_channel(group + 2u);
    let low_z = words(low.c);
    let high_z = words(high.c);
    set_channel(group + 3u);
    return Eight(
        transposed(Four(low_x, low_y, low_z, words(low.d))),
        transposed(Four(high_x, high_y, high_z, words(high.d))),
    );
}

// Packets to words of one group each, and back.
fn transposed(p: Four) -> Four {
    return Four(
        vec4<u32>(p.a.x, p.b.x, p.c.x, p.d.x),
        vec4<u32>(p.a.y, p.b.y, p.c.y, p.d.y),
        vec4<u32>(p.a.z, p.b.z, p.c.z, p.d.z),
        vec4<u32>(p.a.w, p.b.w, p.c.w, p.d.w),
    );
}

fn words(w: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(word(w.x), word(w.y), word(w.z), word(w.w));
}

fn word(w: u32) -> u32 {
    return word_of(elements(lanes_of(w)));
}
