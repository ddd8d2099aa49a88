//! Expressions that compose words of dst from bytes of src's words, with few shifts and masks.

use std::collections::BTreeMap;

use super::expr::Expr;

/// A byte of a loaded word.
#[derive(Clone, Copy)]
pub(super) struct Byte<'a> {
    pub(super) word: &'a Expr,
    /// Counted from the lowest byte.
    pub(super) number: usize,
}

/// A word with these bytes, the lowest one first; a missing byte is zero.
pub(super) fn word(bytes: [Option<Byte<'_>>; 4]) -> Expr {
    // Bytes that move the same distance are shifted together.
    let mut moves: BTreeMap<i32, Vec<(&Expr, u32)>> = BTreeMap::new();
    for (to, byte) in bytes.iter().enumerate().filter_map(|(to, byte)| Some((to, byte.as_ref()?))) {
        let words = moves.entry(8 * (to as i32 - byte.number as i32)).or_default();
        let mask = 0xff << (8 * byte.number);
        match words.iter_mut().find(|(word, _)| *word == byte.word) {
            Some((_, other)) => *other |= mask,
            None => words.push((byte.word, mask)),
        }
    }
    Expr::or(moves.iter().map(|(left, words)| moved(*left, words)))
}

/// The masked bytes of `words`, shifted left by `left` bits, or right if `left` is negative.
fn moved(left: i32, words: &[(&Expr, u32)]) -> Expr {
    if let [(word, mask)] = words {
        // A shift drops bits, so the mask may be superfluous.
        let mask = if left < 0 { mask >> -left } else { mask << left };
        return (*word).clone().shifted(left).masked(mask);
    }
    Expr::or(words.iter().map(|(word, mask)| (*word).clone().masked(*mask))).shifted(left)
}
