//! Exact steps of 32- and 64-bit integers, for scales and biases of every size, against integers of arbitrary precision.

use num_bigint::{BigInt, Sign};

use super::super::bounds::key_base;
use super::super::integer::{words_of_32, words_of_64};
use super::{ROUNDINGS, Random, WORDS};
use crate::operator::Affine;
use crate::{DType, Rounding};

/// The numbers that the shader reads, and the bits of its keys and of its sums.
#[derive(Debug)]
struct Numbers {
    lowest: i128,
    highest: i128,
    origin: i128,
    factor: i128,
    shift_left: u32,
    shift_right: u32,
    inexact: bool,
    addend: i128,
    below_one: i128,
    offset: i128,
    /// The number whose key is 0.
    base: i128,
    key_bits: u32,
    sum_bits: u32,
}

/// The low bits of a number, as a two's complement number.
fn wrapped(number: i128, bits: u32) -> i128 {
    number << (128 - bits) >> (128 - bits)
}

/// The number in these words, low word first.
fn joined<const N: usize>(words: [u32; N], bits: u32) -> i128 {
    wrapped(words.iter().rev().fold(0, |number, word| number << 32 | i128::from(*word)), bits)
}

impl Numbers {
    fn new(source: DType, dtype: DType, affine: Affine, rounding: Rounding) -> Self {
        if source.bits() == 64 {
            let words = words_of_64(source, affine, rounding);
            let key = |n: usize| joined([words[n], words[n + 1]], 64);
            let sum = |n: usize| joined([words[n], words[n + 1], words[n + 2]], 96);
            let shift_right = words[7] >> 8 & 0xff;
            return Self {
                lowest: key(0),
                highest: key(2),
                origin: key(4),
                factor: if words[7] >> 17 == 1 { -i128::from(words[6]) } else { words[6].into() },
                shift_left: words[7] & 0xff,
                shift_right,
                inexact: words[7] >> 16 & 1 == 1,
                addend: sum(8),
                below_one: (1 << shift_right) - 1,
                offset: sum(11),
                base: key_base(source),
                key_bits: 64,
                sum_bits: 96,
            };
        }
        let words = words_of_32(source, affine, rounding);
        let key = |n: usize| joined([words[n]], 32);
        let sum = |n: usize| joined([words[n], words[n + 1]], 64);
        let shift_right = words[4] >> 8 & 0xff;
        Self {
            lowest: key(0),
            highest: key(1),
            origin: key(2),
            factor: key(3),
            shift_left: words[4] & 0xff,
            shift_right,
            inexact: words[4] >> 16 == 1,
            addend: sum(5),
            below_one: (1 << shift_right) - 1,
            offset: sum(7),
            base: key_base(dtype),
            key_bits: 32,
            sum_bits: 64,
        }
    }

    /// The key of the result, by the formula of `affine/integer.wgsl` and `affine/integer64.wgsl`. It saturates at the ends of
    /// all keys.
    fn result(&self, key: i128, rounding: Rounding) -> i128 {
        let x = wrapped(key.clamp(self.lowest, self.highest) - self.origin, self.key_bits);
        let product = wrapped(x << self.shift_left, self.key_bits) * self.factor;
        let sum = wrapped(product + self.addend, self.sum_bits);
        let floored = wrapped((sum >> self.shift_right) + self.offset, self.sum_bits);
        let fraction = sum & self.below_one != 0 || self.inexact;
        let up = match rounding {
            Rounding::TowardZero => i128::from(fraction && floored < 0),
            Rounding::NearestEven => -i128::from(!fraction && floored & 1 == 1),
        };
        let most = (1 << (self.key_bits - 1)) - 1;
        (wrapped(floored + up, self.sum_bits) - self.base).clamp(-most - 1, most)
    }
}

/// The exponent of the unit of every f32.
const PLACES: u32 = 149;

/// An f32 in units of 2^-149.
fn in_units(number: f32) -> BigInt {
    let size = number.to_bits() & 0x7fff_ffff;
    let field = (size >> 23).max(1);
    let units = BigInt::from(size - ((field - 1) << 23)) << (field - 1);
    if number < 0.0 { -units } else { units }
}

