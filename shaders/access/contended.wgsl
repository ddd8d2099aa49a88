// Words of src for a dst of which a word holds several elements: with both in one buffer, others may change bits of
// them.
//
// Provides: load_shared_word
// Needs: load_contended_src_word
fn load_shared_word(i: u32) -> u32 {
    return load_contended_src_word(i);
}
