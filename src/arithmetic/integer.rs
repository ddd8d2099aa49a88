//! Exact affine steps of integers: numbers for `affine/integer.wgsl` (64 bits) and `affine/integer64.wgsl` (96 bits).
//!
//! The shader computes from the key of a number:
//!
//! ```text
//! sum    = (min(max(key, lowest), highest) - origin) * 2^shift_left * factor + addend
//! result = corrected floor((sum + inexact) / 2^shift_right + offset), saturated
//! ```
//!
//! `inexact` is the fraction that addend or offset loses when it is rounded down. The shader knows only whether there
//! is such a fraction. It computes the floor, and `rounding/` corrects the floor:
//!
//! 1. Toward zero, a negative floor with a fraction goes up by 1.
//! 2. To nearest, addend plus offset include 1/2, so the floor is the nearest integer. No fraction means a tie: an odd
//!    floor goes down by 1.
//!
//! With any finite f32 as scale and bias, `x * scale + bias` may need 341 bits. Two facts reduce this width:
//!
//! 1. Results beyond the dtype's range saturate, so a large term matters only by its sign. If the function is steep,
//!    all numbers saturate, except a few near its root.
//! 2. A rounded result changes only at boundaries: at integers or, to nearest, at middles between integers. A tiny
//!    product matters only if the bias is so close to a boundary that the product can cross it.

use std::ops::Range;

use super::bounds::key_base;
use super::low_first;
use crate::operator::Affine;
use crate::operator::format::Binary;
use crate::{DType, Rounding};

/// The numbers of `affine/integer.wgsl` in its order, for a step from integers of up to 32 bits.
pub(super) fn words_of_32(source: DType, affine: Affine, rounding: Rounding) -> [u32; 9] {
    let linear = Linear::new(source, affine, rounding, &WIDTH_64);
    let Linear { lowest, highest, origin, factor, negative, addend, offset, .. } = linear;
    let factor = if negative { 0_u32.wrapping_sub(factor) } else { factor };
    let [addend_low, addend_high] = low_first(addend);
    let [offset_low, offset_high] = low_first(offset);
    let [lowest, highest, origin] = [lowest, highest, origin].map(|key| key as u32);
    [lowest, highest, origin, factor, linear.shifts(), addend_low, addend_high, offset_low, offset_high]
}

/// The numbers of `affine/integer64.wgsl` in its order.
pub(super) fn words_of_64(dtype: DType, affine: Affine, rounding: Rounding) -> [u32; 14] {
    let linear = Linear::new(dtype, affine, rounding, &WIDTH_96);
    let mut words = [0; 14];
    for (n, key) in [linear.lowest, linear.highest, linear.origin].into_iter().enumerate() {
        words[2 * n..][..2].copy_from_slice(&low_first::<2>(key));
    }
    [words[6], words[7]] = [linear.factor, linear.shifts() | u32::from(linear.negative) << 17];
    words[8..11].copy_from_slice(&low_first::<3>(linear.addend));
    words[11..].copy_from_slice(&low_first::<3>(linear.offset));
    words
}

/// Limits of the shader's 64- or 96-bit integers, as exponents of two.
struct Width {
    /// No number of the dtype has a larger magnitude.
    number: u32,
    /// With a larger bias every result saturates, whatever the number, if the scale is below 2^24.
    bias: u32,
    /// The longest shift to the right; exceeds `product` by more than 1.
    shift: u32,
    /// Every product of a number and a 24-bit significand is smaller.
    product: u32,
    /// With a larger scale every number saturates, except one.
    steep: u32,
}

const WIDTH_64: Width = Width { number: 32, bias: 58, shift: 60, product: 57, steep: 40 };
const WIDTH_96: Width = Width { number: 64, bias: 90, shift: 92, product: 89, steep: 72 };

/// The numbers of the formula in the module's documentation.
pub(super) struct Linear {
    lowest: i128,
    highest: i128,
    origin: i128,
    factor: u32,
    negative: bool,
    shift_left: u32,
    shift_right: u32,
    addend: i128,
    inexact: bool,
    offset: i128,
    rounding: Rounding,
}

