//! Exact numbers, and inputs that are hard to compute with.

use std::cmp::Ordering;

use clamp_testing::random::splitmix64;
use half::{bf16, f16};
use num_bigint::{BigInt, Sign};
use wgpu_clamp::verify::{Buffers, Report};
use wgpu_clamp::{Clamp, Clamps, DType, Error, Layout, Number, Rounding};

/// The random generator of all tests.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        splitmix64(&mut self.0)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[usize::try_from(self.below(values.len() as u64)).unwrap()]
    }

    /// The bits of a float: often sparse, often near an edge of the format, NaN and ±∞ included.
    pub fn float(&mut self, dtype: DType) -> u64 {
        let (exponent_bits, fraction_bits) = fields(dtype);
        let sign = self.below(2) << (exponent_bits + fraction_bits);
        let largest = (1 << exponent_bits) - 1;
        let exponent = match self.below(8) {
            0 => 0,
            1 => 1 + self.below(3),
            2 => largest - self.below(3),
            3 | 4 => largest / 2 - 3 + self.below(7),
            _ => self.below(largest + 1),
        };
        let full = (1 << fraction_bits) - 1;
        let fraction = match self.below(6) {
            0 => 0,
            1 => full,
            2 => 1 << self.below(u64::from(fraction_bits)),
            3 => full & !(1 << self.below(u64::from(fraction_bits))),
            _ => self.bits() & full,
        };
        sign | (exponent << fraction_bits) | fraction
    }

    pub fn finite_f32(&mut self) -> f32 {
        loop {
            let value = f32::from_bits(u32::try_from(self.float(DType::F32)).unwrap());
            if value.is_finite() {
                return value;
            }
        }
    }

    pub fn finite_f64(&mut self) -> f64 {
        loop {
            let value = f64::from_bits(self.float(DType::F64));
            if value.is_finite() {
                return value;
            }
        }
    }

    /// The bits of an integer, of any length, often next to a power of two.
    pub fn integer(&mut self, dtype: DType) -> u64 {
        let length = self.below(u64::from(dtype.bits()) + 1);
        let power = 1_u64.checked_shl(u32::try_from(length).unwrap()).unwrap_or(0);
        let bits = match self.below(6) {
            0 => power,
            1 => power.wrapping_sub(1),
            2 => power.wrapping_add(1),
            3 => power.wrapping_neg(),
            _ => self.bits() & power.wrapping_sub(1),
        };
        bits & (u64::MAX >> (64 - dtype.bits()))
    }

    pub fn element(&mut self, dtype: DType) -> u64 {
        if dtype.is_float() { self.float(dtype) } else { self.integer(dtype) }
    }
}

/// The nearest finite f32.
#[expect(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
pub fn narrow(value: f64) -> f32 {
    (value as f32).clamp(f32::MIN, f32::MAX)
}

/// A finite scale or bias.
pub fn parameter(random: &mut Random, dtype: DType) -> f64 {
    match random.below(6) {
        0 => random.pick(&[0.0, -0.0, 1.0, -1.0, 0.5, 0.1_f32.into(), 1024.0, 2.0_f64.powi(64), 0.75, 3.0]),
        _ if dtype == DType::F64 => random.finite_f64(),
        _ => random.finite_f32().into(),
    }
}

/// A bias that makes `product + bias` hard: near the cancelling one, or near half a unit in the last place.
fn hard_bias(random: &mut Random, dtype: DType, product: f64) -> f64 {
    let precision = if dtype.is_float() { fields(dtype).1.cast_signed() } else { 0 };
    let near = match random.below(3) {
        0 => -product,
        1 => product * 2.0_f64.powi(-precision - 1),
        _ => product.abs().log2().floor().exp2() * 2.0_f64.powi(-precision - 1),
    };
    let near = if random.below(2) == 0 { near } else { -near };
    if !near.is_finite() {
        return parameter(random, dtype);
    }
    if dtype == DType::F64 {
        f64::from_bits(near.to_bits().wrapping_add(random.below(3)).wrapping_sub(1))
    } else {
        let near = narrow(near);
        f32::from_bits(near.to_bits().wrapping_add(u32::try_from(random.below(3)).unwrap()).wrapping_sub(1))
            .into()
    }
}

pub fn bias_for(random: &mut Random, dtype: DType, product: f64) -> f64 {
    let bias = match random.below(2) {
        0 => hard_bias(random, dtype, product),
        _ => parameter(random, dtype),
    };
    if bias.is_finite() { bias } else { 1.0 }
}

/// The widths of the exponent and the fraction field.
pub fn fields(dtype: DType) -> (u32, u32) {
    match dtype {
        DType::F32 => (8, 23),
        DType::F16 => (5, 10),
        DType::BF16 => (8, 7),
        DType::F64 => (11, 52),
        _ => panic!("{dtype} is not a float"),
    }
}

pub fn sign_bit(dtype: DType) -> u64 {
    1 << (dtype.bits() - 1)
}

pub fn infinity(dtype: DType) -> u64 {
    let (exponent_bits, fraction_bits) = fields(dtype);
    ((1 << exponent_bits) - 1) << fraction_bits
}

/// A float element as an f64, which holds each of them exactly.
pub fn to_f64(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F32 => f32::from_bits(u32::try_from(bits).unwrap()).into(),
        DType::F16 => f16::from_bits(u16::try_from(bits).unwrap()).to_f64(),
        DType::BF16 => bf16::from_bits(u16::try_from(bits).unwrap()).to_f64(),
        DType::F64 => f64::from_bits(bits),
        _ => panic!("{dtype} is not a float"),
    }
}

