//! Checks that attributes round to nearest, ties to even. Walks over the numbers of a format and the midpoints between
//! them, which are exact in f64, so the expected results need no rounding.

use wgpu_clamp::standards::directml::FeatureLevel;
use wgpu_clamp::standards::onnx::Bounds;
use wgpu_clamp::{Clamp, DType, Element, Error};

use crate::both;

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
/// midpoint's neighbours, each with both signs. The neighbours are f64, or f32 if the attribute is one.
fn assert_nearest_even(dtype: DType, step: usize, is_f64: bool, convert: impl Fn(f64) -> u64) {
    let next_up = |x: f64| if is_f64 { x.next_up() } else { (x as f32).next_up().into() };
    let next_down = |x: f64| -next_up(-x);
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
        check(next_down(midpoint), magnitude);
        check(midpoint, magnitude + (magnitude & 1));
        check(next_up(midpoint), magnitude + 1);
    }
    check(f64::INFINITY, infinity);
    // Far below, far above.
    check(next_up(0.0), 0);
    check(next_down(f64::INFINITY), infinity);
}

/// Attributes in f64 or f32 are rounded once.
#[test]
fn attributes_become_the_nearest_floats() {
    use DType::{BF16, F16, F32, F64};
    fn onnx(opset: u32, dtype: DType, value: f64) -> Result<Clamp, Error> {
        let bound = Some(value as f32);
        Clamp::onnx(opset, dtype, Bounds::Attributes { min: bound, max: bound })
    }
    type Make = fn(DType, f64) -> Result<Clamp, Error>;
    let standards: [(&str, Make, bool, &[DType]); 6] = [
        ("OpenVINO", |dtype, x| Clamp::openvino(dtype, x, x), true, &[F16, BF16, F32, F64]),
        ("WebNN", |dtype, x| Clamp::webnn(dtype, Some(x.into()), Some(x.into())), true, &[F16, F32]),
        ("oneDNN", |dtype, x| Clamp::onednn(dtype, x as f32, x as f32), false, &[F16, BF16, F32]),
        ("ONNX 1", |dtype, x| onnx(1, dtype, x), false, &[F16, F32, F64]),
        ("ONNX 6", |dtype, x| onnx(6, dtype, x), false, &[F16, F32, F64]),
        (
            "DirectML",
            |dtype, x| Clamp::directml(dtype, x as f32, x as f32, None, FeatureLevel::V1_0),
            false,
            &[F16, F32],
        ),
    ];
    for (standard, make, is_f64, dtypes) in standards {
        for &dtype in dtypes {
            println!("{standard}, {dtype}");
            let convert = |value| both(make(dtype, value));
            match dtype {
                F16 | BF16 => assert_nearest_even(dtype, 1, is_f64, convert),
                F32 if is_f64 => assert_nearest_even(dtype, 65_537, is_f64, convert),
                _ => {}
            }
            // Attributes that the dtype holds exactly.
            for value in [0.1, -0.0, 1e-45, f32::MIN, f32::MAX, f32::INFINITY, f32::NEG_INFINITY] {
                match dtype {
                    F32 => assert_eq!(convert(value.into()), value.to_bits64()),
                    F64 => assert_eq!(convert(value.into()), f64::from(value).to_bits()),
                    _ => {}
                }
            }
            for value in [0.1, 5e-324, -f64::MIN_POSITIVE, f64::MAX] {
                assert!(dtype != F64 || !is_f64 || convert(value) == value.to_bits(), "{value}");
            }
        }
    }
}
