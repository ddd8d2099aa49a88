//! Conversions to f32 and from it, by Rust's `as` and by the crate `half`.

use std::cmp::Ordering;

use clamp_testing::numbers::integer;
use half::{bf16, f16};
use wgpu_clamp::{DType, Element, Rounding};

/// An element as an f32; a 32-bit integer becomes the nearest one. NaNs of other dtypes become quiet.
#[expect(clippy::cast_precision_loss, reason = "rounding is what is wanted")]
pub fn widened(source: DType, bits: u64) -> f32 {
    match source {
        DType::F32 => f32::from_bits(bits as u32),
        DType::F16 => f16::from_bits(bits as u16).to_f32(),
        DType::BF16 => bf16::from_bits(bits as u16).to_f32(),
        _ => {
            assert!(source.size() <= 4);
            integer(source, bits) as f32
        }
    }
}

/// The f32 on either side of an element, or the element itself twice.
pub fn beside(source: DType, bits: u64) -> [f32; 2] {
    let nearest = widened(source, bits);
    if source.is_float() {
        return [nearest; 2];
    }
    match (nearest as i128).cmp(&integer(source, bits)) {
        Ordering::Less => [nearest, nearest.next_up()],
        Ordering::Equal => [nearest; 2],
        Ordering::Greater => [nearest.next_down(), nearest],
    }
}

/// Rounds an f32 to an element; `as` saturates, and makes 0 of a NaN.
pub fn narrowed(dtype: DType, rounding: Rounding, value: f32) -> u64 {
    let whole = match rounding {
        Rounding::TowardZero => value,
        Rounding::NearestEven => value.round_ties_even(),
        _ => unreachable!("a new rounding"),
    };
    match dtype {
        DType::F32 => value.to_bits64(),
        DType::F16 => f16::from_f32(value).to_bits64(),
        DType::BF16 => bf16::from_f32(value).to_bits64(),
        DType::U8 => (whole as u8).to_bits64(),
        DType::I8 => (whole as i8).to_bits64(),
        DType::U16 => (whole as u16).to_bits64(),
        DType::I16 => (whole as i16).to_bits64(),
        DType::U32 => (whole as u32).to_bits64(),
        DType::I32 => (whole as i32).to_bits64(),
        _ => panic!("{dtype} does not convert"),
    }
}
