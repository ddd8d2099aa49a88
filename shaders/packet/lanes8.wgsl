// A packet is 16 bytes, here 16 elements of different channels: four groups of four.
//
// Provides: packet
// Needs: elements, lanes_of, word_of, channel, set_channel
fn packet(p: vec4<u32>) -> vec4<u32> {
    let first = channel;
    let a = word_of(elements(lanes_of(p.x)));
    set_channel(first + 1u);
    let b = word_of(elements(lanes_of(p.y)));
    set_channel(first + 2u);
    let c = word_of(elements(lanes_of(p.z)));
    set_channel(first + 3u);
    let d = word_of(elements(lanes_of(p.w)));
    return vec4<u32>(a, b, c, d);
}
