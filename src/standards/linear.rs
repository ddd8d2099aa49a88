//! ONNX `QuantizeLinear` and `DequantizeLinear`.

use crate::error::names;
use crate::operator::Quantization;
use crate::{Clamp, DType, Error};

/// The floats that are quantised, and that integers are dequantised to.
const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];
/// The integers that floats are quantised to.
const INTEGERS: [DType; 4] = [DType::U8, DType::I8, DType::U16, DType::I16];
/// The integers that are dequantised.
const DEQUANTIZED: [DType; 5] = [DType::U8, DType::I8, DType::U16, DType::I16, DType::I32];

impl Clamp {
    /// ONNX `QuantizeLinear`: `round(x / scale) + zero_point`, saturated to `dtype`, then the bounds.
    ///
    /// The quotient is rounded to f32, then to the nearest integer, ties to even. `source` is F32, F16 or BF16; `dtype`
    /// is U8, I8, U16 or I16. [`with_bounds`](Self::with_bounds) adds bounds, numbers of `dtype`; a fused `ReLU` has the
    /// zero point as Min. An F16 or BF16 `y_scale` is widened.
    ///
    /// A NaN becomes the zero point, or the lowest or highest integer by the [`NanRule`](crate::NanRule); the standard
    /// leaves it open, and ONNX Runtime makes it the lowest, as `ToMin` does. ±∞ saturates.
    /// With [`Precision::Exact`](crate::Precision::Exact) every device gives the bits of the standard. The default,
    /// [`Precision::Fast`](crate::Precision::Fast), multiplies by the f32 next to `1 / scale`, as `PyTorch` does: next to
    /// a tie, results may be one apart; further where a device flushes subnormals and the element, the scale or
    /// `1 / scale` is one. Where that f32 is infinite (scales below about 2⁻¹²⁸), ±0 gives the zero point and
    /// every other element saturates.
    ///
    /// The [manual](crate::manual::quantization) shows scales per channel and per block, and other systems' names.
    ///
    /// # Errors
    ///
    /// - [`Error::DType`] if `source` or `dtype` is none of these,
    /// - [`Error::Argument`] if `scale` is 0, infinite or NaN, or if `zero_point` is no number of `dtype`.
    ///
    /// ```
    /// use wgpu_clamp::{Clamp, DType, Element, Precision, reference};
    ///
    /// let quantize = Clamp::quantize_linear(DType::F32, DType::U8, 0.5, 128)?.with_precision(Precision::Exact);
    /// let [tie, nan] = [0.75_f32, f32::NAN].map(|x| reference::element(&quantize, x.to_bits64()));
    /// assert_eq!((tie?, nan?), (130, 128));
    ///
    /// let relu = quantize.with_bounds(128_u8, 255_u8)?;
    /// assert_eq!(reference::element(&relu, (-7.0_f32).to_bits64())?, 128);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn quantize_linear(source: DType, dtype: DType, scale: f32, zero_point: i32) -> Result<Self, Error> {
        check("quantize_linear", ("source", source, &FLOATS), ("dtype", dtype, &INTEGERS))?;
        if scale == 0.0 {
            return Err(Error::argument(
                "scale",
                format!("{scale:?} is no divisor"),
                "give another finite number",
            ));
        }
        checked(source, dtype, dtype, Quantization { scale, zero_point })
    }

    /// ONNX `DequantizeLinear`: `(x - zero_point) * scale`, then the bounds.
    ///
    /// The difference is an exact integer. It is rounded to f32, and so is the product, which is rounded to `dtype` at
    /// last; all to nearest, ties to even. `source` is U8, I8, U16, I16 or I32; `dtype` is F32, F16 or BF16.
    /// [`with_bounds`](Self::with_bounds) adds bounds. An F16 or BF16 `x_scale` is widened.
    ///
    /// With [`Precision::Exact`](crate::Precision::Exact) every device gives the same bits. The default,
    /// [`Precision::Fast`](crate::Precision::Fast), gives them too, except where a device flushes subnormals of f32.
    ///
    /// # Errors
    ///
    /// - [`Error::DType`] if `source` or `dtype` is none of these,
    /// - [`Error::Argument`] if `scale` is infinite or NaN, if `zero_point` is no number of `source`, or if it is not 0
    ///   and `source` is I32.
    ///
    /// ```
    /// use wgpu_clamp::{Clamp, DType, reference};
    ///
    /// let dequantize = Clamp::dequantize_linear(DType::U8, DType::F32, 0.3, 128)?;
    /// let [low, zero] = [0, 128].map(|x| reference::element(&dequantize, x));
    /// assert_eq!([low?, zero?], [-38.4_f32, 0.0].map(|y| y.to_bits().into()));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn dequantize_linear(
        source: DType,
        dtype: DType,
        scale: f32,
        zero_point: i32,
    ) -> Result<Self, Error> {
        check("dequantize_linear", ("source", source, &DEQUANTIZED), ("dtype", dtype, &FLOATS))?;
        if source == DType::I32 && zero_point != 0 {
            let value = format!("{zero_point} for a source of {source}");
            return Err(Error::argument("zero_point", value, "an i32 source takes 0 only"));
        }
        checked(source, dtype, source, Quantization { scale, zero_point })
    }
}

/// An argument, its value, and the dtypes that it takes.
type Side<'a> = (&'static str, DType, &'a [DType]);

fn check(constructor: &str, source: Side<'_>, dtype: Side<'_>) -> Result<(), Error> {
    for (argument, given, those) in [source, dtype] {
        if !those.contains(&given) {
            let value = format!("`Clamp::{constructor}` does not take {given} here");
            return Err(Error::dtype(argument, value, format!("give one of {}", names(those))));
        }
    }
    Ok(())
}

/// The clamp, if the scale is finite and the zero point a number of `integer`.
fn checked(source: DType, dtype: DType, integer: DType, quantization: Quantization) -> Result<Clamp, Error> {
    let Quantization { scale, zero_point } = quantization;
    if !scale.is_finite() {
        return Err(Error::argument("scale", format!("{scale:?} is not finite"), "give a finite number"));
    }
    let (lowest, highest) = integer.integer_range();
    if !(lowest..=highest).contains(&zero_point.into()) {
        let value = format!("{zero_point} is no number of {integer}");
        return Err(Error::argument("zero_point", value, format!("give one from {lowest} to {highest}")));
    }
    Ok(Clamp::of_quantization(source, dtype, quantization))
}
