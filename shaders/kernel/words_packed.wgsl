// A word of several elements. At a run's ends, some of them may not belong to the run.
//
// Provides: take_word
// Needs: params, STEPS_CHANNELS, set_channel, Place, element_of_run, next_element, channel_in_run, LANES, load_src,
//     element, load_contended_dst_word, store_contended_dst_word, flip_contended_dst_bits
fn take_word(at: Place, word: u32) {
    let bits = 32u / LANES;
    let origin = word * LANES;
    let lowest = max(at.dst, origin) - origin; // the run's first element in the word
    let highest = min(at.dst + params.geometry.length - origin, LANES) - 1u;
    let channel = params.geometry.walk.first_channel + at.channel;
    if !STEPS_CHANNELS {
        set_channel(channel);
    }
    var element_at = element_of_run(at, origin + lowest - at.dst);
    var y = 0u;
    for (var lane = lowest; lane <= highest; lane++) {
        if STEPS_CHANNELS {
            set_channel(channel + channel_in_run(element_at));
        }
        y |= element(load_src(element_at.src)) << (lane * bits);
        element_at = next_element(element_at);
    }
    let mask = (0xffffffffu >> (32u - (highest + 1u - lowest) * bits)) << (lowest * bits);
    if mask == 0xffffffffu {
        store_contended_dst_word(word, y);
    } else {
        // Other invocations change their elements of the word: flip only the bits that change.
        flip_contended_dst_bits(word, (load_contended_dst_word(word) ^ y) & mask);
    }
}
