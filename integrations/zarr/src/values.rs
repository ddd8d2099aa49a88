//! Reads numbers from text. Refuses a number that the dtype cannot hold.

use std::any::type_name;
use std::str::FromStr;

use half::{bf16, f16};
use wgpu_clamp::standards::webnn::MlNumber;
use wgpu_clamp::{Clamp, DType};

use crate::Result;

/// The bits of an element. Integers are exact, also beyond 2^53; floats are rounded to nearest, ties to even.
pub fn element(option: &str, dtype: DType, text: &str) -> Result<u64> {
    match dtype {
        DType::F32 => Ok(float::<f32>(option, text)?.to_bits().into()),
        DType::F64 => Ok(float::<f64>(option, text)?.to_bits()),
        DType::F16 | DType::BF16 => small_float(option, dtype, text),
        _ => {
            let (lowest, highest) = if dtype.is_signed_integer() {
                (-1_i128 << (dtype.bits() - 1), (1 << (dtype.bits() - 1)) - 1)
            } else {
                (0, (1 << dtype.bits()) - 1)
            };
            let value =
                integer(text).filter(|value| (lowest..=highest).contains(value)).ok_or_else(|| {
                    format!("{option}: {text:?} is no {dtype}; give an integer from {lowest} to {highest}")
                })?;
            Ok(value as u64 & (u64::MAX >> (64 - dtype.bits())))
        }
    }
}

/// A number that a standard or the affine step takes as f32 or f64. If the elements are integers, an integer that `T`
/// would round is refused, because nobody expects rounding there.
pub fn attribute<T: FromStr + Into<f64> + Copy>(option: &str, dtype: DType, text: &str) -> Result<T> {
    let value = float::<T>(option, text)?;
    let wide: f64 = value.into();
    if !dtype.is_float() && integer(text).is_some_and(|exact| wide as i128 != exact) {
        let kind = type_name::<T>();
        return Err(format!("{option}: {text} would be rounded to {wide}; it is taken as {kind}").into());
    }
    Ok(value)
}

/// A JavaScript number. An integer is exact, also beyond 2^53.
pub fn number(option: &str, text: &str) -> Result<MlNumber> {
    Ok(match integer(text) {
        Some(value) => MlNumber::BigInt(value),
        None => MlNumber::Double(float(option, text)?),
    })
}

fn float<T: FromStr + Into<f64> + Copy>(option: &str, text: &str) -> Result<T> {
    let kind = type_name::<T>();
    let value: T = text
        .parse()
        .map_err(|_| format!("{option}: {text:?} is no {kind}; give a number such as -1.5, 1e-3 or inf"))?;
    refuse_overflow(option, text, kind, value.into())?;
    Ok(value)
}

/// An F16 or BF16, rounded from f64, as in `NumPy`.
fn small_float(option: &str, dtype: DType, text: &str) -> Result<u64> {
    let wide: f64 = float(option, text)?;
    let half = dtype == DType::F16;
    if wide.is_nan() {
        return Ok(if half { f16::NAN.to_bits() } else { bf16::NAN.to_bits() }.into());
    }
    // The crate's own rounding, once, from f64. `f16::from_f64` may round twice, by way of f32.
    let Some(scalar) = Clamp::openvino(dtype, wide, f64::INFINITY)?.min().value() else {
        return Err(format!("{option}: {text} became no value").into());
    };
    let rounded = if half {
        f16::from_bits(scalar.bits() as u16).to_f64()
    } else {
        bf16::from_bits(scalar.bits() as u16).to_f64()
    };
    refuse_overflow(option, text, dtype.name(), rounded)?;
    Ok(scalar.bits())
}

/// Refuses a number that was rounded to infinity. Only `inf` means infinity.
fn refuse_overflow(option: &str, text: &str, kind: &str, value: f64) -> Result<()> {
    if value.is_infinite() && text.contains(|c: char| c.is_ascii_digit()) {
        return Err(format!("{option}: {text} is beyond the largest {kind}; give inf for no limit").into());
    }
    Ok(())
}

/// An integer, decimal or, after `0x`, hexadecimal.
fn integer(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, radix) = match digits.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    // `from_str_radix` would take a second sign.
    let begins = digits.starts_with(|c: char| c.is_digit(radix));
    i128::from_str_radix(digits, radix).ok().filter(|_| begins).map(|value| sign * value)
}
