//! The four float formats, and rounding to them once.

use super::exact::{Dyadic, Wide};
use crate::DType;

/// A float format in the encoding of IEEE 754. From the top bit down, it has a sign, an exponent field and a fraction
/// field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

impl Format {
    pub const F32: Self = Self { exponent_bits: 8, fraction_bits: 23 };
    pub const F16: Self = Self { exponent_bits: 5, fraction_bits: 10 };
    pub const BF16: Self = Self { exponent_bits: 8, fraction_bits: 7 };
    pub const F64: Self = Self { exponent_bits: 11, fraction_bits: 52 };

    /// The format of a dtype, `None` for an integer.
    pub const fn of(dtype: DType) -> Option<Self> {
        match dtype {
            DType::F32 => Some(Self::F32),
            DType::F16 => Some(Self::F16),
            DType::BF16 => Some(Self::BF16),
            DType::F64 => Some(Self::F64),
            DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64 => None,
        }
    }

    pub const fn sign(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// +∞: the exponent field all ones, the fraction zero.
    pub const fn infinity(self) -> u64 {
        (self.hidden_bit() << self.exponent_bits) - self.hidden_bit()
    }

    /// The canonical quiet NaN: sign 0, only the top fraction bit set.
    pub const fn quiet_nan(self) -> u64 {
        self.infinity() | (self.hidden_bit() >> 1)
    }

    /// Converts a NaN of `other`. Keeps the sign and the upper bits of the payload, and sets the quiet bit.
    pub const fn nan_from(self, other: Self, bits: u64) -> u64 {
        let sign = if bits & other.sign() == 0 { 0 } else { self.sign() };
        let fraction = bits & (other.hidden_bit() - 1);
        let payload = if self.fraction_bits < other.fraction_bits {
            fraction >> (other.fraction_bits - self.fraction_bits)
        } else {
            fraction << (self.fraction_bits - other.fraction_bits)
        };
        sign | self.quiet_nan() | payload
    }

    pub const fn is_nan(self, bits: u64) -> bool {
        self.magnitude(bits) > self.infinity()
    }

    pub const fn is_infinite(self, bits: u64) -> bool {
        self.magnitude(bits) == self.infinity()
    }

    pub const fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = self.magnitude(bits);
        0 < magnitude && magnitude < self.hidden_bit()
    }

    /// Whether a number that is not rounded yet lies between zero and the smallest normal number, in magnitude.
    pub fn is_below_normal(self, number: impl Into<Wide>) -> bool {
        let number = number.into();
        number.magnitude != 0 && number.leading() < self.min_exponent()
    }

    /// The bits without the sign. Their order is the order of the absolute values.
    pub const fn magnitude(self, bits: u64) -> u64 {
        bits & (self.sign() - 1)
    }

    /// The significand bits of a normal number: 24 for F32.
    pub const fn digits(self) -> u32 {
        self.fraction_bits + 1
    }

    /// The leading 1 that a normal number does not store.
    const fn hidden_bit(self) -> u64 {
        1 << self.fraction_bits
    }

    /// The exponent of the smallest normal number: −126 for F32.
    const fn min_exponent(self) -> i32 {
        2 - (1 << (self.exponent_bits - 1))
    }

    /// The exponent of the last place of a subnormal: −149 for F32.
    const fn least_exponent(self) -> i32 {
        self.min_exponent() - self.fraction_bits.cast_signed()
    }

    /// The number that the bits of a finite element stand for.
    pub fn decode(self, bits: u64) -> Dyadic {
        let negative = bits & self.sign() != 0;
        let fraction = bits & (self.hidden_bit() - 1);
        #[expect(clippy::cast_possible_truncation, reason = "an exponent field has at most 11 bits")]
        let field = (self.magnitude(bits) >> self.fraction_bits) as i32;
        if field == 0 {
            Dyadic { negative, magnitude: fraction, exponent: self.least_exponent() }
        } else {
            let magnitude = fraction | self.hidden_bit();
            Dyadic { negative, magnitude, exponent: self.least_exponent() + field - 1 }
        }
    }

    /// The nearest number of the format, ties to even; beyond the largest finite one, ±∞.
    pub fn round(self, number: Wide) -> u64 {
        let sign = if number.negative { self.sign() } else { 0 };
        if number.magnitude == 0 {
            return sign;
        }
        let leading = number.leading();
        if leading > -self.min_exponent() + 1 {
            return sign | self.infinity();
        }
        // Numbers of the format are `2^step` apart near this number. Below the smallest normal number the step is
        // constant.
        let binade = leading.max(self.min_exponent());
        let step = binade - self.fraction_bits.cast_signed();
        let significand = round_to_multiple(number, step);
        // The hidden bit of a normal number adds 1 to the exponent field, so the field starts one lower.
        // A carry out of the significand moves on to the next binade, or from the last one to ∞.
        let field = u64::from(binade.abs_diff(self.min_exponent()));
        sign | ((field << self.fraction_bits) + significand)
    }
}

/// The magnitude in units of `2^step`, rounded to an integer, ties to even.
fn round_to_multiple(number: Wide, step: i32) -> u64 {
    let dropped = number.exponent.abs_diff(step);
    #[expect(clippy::cast_possible_truncation, reason = "at most 54 bits are left")]
    if number.exponent >= step {
        (number.magnitude << dropped) as u64
    } else {
        let kept = number.magnitude.checked_shr(dropped).unwrap_or(0) as u64;
        let half = number.magnitude.checked_shr(dropped - 1).unwrap_or(0) & 1 == 1;
        let beyond_half = number.sticky || number.magnitude.trailing_zeros() < dropped - 1;
        let odd = kept & 1 == 1;
        kept + u64::from(half && (beyond_half || odd))
    }
}
