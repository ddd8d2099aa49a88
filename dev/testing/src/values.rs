//! Elements that are worth testing.

use half::{bf16, f16};
use wgpu_clamp::{DType, Scalar};

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

/// Signed zeros, subnormals, infinities, NaNs with payloads, limits of the dtype, small numbers and powers of two; each
/// with its neighbours and both signs.
pub fn edges(dtype: DType) -> Vec<u64> {
    let mask = mask(dtype);
    let numbers = [0.5, 1.0, 2.0, 3.0, 6.0, 10.0, 100.0, 255.0, 256.0, 65504.0, 1e-5, 0.1];
    let mut centers = vec![0, mask, mask >> 1];
    centers.extend(numbers.map(|x| bits_of(dtype, x)));
    if dtype.is_float() {
        let (infinity, quiet) = (bits_of(dtype, f64::INFINITY), bits_of(dtype, f64::NAN));
        // The bits of the least normal number are the last place of the exponent.
        let least_normal = infinity & infinity.wrapping_neg();
        centers.extend([least_normal, infinity, quiet, infinity | 5, quiet | 3]);
    } else {
        centers.extend((0..dtype.bits()).map(|n| 1 << n));
    }
    let sign = if dtype.is_float() { 1 << (dtype.bits() - 1) } else { 0 };
    let mut edges: Vec<u64> = centers
        .iter()
        .flat_map(|&center: &u64| [center.wrapping_sub(1), center, center.wrapping_add(1)])
        .flat_map(|x| [x, x ^ sign, x.wrapping_neg()])
        .map(|x| x & mask)
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}