impl Linear {
    /// Both shifts, and whether a fraction is lost, in one word.
    fn shifts(&self) -> u32 {
        self.shift_left | self.shift_right << 8 | u32::from(self.inexact) << 16
    }

    /// The numbers for a step from `source` in a shader with integers of `width`.
    fn new(source: DType, affine: Affine, rounding: Rounding, width: &Width) -> Self {
        let (scale, bias) = (Single::of(affine.scale()), Single::of(affine.bias()));
        if scale.exponent <= 0 || scale.significand == 0 {
            Self::shallow(source, &scale, &bias, rounding, width)
        } else {
            Self::steep(source, &scale, &bias, rounding, width)
        }
    }

    /// The numbers for a step from an 8-bit `source`.
    pub(super) fn of_8_bits(source: DType, affine: Affine, rounding: Rounding) -> Self {
        Self::new(source, affine, rounding, &WIDTH_64)
    }

    /// The shader's 64-bit result for a key, before saturation.
    pub(super) fn result(&self, key: i64) -> i64 {
        self.rounded(self.sum(key.clamp(self.lowest as i64, self.highest as i64)))
    }

    /// The results for `keys` from `lowest` up to `highest`, each sum from the one before.
    pub(super) fn results(&self, keys: Range<i64>) -> impl Iterator<Item = i64> {
        self.sums(keys).map(|sum| self.rounded(sum))
    }

    /// As [`results`](Self::results), if none is negative and the step truncates.
    pub(super) fn floors(&self, keys: Range<i64>) -> impl Iterator<Item = i64> {
        self.sums(keys).map(|sum| (sum >> self.shift_right).wrapping_add(self.offset as i64))
    }

    fn sums(&self, keys: Range<i64>) -> impl Iterator<Item = i64> {
        let (mut sum, step) = (self.sum(keys.start), self.sum(1).wrapping_sub(self.sum(0)));
        keys.map(move |_| {
            let next = sum.wrapping_add(step);
            std::mem::replace(&mut sum, next)
        })
    }

    fn sum(&self, key: i64) -> i64 {
        let factor = i64::from(self.factor);
        let x = (key - self.origin as i64) << self.shift_left;
        x.wrapping_mul(if self.negative { -factor } else { factor }).wrapping_add(self.addend as i64)
    }

    fn rounded(&self, sum: i64) -> i64 {
        let floored = (sum >> self.shift_right).wrapping_add(self.offset as i64);
        let fraction = sum & ((1 << self.shift_right) - 1) != 0 || self.inexact;
        match self.rounding {
            Rounding::TowardZero => floored + i64::from(floored < 0 && fraction),
            Rounding::NearestEven => floored - i64::from(!fraction && floored & 1 != 0),
        }
    }

    /// |scale| below 2^24: the product is a fixed-point number with `-scale.exponent` binary places.
    fn shallow(dtype: DType, scale: &Single, bias: &Single, rounding: Rounding, width: &Width) -> Self {
        let (lowest, highest) = dtype.integer_range();
        let base = key_base(dtype);
        let places = scale.exponent.unsigned_abs();
        let (offset, fraction) = bias.floor(width.bias);
        let (offset, shift_right, in_units) = match rounding {
            Rounding::TowardZero => {
                let (shift, in_units) = fraction.in_units(places, width);
                (offset, shift, in_units)
            }
            Rounding::NearestEven => {
                let (whole, shift, in_units) = fraction.plus_half_in_units(places, width);
                (offset + whole, shift, in_units)
            }
        };
        let factor = i128::from(scale.significand);
        Self {
            lowest: lowest - base,
            highest: highest - base,
            origin: 0,
            factor: scale.significand,
            negative: scale.negative,
            shift_left: 0,
            shift_right,
            // A key is a number minus the base, so the addend includes the base times the factor.
            addend: in_units.floor + base * if scale.negative { -factor } else { factor },
            inexact: in_units.inexact,
            offset,
            rounding,
        }
    }

