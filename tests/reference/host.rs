//! Conversions by Rust's `as` and by the crate `half`. All of them start or end at f32, which has every number of the
//! seven dtypes that convert.

use half::{bf16, f16};
use wgpu_clamp::{DType, Element, Rounding};

use crate::numbers::to_i128;

/// An element as an f32, exactly. A NaN comes quiet, if it is not one of f32 already.
#[expect(clippy::cast_precision_loss, reason = "these integers have at most 16 bits")]
pub fn widened(source: DType, bits: u64) -> f32 {
    match source {
        DType::F32 => f32::from_bits(u32::try_from(bits).unwrap()),
        DType::F16 => f16::from_bits(u16::try_from(bits).unwrap()).to_f32(),
        DType::BF16 => bf16::from_bits(u16::try_from(bits).unwrap()).to_f32(),
        _ => {
            assert!(source.size() <= 2);
            to_i128(source, bits) as f32
        }
    }
}

/// The element that an f32 is rounded to. NaN becomes 0 where the dtype is an integer.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
pub fn narrowed(dtype: DType, rounding: Rounding, value: f32) -> u64 {
    let whole = match rounding {
        Rounding::TowardZero => value,
        Rounding::NearestEven => value.round_ties_even(),
    };
    match dtype {
        DType::F32 => value.to_bits64(),
        DType::F16 => f16::from_f32(value).to_bits64(),
        DType::BF16 => bf16::from_f32(value).to_bits64(),
        DType::U8 => (whole as u8).to_bits64(),
        DType::I8 => (whole as i8).to_bits64(),
        DType::U16 => (whole as u16).to_bits64(),
        DType::I16 => (whole as i16).to_bits64(),
        _ => panic!("{dtype} does not convert"),
    }
}
