//! Attributes, which are f32 or f64 numbers, as elements of a dtype.

use crate::operator::format::FloatFormat;
use crate::{DType, Element};

/// How a number that is no integer becomes one. What lies beyond the dtype saturates after that.
#[derive(Clone, Copy)]
pub(super) enum ToInteger {
    /// Toward zero.
    Truncate,
    /// Toward +∞.
    Ceil,
    /// Toward −∞.
    Floor,
    /// To the nearest; of two that are equally near, to the even one.
    NearestEven,
}

/// The bits of the element that `value` becomes, zero-extended: to a float dtype rounded once, to nearest with
/// ties to even; to an integer dtype by `rule`, then saturated.
///
/// An f32 number widens to f64 without a change, so that this rounds it once as well. A NaN becomes a quiet
/// NaN of a float dtype; an integer becomes 0, where the callers have not refused it.
pub(super) fn to_bits(dtype: DType, value: f64, rule: ToInteger) -> u64 {
    let whole = match rule {
        ToInteger::Truncate => value.trunc(),
        ToInteger::Ceil => value.ceil(),
        ToInteger::Floor => value.floor(),
        ToInteger::NearestEven => value.round_ties_even(),
    };
    // `as` saturates.
    match dtype {
        DType::F64 => value.to_bits64(),
        DType::F32 => (value as f32).to_bits64(),
        DType::F16 => FloatFormat::F16.round(value),
        DType::BF16 => FloatFormat::BF16.round(value),
        DType::I8 => (whole as i8).to_bits64(),
        DType::I16 => (whole as i16).to_bits64(),
        DType::I32 => (whole as i32).to_bits64(),
        DType::I64 => (whole as i64).to_bits64(),
        DType::U8 => (whole as u8).to_bits64(),
        DType::U16 => (whole as u16).to_bits64(),
        DType::U32 => (whole as u32).to_bits64(),
        DType::U64 => (whole as u64).to_bits64(),
    }
}

/// The lowest and the highest finite element, as bits.
pub(super) fn finite_range(dtype: DType) -> (u64, u64) {
    fn bits<T: Element>(lowest: T, highest: T) -> (u64, u64) {
        (lowest.to_bits64(), highest.to_bits64())
    }
    match dtype {
        DType::F32 => bits(f32::MIN, f32::MAX),
        DType::F16 => bits(half::f16::MIN, half::f16::MAX),
        DType::BF16 => bits(half::bf16::MIN, half::bf16::MAX),
        DType::F64 => bits(f64::MIN, f64::MAX),
        DType::I8 => bits(i8::MIN, i8::MAX),
        DType::I16 => bits(i16::MIN, i16::MAX),
        DType::I32 => bits(i32::MIN, i32::MAX),
        DType::I64 => bits(i64::MIN, i64::MAX),
        DType::U8 => bits(u8::MIN, u8::MAX),
        DType::U16 => bits(u16::MIN, u16::MAX),
        DType::U32 => bits(u32::MIN, u32::MAX),
        DType::U64 => bits(u64::MIN, u64::MAX),
    }
}

/// Whether `a` is a greater number than `b`; no NaN is.
pub(super) fn is_greater(dtype: DType, a: u64, b: u64) -> bool {
    let number = |bits: u64| match FloatFormat::of(dtype) {
        Some(format) => {
            let magnitude = i128::from(bits & !format.sign);
            if bits & format.sign == 0 { magnitude } else { -magnitude }
        }
        None if dtype.is_signed_integer() => {
            let unused = 64 - dtype.bits();
            i128::from((bits << unused).cast_signed() >> unused)
        }
        None => bits.into(),
    };
    !is_nan(dtype, a) && !is_nan(dtype, b) && number(a) > number(b)
}

/// Whether the bits are a NaN of the dtype.
pub(super) fn is_nan(dtype: DType, bits: u64) -> bool {
    FloatFormat::of(dtype).is_some_and(|format| format.is_nan(bits))
}
