//! Expressions that compose words of dst from bytes of src's words, with few shifts and masks.

use std::collections::BTreeMap;

/// A byte of a loaded word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Byte<'a> {
    /// The word's name.
    pub(super) word: &'a str,
    /// Counted from the lowest byte.
    pub(super) number: usize,
}

/// Intermediate words, each with bytes of two loaded words side by side. Several words of dst use the same one.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    names: BTreeMap<(String, String, usize), String>,
    /// Declarations of new words, for the caller to take.
    pub(super) lines: Vec<String>,
}

impl Pairs {
    /// Returns the name of a word. Its lower half has byte `number % 2` of `low` and of `high`, its upper half byte
    /// `number % 2 + 2` of both.
    fn of(&mut self, low: &str, high: &str, number: usize) -> &str {
        let odd = number % 2;
        let count = self.names.len();
        self.names.entry((low.to_owned(), high.to_owned(), odd)).or_insert_with(|| {
            let name = format!("pairs_{count}");
            let [low, high] = match odd {
                0 => [format!("({low} & 0xff00ffu)"), format!("(({high} & 0xff00ffu) << 8u)")],
                _ => [format!("(({low} >> 8u) & 0xff00ffu)"), format!("({high} & 0xff00ff00u)")],
            };
            self.lines.push(format!("let {name} = {low} | {high};"));
            name
        })
    }
}

/// The expression of a word with these bytes, the lowest one first; a missing byte is zero.
pub(super) fn word(bytes: [Option<Byte<'_>>; 4], pairs: &mut Pairs) -> String {
    if let [Some(a), Some(b), Some(c), Some(d)] = bytes {
        // As in a transpose of four words: each half of the word has the same byte of two words.
        let pair = |a: Byte<'_>, b: Byte<'_>| a.number == b.number && a.word != b.word;
        if pair(a, b) && pair(c, d) {
            let low = pairs.of(a.word, b.word, a.number).to_owned();
            let high = pairs.of(c.word, d.word, c.number);
            let low = if a.number < 2 { format!("({low} & 0xffffu)") } else { format!("({low} >> 16u)") };
            let high =
                if c.number < 2 { format!("({high} << 16u)") } else { format!("({high} & 0xffff0000u)") };
            return format!("{low} | {high}");
        }
    }
    // Bytes that move the same distance are shifted together.
    let mut moves: BTreeMap<i32, Vec<(&str, u32)>> = BTreeMap::new();
    for (to, byte) in bytes.iter().enumerate().filter_map(|(to, byte)| Some((to, byte.as_ref()?))) {
        let words = moves.entry(8 * (to as i32 - byte.number as i32)).or_default();
        let mask = 0xff << (8 * byte.number);
        match words.iter_mut().find(|(word, _)| *word == byte.word) {
            Some((_, other)) => *other |= mask,
            None => words.push((byte.word, mask)),
        }
    }
    let parts: Vec<_> = moves.iter().map(|(left, words)| moved(*left, words)).collect();
    if parts.is_empty() { "0u".to_owned() } else { parts.join(" | ") }
}

/// The expression of the masked bytes of `words`, shifted left by `left` bits, or right if `left` is negative.
fn moved(left: i32, words: &[(&str, u32)]) -> String {
    if let [(word, mask)] = words {
        // A shift drops bits, so the mask may be superfluous.
        let (shifted, kept, mask) = match left {
            0 => ((*word).to_owned(), u32::MAX, *mask),
            1.. => (format!("({word} << {left}u)"), u32::MAX << left, mask << left),
            _ => (format!("({word} >> {}u)", -left), u32::MAX >> -left, mask >> -left),
        };
        return if mask == kept { shifted } else { format!("({shifted} & {mask:#x}u)") };
    }
    let masked: Vec<_> = words.iter().map(|(word, mask)| format!("({word} & {mask:#x}u)")).collect();
    let joined = masked.join(" | ");
    match left {
        0 => joined,
        1.. => format!("(({joined}) << {left}u)"),
        _ => format!("(({joined}) >> {}u)", -left),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_stay_or_move_together_are_masked_or_shifted_once() {
        let mut pairs = Pairs::default();
        let byte = |word: &'static str, number| Some(Byte { word, number });
        let mut word = |bytes| word(bytes, &mut pairs);
        assert_eq!(word([byte("a", 0), byte("a", 1), byte("a", 2), byte("a", 3)]), "a");
        assert_eq!(word([byte("a", 1), byte("a", 2), byte("a", 3), byte("b", 0)]), "(a >> 8u) | (b << 24u)");
        assert_eq!(word([byte("a", 0), None, byte("b", 2), None]), "(a & 0xffu) | (b & 0xff0000u)");
        assert_eq!(word([None, None, byte("a", 0), byte("b", 1)]), "(((a & 0xffu) | (b & 0xff00u)) << 16u)");
        assert_eq!(word([None; 4]), "0u");
        assert!(pairs.lines.is_empty());
    }

    #[test]
    fn columns_of_four_words_share_their_pairs() {
        let mut pairs = Pairs::default();
        let column = |number, pairs: &mut Pairs| {
            word(["a", "b", "c", "d"].map(|word| Some(Byte { word, number })), pairs)
        };
        let columns: Vec<_> = (0..4).map(|number| column(number, &mut pairs)).collect();
        assert_eq!(columns[0], "(pairs_0 & 0xffffu) | (pairs_1 << 16u)");
        assert_eq!(columns[2], "(pairs_0 >> 16u) | (pairs_1 & 0xffff0000u)");
        assert_eq!(columns[3], "(pairs_2 >> 16u) | (pairs_3 & 0xffff0000u)");
        assert_eq!(pairs.lines.len(), 4);
        assert_eq!(pairs.lines[0], "let pairs_0 = (a & 0xff00ffu) | ((b & 0xff00ffu) << 8u);");
        assert_eq!(pairs.lines[2], "let pairs_2 = ((a >> 8u) & 0xff00ffu) | (b & 0xff00ff00u);");
    }
}
