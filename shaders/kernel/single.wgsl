// One element, by the clamp of its channel.
//
// Provides: take_element
// Needs: Position, set_channel, load_src, element, store_dst
fn take_element(at: Position) {
    if at.inside {
        set_channel(at.channel);
        store_dst(at.dst, element(load_src(at.src)));
    }
}
