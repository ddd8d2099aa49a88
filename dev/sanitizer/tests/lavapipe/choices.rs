//! The source of choices and words for random programs.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::program::Program;

pub use clamp_testing::random::Random;

/// Numbers, one for each choice. After the last number all choices are 0. The choice 0 always ends a program soonest,
/// so proptest shortens a failing program by removing numbers.
pub struct Choices(std::vec::IntoIter<u32>);

impl Choices {
    /// Any number.
    pub fn word(&mut self) -> u32 {
        self.0.next().unwrap_or(0)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.word() as usize % end
    }

    /// One of these; the first is the simplest.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// True once in `times` times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// The bytes of `words` random words.
    pub fn bytes(&mut self, words: usize) -> Vec<u8> {
        let mut random = Random(self.word().into());
        (0..words).flat_map(|_| interesting(random.bits()).to_le_bytes()).collect()
    }

    /// A word, often an edge case such as 0 or a power of two.
    pub fn interesting(&mut self) -> u32 {
        interesting(u64::from(self.word()) << 32 | u64::from(self.word()))
    }
}

fn interesting(bits: u64) -> u32 {
    let word = bits as u32;
    match bits >> 32 & 7 {
        0 => word % 8,
        1 => (word % 8).wrapping_neg(),
        2 => 0x7fff_ffff + word % 3,
        3 => 1 << (word % 32),
        4 => word % 65536,
        _ => word,
    }
}

/// Runs random programs, the same ones each time: `cases` of them, or as many as `PROPTEST_CASES` says. A program takes
/// fewer than `length` choices that are random; all further choices are 0.
///
/// # Panics
///
/// If `check` panics; proptest then makes the program as short as it can, and prints it.
pub fn random_programs(
    cases: u32,
    length: usize,
    generate: impl Fn(&mut Choices) -> Program,
    check: impl Fn(&Program),
) {
    let asked = std::env::var("PROPTEST_CASES").ok().map(|cases| cases.parse().unwrap());
    let config = Config { cases: asked.unwrap_or(cases), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let programs = vec(any::<u32>(), 0..length).prop_map(|words| generate(&mut Choices(words.into_iter())));
    runner
        .run(&programs, |program| {
            check(&program);
            Ok(())
        })
        .unwrap();
}