/// Scale and bias of a clamp that has an affine step.
pub fn affine(clamp: &Clamp) -> Option<(f64, f64)> {
    let value = |number: Number| number.value().map(|scalar| to_f64(scalar.dtype(), scalar.bits()));
    value(clamp.scale()).zip(value(clamp.bias()))
}

/// An integer element as a number.
pub fn to_i128(dtype: DType, bits: u64) -> i128 {
    let wraps = dtype.is_signed_integer() && bits & sign_bit(dtype) != 0;
    i128::from(bits) - if wraps { 1 << dtype.bits() } else { 0 }
}

/// A number in units of 2^-2200. Every product of two f64, and half of every subnormal, is a whole number of units.
pub struct Fixed;

impl Fixed {
    const POINT: u32 = 2200;

    /// `±magnitude * 2^exponent`.
    pub fn scaled(magnitude: impl Into<BigInt>, exponent: i32) -> BigInt {
        magnitude.into() << u32::try_from(Self::POINT.cast_signed() + exponent).unwrap()
    }

    pub fn from_f64(value: f64) -> BigInt {
        let (numerator, exponent) = Self::parts(value);
        Self::scaled(numerator, exponent)
    }

    /// The product of two numbers in the form of [`Fixed::parts`].
    pub fn product(a: (i128, i32), b: (i128, i32)) -> BigInt {
        Self::scaled(BigInt::from(a.0) * b.0, a.1 + b.1)
    }

    /// Numerator and exponent: `value = numerator * 2^exponent`.
    pub fn parts(value: f64) -> (i128, i32) {
        let bits = value.to_bits();
        let field = i32::try_from((bits >> 52) & 0x7ff).unwrap();
        let fraction = i128::from(bits & ((1 << 52) - 1));
        let magnitude = if field == 0 { fraction } else { fraction + (1 << 52) };
        (if value.is_sign_negative() { -magnitude } else { magnitude }, field.max(1) - 1075)
    }

    /// The value of a float's magnitude bits; ∞ counts as the power of two that would follow.
    pub fn ladder(dtype: DType, magnitude: u64) -> BigInt {
        let (exponent_bits, fraction_bits) = fields(dtype);
        let bias = (1_i32 << (exponent_bits - 1)) - 1;
        let field = i32::try_from(magnitude >> fraction_bits).unwrap();
        let fraction = magnitude & ((1 << fraction_bits) - 1);
        let significand = if field == 0 { fraction } else { fraction + (1 << fraction_bits) };
        Self::scaled(significand, field.max(1) - bias - fraction_bits.cast_signed())
    }

    /// The nearest float element, ties to even; `negative_zero` gives the sign of an exact 0.
    pub fn to_float(dtype: DType, value: &BigInt, negative_zero: bool) -> u64 {
        let magnitude = BigInt::from(value.magnitude().clone());
        // Bisect for the greatest element that is not above the magnitude.
        let (mut low, mut above) = (0, infinity(dtype) + 1);
        while above - low > 1 {
            let middle = u64::midpoint(low, above);
            if Self::ladder(dtype, middle) <= magnitude { low = middle } else { above = middle }
        }
        let low = if low < infinity(dtype) {
            let between = Self::ladder(dtype, low) + Self::ladder(dtype, low + 1);
            let up = match BigInt::cmp(&(magnitude * 2_u32), &between) {
                Ordering::Less => false,
                Ordering::Equal => low % 2 == 1,
                Ordering::Greater => true,
            };
            low + u64::from(up)
        } else {
            low
        };
        let negative = value.sign() == Sign::Minus || value.sign() == Sign::NoSign && negative_zero;
        low | if negative { sign_bit(dtype) } else { 0 }
    }

    /// The integer element, rounded and saturated.
    pub fn to_integer(dtype: DType, rounding: Rounding, value: &BigInt) -> u64 {
        let whole = match rounding {
            Rounding::TowardZero => Self::truncated(value),
            Rounding::NearestEven => Self::nearest_even(value),
        };
        let lowest = if dtype.is_signed_integer() { -(1_i128 << (dtype.bits() - 1)) } else { 0 };
        let highest = lowest + (1_i128 << dtype.bits()) - 1;
        let whole = i128::try_from(whole.clamp(lowest.into(), highest.into())).unwrap();
        u64::try_from(whole.rem_euclid(1 << dtype.bits())).unwrap()
    }

    /// The nearest integer, ties to even.
    fn nearest_even(value: &BigInt) -> BigInt {
        // Round half up; at a tie, step back from an odd number. The shift rounds down.
        let raised = value + (BigInt::from(1) << (Self::POINT - 1));
        let above: BigInt = &raised >> Self::POINT;
        let is_tie = &above << Self::POINT == raised;
        if is_tie && above.bit(0) { above - 1 } else { above }
    }

    /// The integer part, toward zero.
    pub fn truncated(value: &BigInt) -> BigInt {
        value / (BigInt::from(1) << Self::POINT)
    }
}

/// Calls [`verify::check`](wgpu_clamp::verify::check) on whole buffers.
pub fn check<'a>(
    clamps: impl Into<Clamps<'a>>,
    src_layout: &Layout,
    src: &[u8],
    dst_layout: &Layout,
    dst_before: &[u8],
    dst_after: &[u8],
) -> Result<Report, Error> {
    wgpu_clamp::verify::check(clamps, Buffers { src_layout, src, dst_layout, dst_before, dst_after })
}
