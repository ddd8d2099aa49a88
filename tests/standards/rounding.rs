//! Checks rounding to nearest, ties to even: walks over the numbers of a format and the midpoints between them,
//! which are exact in f64. Nothing is rounded here.

use wgpu_clamp::DType;

/// The widths of the exponent and the fraction field.
fn fields(dtype: DType) -> (u32, u32) {
    match dtype {
        DType::F32 => (8, 23),
        DType::F16 => (5, 10),
        DType::BF16 => (8, 7),
        _ => panic!("{dtype} has midpoints that no f64 is"),
    }
}

/// The number with the given magnitude bits; ∞ counts as the power of two that would follow.
fn number(dtype: DType, magnitude: u64) -> f64 {
    let (exponent_bits, fraction_bits) = fields(dtype);
    let field = i32::try_from(magnitude >> fraction_bits).unwrap();
    let fraction = u32::try_from(magnitude & ((1 << fraction_bits) - 1)).unwrap();
    let significand = if field == 0 { fraction } else { fraction + (1 << fraction_bits) };
    let bias = (1 << (exponent_bits - 1)) - 1 + i32::try_from(fraction_bits).unwrap();
    f64::from(significand) * 2.0_f64.powi(field.max(1) - bias)
}

/// The neighbours of a number in the type of a standard's attribute, f64 or f32.
pub struct Attribute {
    pub next_up: fn(f64) -> f64,
    pub next_down: fn(f64) -> f64,
}

pub const AS_F64: Attribute = Attribute { next_up: f64::next_up, next_down: f64::next_down };

pub const AS_F32: Attribute = Attribute {
    next_up: |value| f64::from((value as f32).next_up()),
    next_down: |value| f64::from((value as f32).next_down()),
};

/// Asserts the conversion of every `step`-th number of the format, of the midpoint to the next number and of the
/// midpoint's neighbours, each with both signs.
pub fn assert_nearest_even(dtype: DType, step: usize, attribute: &Attribute, convert: impl Fn(f64) -> u64) {
    let (exponent_bits, fraction_bits) = fields(dtype);
    let infinity = ((1_u64 << exponent_bits) - 1) << fraction_bits;
    let check = |value: f64, expected: u64| {
        assert_eq!(convert(value), expected, "{value:e} as {dtype}");
        assert_eq!(convert(-value), expected | 1 << (dtype.bits() - 1), "{:e} as {dtype}", -value);
    };
    let last = infinity - 1;
    for magnitude in (0..last).step_by(step).chain([last]) {
        let (below, above) = (number(dtype, magnitude), number(dtype, magnitude + 1));
        let midpoint = below.midpoint(above);
        check(below, magnitude);
        check((attribute.next_down)(midpoint), magnitude);
        check(midpoint, magnitude + (magnitude & 1));
        check((attribute.next_up)(midpoint), magnitude + 1);
    }
    check(f64::INFINITY, infinity);
    // Far below, far above.
    check((attribute.next_up)(0.0), 0);
    check((attribute.next_down)(f64::INFINITY), infinity);
}
