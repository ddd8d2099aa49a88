//! Inputs that are hard to compute with.

use clamp_testing::numbers::number;
use clamp_testing::random::Random;
use clamp_testing::values::mask;
use wgpu_clamp::{Clamp, DType};

use crate::numbers::fields;

pub fn converting(source: DType, dtype: DType) -> Clamp {
    Clamp::unbounded(dtype).with_source(source).unwrap()
}

/// The bits of a float: often sparse, often near an edge of the format, NaN and ±∞ included.
fn float(random: &mut Random, dtype: DType) -> u64 {
    let (exponent_bits, fraction_bits) = fields(dtype);
    let mut below = |n: u64| random.bits() % n;
    let sign = below(2) << (exponent_bits + fraction_bits);
    let largest = (1 << exponent_bits) - 1;
    let exponent = match below(8) {
        0 => 0,
        1 => 1 + below(3),
        2 => largest - below(3),
        3 | 4 => largest / 2 - 3 + below(7),
        _ => below(largest + 1),
    };
    let full = (1 << fraction_bits) - 1;
    let fraction = match below(6) {
        0 => 0,
        1 => full,
        2 => 1 << below(u64::from(fraction_bits)),
        3 => full & !(1 << below(u64::from(fraction_bits))),
        _ => random.bits() & full,
    };
    sign | (exponent << fraction_bits) | fraction
}

/// The bits of an integer, of any length, often next to a power of two.
pub fn integer(random: &mut Random, dtype: DType) -> u64 {
    let power = 1_u64.checked_shl(random.below(dtype.bits() as usize + 1) as u32).unwrap_or(0);
    let bits = match random.below(6) {
        0 => power,
        1 => power.wrapping_sub(1),
        2 => power.wrapping_add(1),
        3 => power.wrapping_neg(),
        _ => random.bits() & power.wrapping_sub(1),
    };
    bits & mask(dtype)
}

pub fn element(random: &mut Random, dtype: DType) -> u64 {
    if dtype.is_float() { float(random, dtype) } else { integer(random, dtype) }
}

/// A finite number, an f32 unless the dtype is F64.
pub fn finite(random: &mut Random, dtype: DType) -> f64 {
    let of = if dtype == DType::F64 { dtype } else { DType::F32 };
    let mut floats = std::iter::repeat_with(|| number(of, float(random, of)));
    floats.find(|value| value.is_finite()).unwrap()
}

/// The nearest finite f32.
fn narrow(value: f64) -> f32 {
    (value as f32).clamp(f32::MIN, f32::MAX)
}

/// The clamp with a scale and a bias, which are f32 unless its dtype is F64.
pub fn with_step(clamp: &Clamp, (scale, bias): (f64, f64)) -> Clamp {
    if clamp.dtype() == DType::F64 {
        clamp.with_affine(scale, bias).unwrap()
    } else {
        clamp.with_affine(narrow(scale), narrow(bias)).unwrap()
    }
}

/// A finite scale or bias.
fn parameter(random: &mut Random, dtype: DType) -> f64 {
    match random.below(6) {
        0 => random.pick(&[0.0, -0.0, 1.0, -1.0, 0.5, 0.1_f32.into(), 1024.0, 2.0_f64.powi(64), 0.75, 3.0]),
        _ => finite(random, dtype),
    }
}

/// A bias that makes `product + bias` hard to round: near `-product`, or near half a unit in the product's last place.
fn hard_bias(random: &mut Random, dtype: DType, product: f64) -> f64 {
    let precision = if dtype.is_float() { fields(dtype).1.cast_signed() } else { 0 };
    let near = match random.below(3) {
        0 => -product,
        1 => product * 2.0_f64.powi(-precision - 1),
        _ => product.abs().log2().floor().exp2() * 2.0_f64.powi(-precision - 1),
    };
    let near = near * random.pick(&[1.0, -1.0]);
    let neighbour = random.below(3) as u64;
    if !near.is_finite() {
        parameter(random, dtype)
    } else if dtype == DType::F64 {
        f64::from_bits(near.to_bits().wrapping_add(neighbour).wrapping_sub(1))
    } else {
        let near = narrow(near).to_bits();
        f32::from_bits(near.wrapping_add(neighbour as u32).wrapping_sub(1)).into()
    }
}

/// A scale and a bias that make the result of `x` hard to round. For integers it is often a tie.
pub fn hard_step(random: &mut Random, source: DType, dtype: DType, x: u64) -> (f64, f64) {
    let value = number(source, x);
    let (scale, bias) = if dtype.is_float() || random.below(2) == 0 {
        let scale = parameter(random, dtype);
        let bias = match random.below(2) {
            0 => hard_bias(random, dtype, value * scale),
            _ => parameter(random, dtype),
        };
        (scale, bias)
    } else {
        let scale = random.pick(&[1.0, 0.5, -0.25, 1.5, -1.0, 2.0_f64.powi(-20), 0.1_f32.into()]);
        let near = number(dtype, integer(random, dtype)) + random.pick(&[0.0, 0.5, -0.5, 0.25]);
        let bias = narrow(near - value * scale);
        (scale, random.pick(&[bias, bias.next_up(), bias.next_down()]).into())
    };
    (scale, if bias.is_finite() { bias } else { 0.5 })
}
