//! Scales and biases, elements as numbers, and pseudo-random numbers.

use wgpu_clamp::DType;

use crate::random::Random;
use crate::values::mask;

/// A pseudo-random number that depends on `number` alone.
pub const fn mix(number: u64) -> u64 {
    Random(number).bits()
}

/// Scales and biases: ordinary, negative, tiny, with ties, steep. 8-bit fixed point is exact for only some of them.
pub const AFFINES: [(f32, f32); 9] = [
    (1.0 / 255.0, 0.0),
    (-1.7, 200.3),
    (0.5, 0.25),
    (0.5, 0.0),
    (255.0, 0.5),
    (1.0, -128.0),
    (77.77, -1e4),
    (1.1e-5, 3.5),
    (3e7, -1.5e7),
];

/// Scales and biases besides [`AFFINES`]: a sum that cancels all but the product's last bit; overflow, underflow, zeros
/// of both signs; products just below an integer, far from zero; long shifts.
pub const MORE_AFFINES: [(f32, f32); 21] = [
    (1.007_812_5, -1.007_812_6),
    (-1.0, 0.0),
    (3e38, -3e38),
    (3e38, 0.0),
    (1e-38, 1e-45),
    (0.0, -0.0),
    (-0.0, 7.0),
    (16_777_215.0, -0.5),
    // The scale is -2^-105. Products lie far below the bias's last bit.
    (f32::from_bits(0x8b00_0000), 0.003_906_25),
    (0.099_999_99, 40_000.0),
    (0.099_999_99, 41_000.0),
    // 2^-16 makes ties.
    (1.0 / 65_536.0, 0.0),
    // 129 * 2^-24 and the bias that completes it to 1.
    (129.0 / 16_777_216.0, 1.0 - 129.0 / 16_777_216.0),
    // A bias far below the products ends ties.
    (1.0 / 65_536.0, 1e-20),
    // An odd number of 24 bits times 2^31, 2^32, 2^-32, 2^-62, ±2^-63 and 2^-64.
    (f32::from_bits(0x5ac0_0001), 0.0),
    (f32::from_bits(0x5b40_0001), 0.0),
    (f32::from_bits(0x3b40_0001), 0.0),
    (f32::from_bits(0x2c40_0001), 0.0),
    (f32::from_bits(0x2bc0_0001), 0.0),
    (f32::from_bits(0xabc0_0001), 0.0),
    (f32::from_bits(0x2b40_0001), 0.0),
];

/// An element and a scale, f32s, whose quotient lies beside an edge, at a relative distance of about 2^-48: as near as two
/// f32s come. The edge is the midpoint of two f32s around `half_of + 1/2` that ends those that are rounded to this half;
/// the upper one if `above`. `None` for some edges. `half_of` is below 2^18.
#[expect(clippy::cast_precision_loss, reason = "both numbers have at most 24 bits")]
pub fn beside_an_edge(half_of: u32, above: bool) -> Option<[f32; 2]> {
    // The edge is an odd number of 25 bits, times a power of two.
    let half = u64::from(2 * half_of + 1);
    let up = half.leading_zeros() - 40;
    let middle = half << (up + 1);
    let edge = if above { middle + 1 } else { middle - 1 };
    // Its inverse modulo 2^25: each step doubles the digits that are right.
    let inverse = (0..5).fold(edge, |n, _| n.wrapping_mul(2_u64.wrapping_sub(edge.wrapping_mul(n))));
    let scale = inverse % (1 << 25);
    // edge * scale is x * 2^25, plus or minus 1.
    let scale = [scale, (1 << 25) - scale].into_iter().find(|scale| (1 << 23..1 << 24).contains(scale))?;
    let x = (edge * scale + 1) >> 25;
    // The quotient is about edge * 2^-25 in these units, and half * 2^-1 is wanted.
    let power = 2.0_f32.powi(23 - up.cast_signed());
    Some([x as f32 * power, scale as f32])
}

/// The number that an element of these bits is; the nearest f64 of a 64-bit integer.
#[expect(clippy::cast_precision_loss, reason = "a number near it is enough")]
pub fn number(dtype: DType, bits: u64) -> f64 {
    match dtype {
        DType::F32 => f64::from(f32::from_bits(bits as u32)),
        DType::F64 => f64::from_bits(bits),
        DType::F16 => half::f16::from_bits(bits as u16).to_f64(),
        DType::BF16 => half::bf16::from_bits(bits as u16).to_f64(),
        _ => integer(dtype, bits) as f64,
    }
}

/// The number that an integer element of these bits is.
pub fn integer(dtype: DType, bits: u64) -> i128 {
    let unused = 64 - dtype.bits();
    let shifted = bits << unused;
    if dtype.is_signed_integer() {
        (shifted.cast_signed() >> unused).into()
    } else {
        (shifted >> unused).into()
    }
}

/// The lowest and the highest number of an integer dtype.
pub fn limits(dtype: DType) -> [i128; 2] {
    let mask = i128::from(mask(dtype));
    if dtype.is_signed_integer() { [-(mask >> 1) - 1, mask >> 1] } else { [0, mask] }
}