/// A scale and a bias in units of 2^-149.
struct Exact {
    scale: BigInt,
    bias: BigInt,
}

impl Exact {
    /// `x * scale + bias`, rounded and saturated.
    fn result(&self, x: i128, dtype: DType, rounding: Rounding) -> i128 {
        let sum = &self.scale * x + &self.bias;
        let magnitude = sum.magnitude();
        let whole = magnitude >> PLACES;
        let up = match rounding {
            Rounding::TowardZero => false,
            Rounding::NearestEven => {
                let half = magnitude.bit(u64::from(PLACES) - 1);
                let is_tie = half && magnitude.trailing_zeros() == Some(u64::from(PLACES) - 1);
                half && (!is_tie || whole.bit(0))
            }
        };
        let whole = i128::try_from(whole + u32::from(up)).unwrap_or(i128::MAX);
        let (lowest, highest) = dtype.integer_range();
        if sum.sign() == Sign::Minus { -whole } else { whole }.clamp(lowest, highest)
    }

    /// The integer at, or next to, the number whose result is `halves / 2`.
    fn root(&self, halves: i128) -> i128 {
        if self.scale.sign() == Sign::NoSign {
            return 0;
        }
        let root = ((BigInt::from(halves) << (PLACES - 1)) - &self.bias) / &self.scale;
        i128::try_from(&root).unwrap_or(0)
    }
}

/// An f32 with its first digit at 2^(`size` - 149), or 0 for the size [`SIZES`]. Its sign and its further digits, of
/// which small numbers have fewer, depend on `chance`: none, the last one, all, or any.
fn number(size: u32, chance: u64) -> f32 {
    let digits = match chance % 4 {
        0 => 0,
        1 => 1,
        2 => 0x007f_ffff,
        _ => (chance >> 32) as u32 & 0x007f_ffff,
    };
    let bits = match size {
        SIZES => 0,
        0..23 => (1 << size) | digits & ((1 << size) - 1),
        _ => (size - 22) << 23 | digits,
    };
    f32::from_bits(bits | (chance as u32 >> 2 & 1) << 31)
}

/// The powers of two from 2^-149 to 2^127.
const SIZES: u32 = 277;

/// Every size of the scale beside every size of the bias, both 0 as well.
#[test]
fn steps_are_exact_for_scales_and_biases_of_every_size() {
    let wide = [DType::I64, DType::U64];
    let mut random = Random(0);
    for (scale_size, bias_size) in (0..=SIZES).flat_map(|scale| (0..=SIZES).map(move |bias| (scale, bias))) {
        let [scale, bias] = [scale_size, bias_size].map(|size| number(size, random.bits()));
        let exact = Exact { scale: in_units(scale), bias: in_units(bias) };
        let chance = random.bits() as usize;
        let (word, long) = (WORDS[chance % 2], wide[chance / 2 % 2]);
        let narrow = [DType::I32, DType::U32, DType::I16, DType::U8][chance / 4 % 4];
        for (source, dtype) in [(word, narrow), (long, long)] {
            let (base, (first, last)) = (key_base(source), source.integer_range());
            let (lower, upper) = dtype.integer_range();
            let roots =
                [-1, 0, 1, 3, 2 * lower, 2 * upper].map(|halves| exact.root(halves).clamp(first, last));
            for rounding in ROUNDINGS {
                let numbers = Numbers::new(source, dtype, Affine::new(scale.into(), bias.into()), rounding);
                let ends = [numbers.lowest, numbers.highest].map(|key| key + base);
                let about = roots.into_iter().chain(ends).chain([0, first, last]);
                for x in about.flat_map(|x| x - 1..=x + 1).filter(|x| (first..=last).contains(x)) {
                    let got = (numbers.result(x - base, rounding) + key_base(dtype)).clamp(lower, upper);
                    let expected = exact.result(x, dtype, rounding);
                    assert_eq!(
                        got, expected,
                        "{source} to {dtype}: {x} * {scale:e} + {bias:e}, {rounding:?}, {numbers:?}"
                    );
                }
            }
        }
    }
}