    /// |scale| at least 2^24: only numbers close to the root do not saturate.
    fn steep(dtype: DType, scale: &Single, bias: &Single, rounding: Rounding, width: &Width) -> Self {
        let (lowest, highest) = dtype.integer_range();
        let base = key_base(dtype);
        // `root` is the element whose result is nearest to 0. That result is within |scale| / 2 of 0, unless the zero
        // of the function lies beyond `dtype`.
        let limit = 1_i128 << (width.steep - 1);
        let distance = bias.exponent - scale.exponent;
        let bias_is_small = bias.magnitude < scale.magnitude / 2.0;
        // In the last two branches below, all results are integers. To nearest, adding 1/2 does not change their floors
        // and leaves a fraction, so `inexact` is true.
        let half = rounding == Rounding::NearestEven;
        let (root, offset, inexact) = if bias_is_small {
            let (floor, fraction) = bias.floor(width.steep - 1);
            match rounding {
                Rounding::TowardZero => (0, floor, fraction.part != 0),
                Rounding::NearestEven => {
                    let (whole, _, rest) = fraction.plus_half_in_units(0, width);
                    (0, floor + whole, rest.inexact)
                }
            }
        } else if distance > 70 {
            let root = if bias.negative == scale.negative { lowest } else { highest };
            (root, if bias.negative { -limit } else { limit }, half)
        } else {
            // Bias and scale, in units of half the scale's last bit. The bias is at least half the scale, so it has no
            // bits below this unit.
            let bias_units = bias.signed() << (distance + 1);
            let scale_units = scale.signed() * 2;
            let quotient = (bias_units.abs() + scale_units.abs() / 2) / scale_units.abs();
            let root = if bias.negative == scale.negative { -quotient } else { quotient };
            let root = root.clamp(lowest, highest);
            let units = scale_units * root + bias_units;
            let shift = scale.exponent.unsigned_abs() - 1;
            let most = limit >> shift;
            let value = if units.abs() > most { limit * units.signum() } else { units << shift };
            (root, value, half)
        };
        // 2^steep replaces a larger scale: with either, every number except the root saturates.
        let top = 23 + scale.exponent.unsigned_abs();
        let (factor, top) = if top > width.steep { (1 << 23, width.steep) } else { (scale.significand, top) };
        // Numbers so far from the root have results of 2^(number + 3) or more either way, which saturate.
        let range = 1_i128 << (width.number + 4).saturating_sub(top);
        Self {
            lowest: lowest.max(root - range) - base,
            highest: highest.min(root + range) - base,
            origin: root - base,
            factor,
            negative: scale.negative,
            shift_left: top - 23,
            shift_right: 0,
            addend: 0,
            inexact,
            offset,
            rounding,
        }
    }
}

/// An f32 as `± significand * 2^exponent`. The significand is 0, or its top bit is bit 23.
struct Single {
    magnitude: f64,
    negative: bool,
    significand: u32,
    exponent: i32,
}

impl Single {
    fn of(value: f64) -> Self {
        let Binary { negative, significand, exponent } = Binary::of(value);
        // The value is an f32, with 24 significant bits. The lower 29 bits of the f64 significand are 0.
        Self {
            magnitude: value.abs(),
            negative,
            significand: (significand >> 29) as u32,
            exponent: exponent + 29,
        }
    }

    fn signed(&self) -> i128 {
        let significand = i128::from(self.significand);
        if self.negative { -significand } else { significand }
    }

    /// The floor and the fraction above it. For magnitudes of 2^`limit` or more, the floor is ±2^`limit`.
    fn floor(&self, limit: u32) -> (i128, Fraction) {
        let none = Fraction { part: 0, places: 0, from_above: false };
        if self.significand == 0 {
            return (0, none);
        }
        if self.exponent >= 0 {
            if self.exponent + 23 >= limit.cast_signed() {
                return (if self.negative { -(1 << limit) } else { 1 << limit }, none);
            }
            return (self.signed() << self.exponent, none);
        }
        let places = self.exponent.unsigned_abs();
        let whole = i128::from(self.significand.checked_shr(places).unwrap_or(0));
        let part = if places < 32 { self.significand & ((1 << places) - 1) } else { self.significand };
        let fraction = Fraction { part, places, from_above: self.negative };
        match (self.negative, part) {
            (false, _) => (whole, fraction),
            (true, 0) => (-whole, none),
            (true, _) => (-whole - 1, fraction),
        }
    }
}

