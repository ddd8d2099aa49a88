// Words that straddle two loaded words.
//
// Provides: across_words
//
// The word that begins `shift` bits into `low` and continues in `high`. `shift` is below 32.
fn across_words(low: u32, high: u32, shift: u32) -> u32 {
    return (low >> shift) | ((high << 1u) << (31u - shift));
}
