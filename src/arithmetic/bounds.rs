//! The bounds of a clamp as keys, which the shaders compare: integers that order elements by value.

use super::low_first;
use super::quantized::BEYOND;
use crate::fragment::mirrors;
use crate::operator::Kind;
use crate::operator::format::FloatFormat;
use crate::{Clamp, DType, NanRule, Number, Order};

mirrors! {
    /// Mirrors `Bounds` in `element/integer.wgsl`.
    struct IntegerBounds {
        min: i32,
        max: i32,
    }

    /// Mirrors `Bounds` in `element/rounded.wgsl` and `element/rounded32.wgsl`.
    struct RoundedBounds {
        min: i32,
        max: i32,
        nan: u32,
    }

    /// Mirrors `Bounds` in `element/quantized.wgsl`.
    struct QuantizedBounds {
        min: i32,
        max: i32,
        zero_point: i32,
        nan: i32,
    }

    /// Mirrors `Bounds` in `element/integer64.wgsl`.
    struct IntegerBounds64 {
        min: [u32; 2],
        max: [u32; 2],
    }

    /// Mirrors `Bounds` in `element/float.wgsl`. For 16-bit floats, keys and counts lie in the upper half of a word,
    /// and the bits of a bound in both halves.
    struct FloatBounds {
        below_first: u32,
        below_count: u32,
        above_first: u32,
        above_count: u32,
        min_bits: u32,
        max_bits: u32,
    }

    /// Mirrors `Bounds` in `element/float64.wgsl`.
    struct FloatBounds64 {
        below_first: [u32; 2],
        below_count: [u32; 2],
        above_first: [u32; 2],
        above_count: [u32; 2],
        min_bits: [u32; 2],
        max_bits: [u32; 2],
    }
}

impl IntegerBounds {
    pub(crate) fn new(clamp: &Clamp) -> Self {
        let (min, max) = integer_keys(clamp);
        Self { min: min as i32, max: max as i32 }
    }
}

impl RoundedBounds {
    pub(crate) fn new(clamp: &Clamp) -> Self {
        let IntegerBounds { min, max } = IntegerBounds::new(clamp);
        // The f32 that a NaN counts as. ±∞ saturates.
        let nan = match clamp.nan_rule() {
            NanRule::Propagate => 0.0_f32,
            NanRule::ToMin => f32::NEG_INFINITY,
            NanRule::ToMax => f32::INFINITY,
        };
        Self { min, max, nan: nan.to_bits() }
    }
}

impl QuantizedBounds {
    pub(crate) fn new(clamp: &Clamp) -> Self {
        let IntegerBounds { min, max } = IntegerBounds::new(clamp);
        // The rounded quotient that a NaN counts as. The others saturate with every zero point.
        let nan = match clamp.nan_rule() {
            NanRule::Propagate => 0,
            NanRule::ToMin => -BEYOND,
            NanRule::ToMax => BEYOND,
        };
        Self { min, max, zero_point: clamp.zero_point().unwrap_or(0), nan }
    }
}

impl IntegerBounds64 {
    pub(crate) fn new(clamp: &Clamp) -> Self {
        let (min, max) = integer_keys(clamp);
        Self { min: low_first(min), max: low_first(max) }
    }
}

impl FloatBounds {
    pub(crate) fn new(clamp: &Clamp) -> Self {
        let ranges = FloatRanges::new(clamp);
        let upper = |number: i128| (number as u32) << (32 - clamp.dtype().bits());
        let all = |bits: u64| bits as u32 | upper(bits.into());
        Self {
            below_first: upper(ranges.below.first),
            below_count: upper(ranges.below.count),
            above_first: upper(ranges.above.first),
            above_count: upper(ranges.above.count),
            min_bits: all(ranges.min_bits),
            max_bits: all(ranges.max_bits),
        }
    }
}

impl FloatBounds64 {
    pub(crate) fn new(clamp: &Clamp) -> Self {
        let ranges = FloatRanges::new(clamp);
        Self {
            below_first: low_first(ranges.below.first),
            below_count: low_first(ranges.below.count),
            above_first: low_first(ranges.above.first),
            above_count: low_first(ranges.above.count),
            min_bits: low_first(ranges.min_bits.into()),
            max_bits: low_first(ranges.max_bits.into()),
        }
    }
}

/// An integer minus its key: 2^31 for U32 and 2^63 for U64, since keys are signed; else 0.
pub(super) const fn key_base(dtype: DType) -> i128 {
    match dtype.kind() {
        Kind::Unsigned if dtype.bits() >= 32 => 1 << (dtype.bits() - 1),
        Kind::Signed | Kind::Unsigned => 0,
        Kind::Float(_) => panic!("keys of floats have no base"),
    }
}

/// The key of an element of an integer dtype.
pub(super) const fn integer_key(dtype: DType, bits: u64) -> i128 {
    dtype.integer(bits) - key_base(dtype)
}

/// The lowest and the highest key of an integer dtype.
pub(super) const fn integer_key_range(dtype: DType) -> (i128, i128) {
    let (lowest, highest) = dtype.integer_range();
    (lowest - key_base(dtype), highest - key_base(dtype))
}

