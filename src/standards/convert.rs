//! Attributes, which are f32 or f64 numbers, as elements of a dtype.

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
}

/// The bits of the element that `value` becomes, zero-extended: to a float dtype rounded once, to nearest with
/// ties to even; to an integer dtype by `rule`, then saturated.
///
/// An f32 number widens to f64 without a change, so that this rounds it once as well. A NaN becomes a quiet
/// NaN of a float dtype; for integers the callers have refused it.
pub(super) fn to_bits(dtype: DType, value: f64, rule: ToInteger) -> u64 {
    let whole = match rule {
        ToInteger::Truncate => value.trunc(),
        ToInteger::Ceil => value.ceil(),
        ToInteger::Floor => value.floor(),
    };
    // `as` saturates.
    match dtype {
        DType::F64 => value.to_bits64(),
        DType::F32 => (value as f32).to_bits64(),
        DType::F16 => narrow(value, 5),
        DType::BF16 => narrow(value, 8),
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

/// The nearest number of a 16-bit float format with `exponent_bits`, ties to even.
///
/// `half::{f16, bf16}::from_f64` drop the low 32 bits of `value` or pass through f32, so that a number just
/// above a tie counts as the tie.
fn narrow(value: f64, exponent_bits: u32) -> u64 {
    const F64_MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    let mantissa = 15 - exponent_bits;
    let infinity = ((1 << exponent_bits) - 1) << mantissa;
    let sign = u64::from(value.is_sign_negative()) << 15;
    if value.is_nan() {
        return sign | infinity | 1 << (mantissa - 1);
    }
    let magnitude = value.abs().to_bits();
    // The exponent field that the number would have with the format's bias; below 1 it is subnormal there, and
    // each exponent that is missing drops one more bit of the significand.
    let rebiased = (magnitude >> F64_MANTISSA) as i32 - 1023 + (1 << (exponent_bits - 1)) - 1;
    let exponent = rebiased.max(1);
    let dropped = F64_MANTISSA - mantissa + (exponent - rebiased).unsigned_abs();
    if dropped > F64_MANTISSA + 1 {
        return sign; // Below half of the smallest subnormal; f64's own subnormals and 0 are among these.
    }
    let significand = magnitude & ((1 << F64_MANTISSA) - 1) | 1 << F64_MANTISSA;
    let (kept, rest, tie) =
        (significand >> dropped, significand & ((1 << dropped) - 1), 1_u64 << (dropped - 1));
    let up = rest > tie || rest == tie && kept & 1 == 1;
    // `kept` has its leading bit, if normal, where the exponent field begins: it adds the 1 that was taken off,
    // and a carry out of the mantissa adds another. That way a number beyond the largest gets to infinity.
    let bits = ((exponent as u64 - 1) << mantissa) + kept + u64::from(up);
    sign | bits.min(infinity)
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

/// Whether the bits are a NaN of the dtype.
pub(super) fn is_nan(dtype: DType, bits: u64) -> bool {
    let infinity = match dtype {
        DType::F32 => f32::INFINITY.to_bits64(),
        DType::F16 => half::f16::INFINITY.to_bits64(),
        DType::BF16 => half::bf16::INFINITY.to_bits64(),
        DType::F64 => f64::INFINITY.to_bits64(),
        _ => return false,
    };
    bits & (u64::MAX >> (65 - dtype.bits())) > infinity
}