/// A number from 0 up to 1: `part / 2^places`, or `1 - part / 2^places` if `from_above`.
struct Fraction {
    part: u32,
    places: u32,
    from_above: bool,
}

/// A number rounded down, and whether rounding was inexact.
struct Floored {
    floor: i128,
    inexact: bool,
}

impl Fraction {
    /// The shader's shift to the right, and the fraction in units of `2^-places`.
    ///
    /// The shift is `places`, but at most `width.shift`. If `places` is larger, the number 1 becomes `2^shift` units
    /// instead of `2^places`. Products are at most `2^width.product` units. A fraction within this distance of 0 or 1
    /// keeps its distance in units. Any other fraction counts as a half, because no product carries it across an
    /// integer.
    fn in_units(&self, places: u32, width: &Width) -> (u32, Floored) {
        let most = 1_i128 << width.product;
        // `near` is the distance from 0, or from 1 if `from_above`; `far` is the distance from the other end.
        let near = self.part_in_units(places);
        let far = (places < 126).then(|| (1_i128 << places) - near.as_ref().map_or(0, |near| near.floor));
        let shift = places.min(width.shift);
        let exact = places <= width.shift;
        let (floor, inexact) = match (near, far) {
            (Some(near), _) if exact || near.floor <= most => {
                let floor = if self.from_above {
                    (1 << shift) - near.floor - i128::from(near.inexact)
                } else {
                    near.floor
                };
                (floor, near.inexact)
            }
            (Some(_), Some(far)) if far <= most => {
                (if self.from_above { far } else { (1 << shift) - far }, false)
            }
            _ => (1 << (shift - 1), false),
        };
        (shift, Floored { floor, inexact })
    }

    /// Adds a half to the fraction. Returns the floor of the sum (0 or 1), the shift, and the rest of the sum in the
    /// units of [`in_units`](Self::in_units).
    fn plus_half_in_units(&self, places: u32, width: &Width) -> (i128, u32, Floored) {
        if places == 0 {
            let halves = self.in_units(1, width).1;
            let inexact = halves.floor == 0 || halves.inexact;
            return (halves.floor, 0, Floored { floor: 0, inexact });
        }
        if places <= width.shift {
            let (shift, Floored { floor, inexact }) = self.in_units(places, width);
            let sum = floor + (1 << (shift - 1));
            return (sum >> shift, shift, Floored { floor: sum & ((1 << shift) - 1), inexact });
        }
        // Products are so small here that they matter only if the sum is close to an integer. A fraction with more than
        // 31 places is within 2^-8 of 0 or 1, so its sum with a half is close to no integer.
        if self.places > 31 {
            // A fraction just below 1, plus a half, is just below 3/2: its floor is 1.
            let whole = i128::from(self.from_above);
            return (whole, width.shift, Floored { floor: 1 << (width.shift - 1), inexact: false });
        }
        let places_here = self.places.max(1);
        let part = if self.from_above { (1 << self.places) - self.part } else { self.part };
        let sum = (part << (places_here - self.places)) + (1 << (places_here - 1));
        let part = sum & ((1 << places_here) - 1);
        let (shift, in_units) = Self { part, places: places_here, from_above: false }.in_units(places, width);
        ((sum >> places_here).into(), shift, in_units)
    }

    /// `part / 2^self.places` in units of `2^-places`, rounded down; `None` from 2^126 on.
    fn part_in_units(&self, places: u32) -> Option<Floored> {
        let part = i128::from(self.part);
        if places >= self.places {
            let shift = places - self.places;
            let floor =
                if part == 0 { 0 } else { (shift + 2 <= part.leading_zeros()).then(|| part << shift)? };
            return Some(Floored { floor, inexact: false });
        }
        // The part has at most 32 bits.
        let dropped = (self.places - places).min(32);
        let floor = part >> dropped;
        let inexact = part & ((1 << dropped) - 1) != 0;
        Some(Floored { floor, inexact })
    }
}
