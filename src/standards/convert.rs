//! Conversion of attributes (f32 or f64 numbers) to elements of a dtype.

use crate::operator::Kind;
use crate::operator::format::FloatFormat;
use crate::{DType, Element, Scalar};

/// The rounding of a number to an integer. Saturation to the dtype follows.
#[derive(Clone, Copy)]
pub(super) enum ToInteger {
    /// Toward zero.
    Truncate,
    /// Toward +∞.
    Ceil,
    /// Toward −∞.
    Floor,
    /// To the nearest integer, ties to even.
    NearestEven,
}

/// Converts `value` to an element. For a float dtype, rounds once, to nearest, ties to even. For an integer dtype,
/// rounds by `rule`, then saturates.
///
/// An f32 attribute widens to f64 exactly, so it is rounded only once. A NaN stays a NaN in a float dtype, and becomes
/// 0 in an integer dtype, unless the caller has refused it.
pub(super) fn to_scalar(dtype: DType, value: f64, rule: ToInteger) -> Scalar {
    let whole = match rule {
        ToInteger::Truncate => value.trunc(),
        ToInteger::Ceil => value.ceil(),
        ToInteger::Floor => value.floor(),
        ToInteger::NearestEven => value.round_ties_even(),
    };
    let bits = match dtype.kind() {
        Kind::Float(_) if dtype == DType::F64 => value.to_bits(),
        Kind::Float(_) if dtype == DType::F32 => (value as f32).to_bits64(),
        Kind::Float(format) => format.round(value),
        Kind::Signed | Kind::Unsigned => saturated(dtype, whole as i128),
    };
    Scalar::new(dtype, bits)
}

/// The element of an integer dtype nearest to `number`.
pub(super) fn saturated(dtype: DType, number: i128) -> u64 {
    let (lowest, highest) = dtype.integer_range();
    number.clamp(lowest, highest) as u64 & (u64::MAX >> (64 - dtype.bits()))
}

/// The lowest and the highest finite element.
pub(super) fn finite_range(dtype: DType) -> [Scalar; 2] {
    let (lowest, highest) = match dtype.kind() {
        Kind::Float(format) => (format.sign | (format.infinity - 1), format.infinity - 1),
        Kind::Signed | Kind::Unsigned => (saturated(dtype, i128::MIN), saturated(dtype, i128::MAX)),
    };
    [lowest, highest].map(|bits| Scalar::new(dtype, bits))
}

/// Whether `a` is greater than `b`; false if either is a NaN.
pub(super) fn is_greater(dtype: DType, a: u64, b: u64) -> bool {
    let number = |bits: u64| match FloatFormat::of(dtype) {
        Some(format) => {
            let magnitude = i128::from(bits & !format.sign);
            if bits & format.sign == 0 { magnitude } else { -magnitude }
        }
        None => dtype.integer(bits),
    };
    !is_nan(dtype, a) && !is_nan(dtype, b) && number(a) > number(b)
}

pub(super) fn is_nan(dtype: DType, bits: u64) -> bool {
    FloatFormat::of(dtype).is_some_and(|format| format.is_nan(bits))
}
