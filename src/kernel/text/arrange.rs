//! Expressions that compose words of dst from bytes of src's words, with few shifts and masks.

use std::collections::BTreeMap;

use super::expr::{Expr, Named};

/// A byte of a loaded word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Byte<'a> {
    pub(super) word: &'a Expr,
    /// Counted from the lowest byte.
    pub(super) number: usize,
}

/// A word whose lower half has byte `number % 2` of `low` and of `high`, and whose upper half has byte `number % 2 + 2` of
/// both.
fn pair(low: &Expr, high: &Expr, number: usize) -> Expr {
    let (low, high) = (low.clone(), high.clone());
    Expr::or(match number % 2 {
        0 => [low.masked(0x00ff_00ff), high.masked(0x00ff_00ff).shifted(8)],
        _ => [low.shifted(-8).masked(0x00ff_00ff), high.masked(0xff00_ff00)],
    })
}

/// A word with these bytes, the lowest one first; a missing byte is zero. `pairs` names intermediate words, which several
/// words of dst use.
pub(super) fn word(bytes: [Option<Byte<'_>>; 4], pairs: &mut Named) -> Expr {
    if let [Some(a), Some(b), Some(c), Some(d)] = bytes {
        // As in a transpose of four words: each half of the word has the same byte of two words.
        let are_pair = |a: Byte<'_>, b: Byte<'_>| a.number == b.number && a.word != b.word;
        if are_pair(a, b) && are_pair(c, d) {
            let low = pairs.name(pair(a.word, b.word, a.number));
            let high = pairs.name(pair(c.word, d.word, c.number));
            return Expr::or([
                if a.number < 2 { low.masked(0xffff) } else { low.shifted(-16) },
                if c.number < 2 { high.shifted(16) } else { high.masked(0xffff_0000) },
            ]);
        }
    }
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
