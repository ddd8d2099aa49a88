// An element of one or two words; `word` is its index in dst.
//
// Provides: take_word
// Needs: params, set_channel, Place, element_of_run, channel_in_run, load_src, element, store_dst
fn take_word(at: Place, word: u32) {
    let element_at = element_of_run(at, word - at.dst);
    set_channel(params.geometry.walk.first_channel + at.channel + channel_in_run(element_at));
    store_dst(word, element(load_src(element_at.src)));
}
