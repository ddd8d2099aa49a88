// Any layouts. An invocation takes a word of a run, or a larger element; its elements are loaded one by one. Runs may share
// words.
//
// Provides: BESIDE, STEPS_CHANNELS, take
// Needs: params, Place, whole_units, UNIT, LANES, take_word

// Whether a stream takes the whole units of each run. Then only what lies beside these units is left.
override BESIDE: bool = false;

// Whether the elements of a run have a clamp each.
override STEPS_CHANNELS: bool = false;

// Takes the word of an invocation's `n`-th turn.
fn take(at: Place, n: u32) {
    let g = params.geometry;
    let begin = at.dst / LANES;
    let end = (at.dst + g.length + (LANES - 1u)) / LANES;
    let index = at.index + n * g.words.of_run;
    var word = begin + index; // of dst; an element of 8 bytes counts as one
    if BESIDE {
        let whole = whole_units(at) * (UNIT / LANES);
        let ahead = min(whole.x, end) - begin;
        word = select(min(whole.y, end) + (index - ahead), word, index < ahead);
    }
    if at.inside && word < end {
        take_word(at, word);
    }
}
