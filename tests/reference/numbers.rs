//! The operator's results in integers of arbitrary precision.

use clamp_testing::numbers::{integer, limits};
use clamp_testing::values::mask;
use num_bigint::{BigInt, Sign};
use wgpu_clamp::{Clamp, DType, Rounding, Scalar};

/// Exact numbers count units of 2^-`POINT`; their products and sums count units of 2^-2200. Every f64 is a whole number
/// of the first unit, and half of any f64 is a whole number of the second.
const POINT: u32 = 1100;

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

/// The bits of the least normal number.
pub fn least_normal(dtype: DType) -> u64 {
    1 << fields(dtype).1
}

/// The low bits of an integer, as many as the dtype has.
pub fn wrapped(dtype: DType, number: i128) -> u64 {
    number as u64 & mask(dtype)
}

/// The exponent of a subnormal number's last place, counted in the unit of [`exact`].
fn least_exponent(dtype: DType) -> u32 {
    let (exponent_bits, fraction_bits) = fields(dtype);
    POINT + 2 - (1 << (exponent_bits - 1)) - fraction_bits
}

/// A finite element, in units of 2^-1100.
fn exact(dtype: DType, bits: u64) -> BigInt {
    if !dtype.is_float() {
        return BigInt::from(integer(dtype, bits)) << POINT;
    }
    let fraction_bits = fields(dtype).1;
    let magnitude = bits & !sign_bit(dtype);
    let field = (magnitude >> fraction_bits).max(1);
    // A subnormal number has the exponent of field 1, and no leading 1.
    let significand = magnitude - ((field - 1) << fraction_bits);
    let value = BigInt::from(significand) << (least_exponent(dtype) + field as u32 - 1);
    if bits == magnitude { value } else { -value }
}

/// `a * b + c` of finite elements, in units of 2^-2200.
fn product_and_sum([a, b, c]: [(DType, u64); 3]) -> BigInt {
    exact(a.0, a.1) * exact(b.0, b.1) + (exact(c.0, c.1) << POINT)
}

/// Whether `a * b + c` lies below the least normal number of a float, before any rounding.
pub fn is_tiny(dtype: DType, numbers: [u64; 3]) -> bool {
    let least = exact(dtype, least_normal(dtype)) << POINT;
    product_and_sum(numbers.map(|bits| (dtype, bits))).magnitude() < least.magnitude()
}

/// The correctly rounded result of a clamp without bounds, for a finite element.
pub fn rounded_result(clamp: &Clamp, x: u64) -> u64 {
    let (source, dtype) = (clamp.source(), clamp.dtype());
    let negative = |dtype: DType, bits| {
        let is_signed = dtype.is_float() || dtype.is_signed_integer();
        is_signed && bits & sign_bit(dtype) != 0
    };
    let Some((scale, bias)) = clamp.scale().value().zip(clamp.bias().value()) else {
        let value = exact(source, x) << POINT;
        return if source == dtype { x } else { rounded(clamp, &value, negative(source, x)) };
    };
    let of = |scalar: Scalar| (scalar.dtype(), scalar.bits());
    let sum = product_and_sum([(source, x), of(scale), of(bias)]);
    // Only negative zeros add up to −0; a cancelled sum is +0.
    let product_negative = negative(source, x) != negative(scale.dtype(), scale.bits());
    let bias_negative_zero = bias.bits() == sign_bit(bias.dtype());
    rounded(clamp, &sum, product_negative && bias_negative_zero)
}

/// The real quotient of two positive f32s, rounded to the nearest f32, ties to even.
pub fn quotient(x: f32, scale: f32) -> f32 {
    let [x, scale] = [x, scale].map(|number| exact(DType::F32, number.to_bits().into()));
    let dividend = x << (2 * POINT);
    let mut quotient = &dividend / &scale;
    // The last bit is far below what rounding keeps; it tells that a remainder is left.
    if &quotient * &scale != dividend {
        quotient.set_bit(0, true);
    }
    f32::from_bits(rounded(&Clamp::unbounded(DType::F32), &quotient, false) as u32)
}

/// The element of a float dtype that is nearest to a number, ties to even.
pub fn nearest_float(dtype: DType, value: f64) -> u64 {
    if value.is_infinite() {
        return infinity(dtype) | if value < 0.0 { sign_bit(dtype) } else { 0 };
    }
    let exact = exact(DType::F64, value.to_bits()) << POINT;
    rounded(&Clamp::unbounded(dtype), &exact, value.is_sign_negative())
}

/// The element of a float dtype that is nearest to an integer, ties to even.
pub fn nearest_float_of_integer(dtype: DType, value: i64) -> u64 {
    rounded(&Clamp::unbounded(dtype), &(BigInt::from(value) << (2 * POINT)), false)
}

/// Rounds a sum of [`product_and_sum`] to the nearest float, ties to even, or to an integer as the clamp does.
/// `negative_zero`: whether an exact 0 becomes −0.
fn rounded(clamp: &Clamp, value: &BigInt, negative_zero: bool) -> u64 {
    let dtype = clamp.dtype();
    if !dtype.is_float() {
        let whole = match clamp.rounding() {
            Rounding::TowardZero => value / (BigInt::from(1) << (2 * POINT)),
            Rounding::NearestEven => nearest_even(value, 2 * POINT),
            _ => unreachable!("a new rounding"),
        };
        let [lowest, highest] = limits(dtype).map(BigInt::from);
        return wrapped(dtype, whole.clamp(lowest, highest).try_into().unwrap());
    }
    let fraction_bits = fields(dtype).1;
    let magnitude = BigInt::from(value.magnitude().clone());
    // The unit in the last place, as a power of two.
    let subnormal = POINT + least_exponent(dtype);
    let last_place = subnormal.max((magnitude.bits() as u32).saturating_sub(fraction_bits + 1));
    let significand = u64::try_from(nearest_even(&magnitude, last_place)).unwrap();
    // The leading 1 of a normal number carries into the exponent's field, and so does rounding up to a power of two.
    let bits = (u64::from(last_place - subnormal) << fraction_bits) + significand;
    let negative = value.sign() == Sign::Minus || value.sign() == Sign::NoSign && negative_zero;
    bits.min(infinity(dtype)) | if negative { sign_bit(dtype) } else { 0 }
}

/// `value` / 2^`bits`, rounded to the nearest integer, ties to even.
fn nearest_even(value: &BigInt, bits: u32) -> BigInt {
    // Round half up; at a tie, step back from an odd number. The shift rounds down.
    let raised = value + (BigInt::from(1) << (bits - 1));
    let above: BigInt = &raised >> bits;
    let is_tie = &above << bits == raised;
    if is_tie && above.bit(0) { above - 1 } else { above }
}
