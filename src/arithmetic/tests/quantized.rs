//! The exact quotient of `shaders/affine/quotient_exact.wgsl`, on devices that round the estimate otherwise, and on
//! elements beside midpoints.

use clamp_testing::numbers::beside_an_edge;

use super::super::quantized::reciprocal;
use super::super::step::AffineStep;
use super::{Random, product, reference};
use crate::operator::format::Binary;
use crate::{Clamp, DType};

/// A device's product: the estimate, which may be rounded up or down.
type Rounds = fn(f32) -> f32;

/// The quotient that saturates with every zero point.
const BEYOND: i32 = 1 << 18;

/// What the shader derives from a scale.
struct Coefficients {
    least: i32,
    most: i32,
    exponent: i32,
    reciprocal: f32,
    scale: i32,
}

impl Coefficients {
    fn new(scale: f32) -> Self {
        let binary = Binary::of(scale.into());
        let (significand, power) = (binary.single(), binary.exponent + 52);
        Self {
            least: (power + 126) << 23,
            most: (power + 145).min(255) << 23,
            exponent: power << 23,
            reciprocal: reciprocal(AffineStep::Exact, scale),
            scale: significand as i32,
        }
    }
}

/// The formula. Panics where a shift or a conversion leaves its range.
#[expect(clippy::cast_precision_loss, reason = "no number that counts has more than 24 bits")]
fn quotient(numbers: &Coefficients, size: u32, rounds: Rounds) -> i32 {
    let Coefficients { least, most, exponent, reciprocal, scale } = *numbers;
    if size >= 0x7f80_0000 {
        return BEYOND;
    }
    let subnormal = (size as f32).to_bits().cast_signed() - (149 << 23);
    let x = if size < 1 << 23 { subnormal } else { size.cast_signed() };
    let u = x.min(most).max(least) - exponent;
    let below = rounds(f32::from_bits(u.cast_unsigned()) * reciprocal) as i32;
    let twice = 2 * below + 1;
    let shift = (u >> 23).cast_unsigned() - 126;
    assert!((0..=BEYOND).contains(&below) && shift < 20, "{below} {shift}");
    let significand = u & 0x7f_ffff | 0x80_0000;
    let rest = (significand << shift).wrapping_sub(twice.wrapping_mul(scale));
    let half_unit = scale >> (151 - ((twice as f32).to_bits() >> 23));
    below + i32::from(rest > half_unit ^ -(below & 1))
}

/// Compares the formula with the reference, to the widest integers, where the result does not saturate.
fn assert_exact(x: f32, scale: f32) {
    let clamp = |dtype, zero_point| Clamp::quantize_linear(DType::F32, dtype, scale, zero_point).unwrap();
    let numbers = Coefficients::new(scale);
    for rounds in [|estimate| estimate, f32::next_up, f32::next_down] {
        let size = quotient(&numbers, x.to_bits() & 0x7fff_ffff, rounds);
        let got = if (x < 0.0) == (scale < 0.0) { size } else { -size };
        for (dtype, zero_point) in [(DType::U16, 0), (DType::U16, 65_535), (DType::I16, -1)] {
            let expected = reference::element(&clamp(dtype, zero_point), x.to_bits().into()).unwrap();
            let (lowest, highest) = dtype.integer_range();
            let got = i128::from(got + zero_point).clamp(lowest, highest);
            assert_eq!(got, dtype.integer(expected), "{x:e} / {scale:e} + {zero_point}");
        }
    }
}

#[test]
fn quotients_beside_midpoints_are_exact() {
    let halves = (0..4000).chain((4000..1 << 17).step_by(37));
    let edges = halves.flat_map(|half_of| [false, true].map(|above| beside_an_edge(half_of, above)));
    let edges: Vec<_> = edges.flatten().collect();
    assert!(edges.len() > 1000, "{}", edges.len());
    // Numbers of 24 bits, down to the least normal ones and up to the largest.
    for (edge, power) in product(&edges, &[0, -140, 90]) {
        let [x, scale] = edge.map(|number| (f64::from(number) * 2.0_f64.powi(power)) as f32);
        for x in [x, x.next_up(), x.next_down()].into_iter().filter(|x| x.is_finite()) {
            assert_exact(x, scale);
        }
    }
}

#[test]
fn quotients_of_every_size_are_exact() {
    let mut random = Random(49);
    let powers = (-149..=127).map(|n| 2.0_f64.powi(n) as f32);
    let mut scales: Vec<_> = powers.chain([0.1, 1.0 / 255.0, f32::MAX]).collect();
    scales.extend((0..400).map(|_| f32::from_bits(random.bits() as u32)));
    for scale in scales.into_iter().filter(|scale| scale.is_finite() && *scale != 0.0) {
        for n in 0..300 {
            let half = f64::from(random.bits() as u32 % (1 << (n % 17 + 1))) + 0.5;
            let near = (half * f64::from(scale)) as f32;
            let any = f32::from_bits((random.bits() as u32) >> (n % 32));
            for x in [near, near.next_up(), near.next_down(), -near, any, f32::INFINITY] {
                assert_exact(if x.is_nan() { 0.0 } else { x }, scale);
            }
        }
    }
}
