// One element, by the clamp of its channel, where the table has the clamps of four channels in an entry.
//
// Provides: take_element
// Needs: Position, set_channel, load_src, elements, store_dst
fn take_element(at: Position) {
    if at.inside {
        set_channel(at.channel / 4u);
        store_dst(at.dst, elements(vec4<u32>(load_src(at.src)))[at.channel % 4u]);
    }
}