fn integer_keys(clamp: &Clamp) -> (i128, i128) {
    let (lowest, highest) = integer_key_range(clamp.dtype());
    let key = |bound: Number, absent| bound.bits().map_or(absent, |bits| integer_key(clamp.dtype(), bits));
    let (min, max) = (key(clamp.min(), lowest), key(clamp.max(), highest));
    match clamp.order() {
        _ if min <= max => (min, max),
        Order::MinWins => (min, min),
        Order::MaxWins => (max, max),
    }
}

/// A range of `count` keys from `first` on, modulo 2^(bits of the dtype).
#[derive(Clone, Copy)]
struct Keys {
    first: i128,
    count: i128,
}

/// The keys that the shader replaces by each bound, and the bounds' bits.
struct FloatRanges {
    below: Keys,
    above: Keys,
    min_bits: u64,
    max_bits: u64,
}

impl FloatRanges {
    fn new(clamp: &Clamp) -> Self {
        let format = float_format(clamp.dtype());
        let (lowest, highest) = format.key_range();
        let (min, max) = (format.number(clamp.min()), format.number(clamp.max()));
        let (low, high) = (format.min_key(min), format.max_key(max));
        let mut ranges = Self {
            below: Keys { first: lowest, count: low - lowest },
            above: Keys { first: high + 1, count: highest - high },
            min_bits: format.min_bits(min),
            max_bits: format.max_bits(max),
        };
        // The keys of NaNs: modulo 2^(bits of the dtype), they follow the key of +∞ and precede the key of −∞.
        let nans = Keys { first: highest + 1, count: lowest - highest - 1 };
        let crossed = low > high;
        if crossed {
            // The winning bound replaces every number: `above` has all their keys.
            let winner = if clamp.order() == Order::MinWins { ranges.min_bits } else { ranges.max_bits };
            (ranges.min_bits, ranges.max_bits) = (winner, winner);
            ranges.above = Keys { first: lowest, count: highest - lowest + 1 };
            ranges.below.count = 0;
        }
        match clamp.nan_rule() {
            NanRule::Propagate => {}
            NanRule::ToMax if !crossed => ranges.above.count += nans.count,
            // Min, or the winning bound, replaces NaNs too. Their keys precede the key of −∞, so `below` begins with
            // them.
            NanRule::ToMin | NanRule::ToMax => {
                ranges.below = Keys { first: nans.first, count: nans.count + ranges.below.count };
            }
        }
        ranges
    }
}

/// Whether no bound of a float clamp replaces a zero or a NaN; false if a bound is on the GPU.
pub(super) fn zero_is_within(clamp: &Clamp) -> bool {
    let on_gpu = [clamp.min(), clamp.max()].contains(&Number::OnGpu);
    let format = float_format(clamp.dtype());
    let (low, high) =
        (format.min_key(format.number(clamp.min())), format.max_key(format.number(clamp.max())));
    !on_gpu && clamp.nan_rule() == NanRule::Propagate && low <= -1 && high >= 0
}

pub(super) fn float_format(dtype: DType) -> FloatFormat {
    FloatFormat::of(dtype).expect("the dtype is a float")
}

/// Keys of float bits, which the shaders compare.
impl FloatFormat {
    /// The keys of −∞ and +∞.
    pub(super) fn key_range(&self) -> (i128, i128) {
        (self.key(self.sign | self.infinity), self.key(self.infinity))
    }

    /// The bits of a bound that may replace numbers; `None` if the bound is absent, a NaN or on the GPU.
    pub(super) fn number(&self, bound: Number) -> Option<u64> {
        bound.bits().filter(|&bits| !self.is_nan(bits))
    }

    /// The lowest key that Min keeps. −0 and +0, with keys −1 and 0, are equal: either as Min keeps both.
    pub(super) fn min_key(&self, min: Option<u64>) -> i128 {
        min.map_or(self.key_range().0, |bits| match self.key(bits) {
            0 => -1,
            key => key,
        })
    }

    /// The highest key that Max keeps. Either zero as Max keeps both.
    pub(super) fn max_key(&self, max: Option<u64>) -> i128 {
        max.map_or(self.key_range().1, |bits| match self.key(bits) {
            -1 => 0,
            key => key,
        })
    }

    /// The bits of Min; −∞ if Min replaces nothing.
    pub(super) fn min_bits(&self, min: Option<u64>) -> u64 {
        min.unwrap_or(self.sign | self.infinity)
    }

    /// The bits of Max; +∞ if Max replaces nothing.
    pub(super) fn max_bits(&self, max: Option<u64>) -> u64 {
        max.unwrap_or(self.infinity)
    }

    /// The key as in `element/float.wgsl`, but not wrapped to the bits of the dtype.
    fn key(&self, bits: u64) -> i128 {
        let magnitude = i128::from(bits & (self.sign - 1));
        if bits & self.sign == 0 { magnitude } else { !magnitude }
    }
}
