//! Checks that attributes round to nearest, ties to even. Walks over the numbers of a format and the midpoints between
//! them, which are exact in f64, so the expected results need no rounding.

use wgpu_clamp::{Clamp, DType};

/// The widths of the exponent and the fraction field.
fn fields(dtype: DType) -> (u32, u32) {
    match dtype {
        DType::F32 => (8, 23),
        DType::F16 => (5, 10),
        DType::BF16 => (8, 7),
        _ => panic!("f64 does not hold the midpoints of {dtype}"),
    }
}

/// The number with the given magnitude bits. The bits of ∞ give the power of two after the largest number.
fn number(dtype: DType, magnitude: u64) -> f64 {
    let (exponent_bits, fraction_bits) = fields(dtype);
    let field = i32::try_from(magnitude >> fraction_bits).unwrap();
    let fraction = u32::try_from(magnitude & ((1 << fraction_bits) - 1)).unwrap();
    let significand = if field == 0 { fraction } else { fraction + (1 << fraction_bits) };
    let bias = (1 << (exponent_bits - 1)) - 1 + i32::try_from(fraction_bits).unwrap();
    f64::from(significand) * 2.0_f64.powi(field.max(1) - bias)
}

/// Asserts the conversion of every `step`-th number of the format, of the midpoint to the next number and of the
/// midpoint's neighbours, each with both signs.
fn assert_nearest_even(dtype: DType, step: usize) {
    let (exponent_bits, fraction_bits) = fields(dtype);
    let infinity = ((1_u64 << exponent_bits) - 1) << fraction_bits;
    let convert = |value| {
        let clamp = Clamp::openvino(dtype, value, value).unwrap();
        assert_eq!(clamp.min(), clamp.max());
        clamp.min().value().unwrap().bits()
    };
    let check = |value: f64, expected: u64| {
        assert_eq!(convert(value), expected, "{value:e} as {dtype}");
        assert_eq!(convert(-value), expected | 1 << (dtype.bits() - 1), "{:e} as {dtype}", -value);
    };
    let last = infinity - 1;
    for magnitude in (0..last).step_by(step).chain([last]) {
        let (below, above) = (number(dtype, magnitude), number(dtype, magnitude + 1));
        let midpoint = below.midpoint(above);
        check(below, magnitude);
        check(midpoint.next_down(), magnitude);
        check(midpoint, magnitude + (magnitude & 1));
        check(midpoint.next_up(), magnitude + 1);
    }
    check(f64::INFINITY, infinity);
    // Far below, far above.
    check(0.0_f64.next_up(), 0);
    check(f64::MAX, infinity);
}

/// All standards share this conversion of attributes; the fuzz target `standards` holds each of them to the nearest number.
#[test]
fn attributes_become_the_nearest_floats() {
    for (dtype, step) in [(DType::F16, 1), (DType::BF16, 1), (DType::F32, 65_537)] {
        assert_nearest_even(dtype, step);
    }
}
