// A packet is 16 bytes, here 8 elements of different channels: two groups of four.
//
// Provides: GROUPS_PER_PACKET, packet, eight_packets
// Needs: Four, Eight, elements, channel, set_channel
const GROUPS_PER_PACKET: u32 = 2u;

fn packet(p: vec4<u32>) -> vec4<u32> {
    let low = one_group(p.xy);
    set_channel(channel + 1u);
    return vec4<u32>(low, one_group(p.zw));
}

// Packets whose first group is this one: group by group, whose numbers are looked up once.
fn eight_packets(group: u32, p: Eight) -> Eight {
    set_channel(group);
    let low = first_groups(p.low);
    let high = first_groups(p.high);
    set_channel(group + 1u);
    return Eight(with_second_groups(low, p.low), with_second_groups(high, p.high));
}

// Two words of each packet.
struct Halves {
    a: vec2<u32>,
    b: vec2<u32>,
    c: vec2<u32>,
    d: vec2<u32>,
}

fn first_groups(p: Four) -> Halves {
    return Halves(one_group(p.a.xy), one_group(p.b.xy), one_group(p.c.xy), one_group(p.d.xy));
}

fn with_second_groups(first: Halves, p: Four) -> Four {
    return Four(
        vec4<u32>(first.a, one_group(p.a.zw)),
        vec4<u32>(first.b, one_group(p.b.zw)),
        vec4<u32>(first.c, one_group(p.c.zw)),
        vec4<u32>(first.d, one_group(p.d.zw)),
    );
}

fn one_group(w: vec2<u32>) -> vec2<u32> {
    let y = elements(vec4<u32>(w & vec2<u32>(0xffffu), w >> vec2<u32>(16u)).xzyw);
    return y.xz | (y.yw << vec2<u32>(16u));
}
