//! Clamps and devices made from raw bytes. Beyond its end, the input reads as zeros, which select the first choice of each
//! list, the plainest one.

use std::fmt::{Debug, Display};

use arbitrary::{Result, Unstructured};
use wgpu_clamp::{Clamp, DType, Limits, Number};

use crate::numbers::limits as limits_of;
use crate::values::{
    AFFINE_ON_GPU, NAN_RULES, ORDERS, PRECISIONS, ROUNDINGS, mask, quantization, quantized_pairs, scalar,
};

/// Returns the value, or `None` for an error. An error must have a message.
pub fn accepted<T, E: Debug + Display>(made: std::result::Result<T, E>) -> Option<T> {
    made.inspect_err(|error| assert!(!error.to_string().is_empty(), "{error:?}")).ok()
}

/// A clamp of any kind. A bound may lie on the GPU, scale and bias do not.
pub fn clamp(u: &mut Unstructured) -> Result<Clamp> {
    let dtype = *u.choose(DType::ALL)?;
    let bound = |u: &mut Unstructured| {
        Ok(match u.int_in_range(0..=9)? {
            0..=2 => Number::Absent,
            3 => Number::OnGpu,
            _ => scalar(dtype, u.arbitrary::<u64>()? & mask(dtype)).into(),
        })
    };
    let mut clamp = Clamp::unbounded(dtype).with_bounds(bound(u)?, bound(u)?).unwrap();
    if u.arbitrary()? {
        let source = *u.choose(DType::ALL)?;
        let converted = accepted(clamp.with_source(source));
        let both = [source, dtype].iter().all(|dtype| DType::CONVERTIBLE.contains(dtype));
        assert_eq!(converted.is_some(), source == dtype || both, "{source} to {dtype}");
        clamp = converted.unwrap_or(clamp);
    }
    clamp = clamp
        .with_order(*u.choose(&ORDERS)?)
        .with_nan_rule(*u.choose(&NAN_RULES)?)
        .with_precision(*u.choose(&PRECISIONS)?)
        .with_rounding(*u.choose(&ROUNDINGS)?);
    let clamp = affine(u, clamp)?;
    if u.int_in_range(0..=7)? == 7 { quantized(u, clamp) } else { Ok(clamp) }
}

/// A quantisation with the properties of `clamp`, or the clamp if its dtypes are not quantised.
fn quantized(u: &mut Unstructured, clamp: Clamp) -> Result<Clamp> {
    let (source, dtype) = (clamp.source(), clamp.dtype());
    let scale: f32 = if u.arbitrary()? { u.arbitrary()? } else { f32::from(u.arbitrary::<i16>()?) / 256.0 };
    let zero_point =
        if u.arbitrary()? { u.arbitrary::<i8>()?.into() } else { u.int_in_range(-33_000..=66_000)? };
    let made = accepted(quantization(source, dtype, scale, zero_point));
    let integer = if source.is_float() { dtype } else { source };
    let is_right = quantized_pairs().any(|pair| pair == (source, dtype))
        && scale.is_finite()
        && (scale != 0.0 || !source.is_float())
        && (integer != DType::I32 || zero_point == 0)
        && (limits_of(integer)[0]..=limits_of(integer)[1]).contains(&zero_point.into());
    assert_eq!(made.is_some(), is_right, "{source} to {dtype}, {scale:e}, {zero_point}");
    let Some(made) = made else { return Ok(clamp) };
    let bounded = accepted(made.with_bounds(clamp.min(), clamp.max())).unwrap_or(made);
    Ok(bounded
        .with_order(clamp.order())
        .with_nan_rule(clamp.nan_rule())
        .with_precision(clamp.precision())
        .with_rounding(clamp.rounding()))
}

