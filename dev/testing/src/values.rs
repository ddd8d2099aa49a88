//! Properties of clamps, and elements that are worth testing.

use half::{bf16, f16};
use wgpu_clamp::{Clamp, DType, Error, NanRule, Order, Precision, Rounding, Scalar};

/// Each order of bounds.
pub const ORDERS: [Order; 2] = [Order::MinWins, Order::MaxWins];
/// Each rule for NaN.
pub const NAN_RULES: [NanRule; 3] = [NanRule::Propagate, NanRule::ToMin, NanRule::ToMax];
/// Each precision.
pub const PRECISIONS: [Precision; 2] = [Precision::Fast, Precision::Exact];
/// Each rounding.
pub const ROUNDINGS: [Rounding; 2] = [Rounding::TowardZero, Rounding::NearestEven];

/// The dtypes of clamps whose scale and bias may lie on the GPU.
pub const AFFINE_ON_GPU: [DType; 7] =
    [DType::F32, DType::F16, DType::BF16, DType::U8, DType::I8, DType::U16, DType::I16];

/// All pairs of source and destination, equal dtypes included.
pub fn pairs() -> impl Iterator<Item = (DType, DType)> {
    DType::ALL.iter().copied().flat_map(|dtype| {
        let sources = DType::ALL.iter().copied().filter(move |source| {
            *source == dtype || [*source, dtype].iter().all(|one| DType::CONVERTIBLE.contains(one))
        });
        sources.map(move |source| (source, dtype))
    })
}

/// The pairs of `Clamp::quantize_linear` and of `Clamp::dequantize_linear`.
pub fn quantized_pairs() -> impl Iterator<Item = (DType, DType)> {
    pairs().filter(|(source, dtype)| quantization(*source, *dtype, 1.0, 0).is_ok())
}

/// `Clamp::quantize_linear` from a float, `Clamp::dequantize_linear` from an integer.
pub fn quantization(source: DType, dtype: DType, scale: f32, zero_point: i32) -> Result<Clamp, Error> {
    let new = if source.is_float() { Clamp::quantize_linear } else { Clamp::dequantize_linear };
    new(source, dtype, scale, zero_point)
}

/// The element of a dtype with the given bits.
pub fn scalar(dtype: DType, bits: u64) -> Scalar {
    Scalar::from_bits(dtype, bits).unwrap()
}

/// The element that is [`bits_of`] an f64.
pub fn scalar_of(dtype: DType, x: f64) -> Scalar {
    scalar(dtype, bits_of(dtype, x))
}

/// A mask of the dtype's width.
pub const fn mask(dtype: DType) -> u64 {
    u64::MAX >> (64 - dtype.bits())
}

/// The bits of a number as an element: rounded to a float, or truncated to an integer.
pub fn bits_of(dtype: DType, number: f64) -> u64 {
    match dtype {
        DType::F16 => f16::from_f64(number).to_bits().into(),
        DType::BF16 => bf16::from_f64(number).to_bits().into(),
        DType::F32 => (number as f32).to_bits().into(),
        DType::F64 => number.to_bits(),
        DType::U64 if number > 0.0 => number as u64,
        _ => (number as i64).cast_unsigned() & mask(dtype),
    }
}