/// Adds an affine step to the clamp, or none.
fn affine(u: &mut Unstructured, clamp: Clamp) -> Result<Clamp> {
    let (scale, bias) = match u.int_in_range(0..=5)? {
        0 | 1 => return Ok(clamp),
        2 => (f64::from(*u.choose(&[1.0 / 255.0_f32, 255.0, 0.5, 2.0, -1.0])?), 0.0),
        3 => (f64::from(u.arbitrary::<i16>()?) / 256.0, f64::from(u.arbitrary::<i8>()?)),
        4 => (f64::from(u.arbitrary::<f32>()?), f64::from(u.arbitrary::<f32>()?)),
        _ => (u.arbitrary()?, u.arbitrary()?),
    };
    let single = (scale as f32, bias as f32);
    let finite = single.0.is_finite() && single.1.is_finite();
    let with = accepted(clamp.with_affine(single.0, single.1));
    assert_eq!(with.is_some(), finite, "{single:?}");
    let double = accepted(clamp.with_affine(scale, bias));
    if clamp.dtype() == DType::F64 {
        assert_eq!(double.is_some(), scale.is_finite() && bias.is_finite(), "{scale:e}, {bias:e}");
    } else {
        // Rounded to f32.
        assert_eq!(double, with, "{scale:e}, {bias:e}");
    }
    Ok(double.or(with).unwrap_or(clamp))
}

/// The clamp with scale or bias on the GPU, if its dtype takes them from there.
pub fn steps_on_gpu(u: &mut Unstructured, clamp: &Clamp) -> Result<Option<Clamp>> {
    if clamp.zero_point().is_some() {
        return Ok(None);
    }
    let mut of = |number| Ok(if u.arbitrary()? { Number::OnGpu } else { number });
    let (scale, bias) = (of(clamp.scale())?, of(clamp.bias())?);
    let found = accepted(clamp.with_affine(scale, bias));
    let on_gpu = [scale, bias].contains(&Number::OnGpu);
    assert_eq!(found.is_some(), !on_gpu || AFFINE_ON_GPU.contains(&clamp.dtype()), "{clamp:?}");
    Ok(found)
}

/// A clamp for each channel. They agree in the properties that channels must share, and in most lists each has a Min of its
/// own.
pub fn channels(u: &mut Unstructured, clamp: Clamp, count: usize) -> Result<Vec<Clamp>> {
    let several = u.ratio(7, 8)?;
    let one = |channel| {
        if !several {
            return Ok(clamp);
        }
        let min = scalar(clamp.dtype(), channel as u64 % 128);
        let one = clamp.with_bounds(min, clamp.max()).unwrap();
        match channel {
            4.. => Ok(one),
            _ if one.zero_point().is_none() => affine(u, one),
            // Without another scale and zero point, the same.
            _ => quantized(u, one),
        }
    };
    (0..count).map(one).collect()
}

/// A device with the limits that every device has, or with bindings and grids so small that most tensors take many.
pub fn limits(u: &mut Unstructured) -> Result<Limits> {
    let mut limits = Limits::default();
    limits.f64_arithmetic = u.arbitrary()?;
    limits.f16_conversions = u.arbitrary()?;
    limits.cpu = u.arbitrary()?;
    limits.max_workgroup_memory = *u.choose(&[0, 10_000, limits.max_workgroup_memory])?;
    match u.int_in_range(0..=4)? {
        0 => {}
        1 => (limits.max_binding_size, limits.binding_alignment) = (u64::MAX, 16),
        2 | 3 => {
            limits.binding_alignment = *u.choose(&[16, 32, 256])?;
            limits.max_binding_size =
                4 * (limits.binding_alignment + 4) + 8 * u64::from(u.arbitrary::<u8>()?);
            limits.max_workgroups_per_dimension = u.int_in_range(1..=4)?;
        }
        _ => {
            limits.max_binding_size = u.arbitrary()?;
            limits.binding_alignment = u.arbitrary()?;
            limits.max_workgroups_per_dimension = u.arbitrary()?;
        }
    }
    Ok(limits)
}
