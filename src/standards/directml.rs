//! `DirectML` `ELEMENT_WISE_CLIP` and `ELEMENT_WISE_CLIP1`.

mod level;
mod tensor;

pub use level::FeatureLevel;
pub use tensor::TensorDesc;

use super::convert::{self, ToInteger};
use super::{Standard, nan_bound, refuse_dtype, refuse_nan};
use crate::{Clamp, DType, Element, Error, Layout, NanRule, Order, Scalar};

/// `DML_SCALE_BIAS`: `x * scale + bias` is computed before the bounds apply. Scale and bias are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaleBias {
    /// The factor.
    pub scale: f32,
    /// The addend.
    pub bias: f32,
}

/// `DML_ELEMENT_WISE_CLIP_OPERATOR_DESC`, field by field.
///
/// The operator may run in place: give one view for both tensors, or
/// [`Operands::in_place`](crate::Operands::in_place).
///
/// ```
/// use wgpu_clamp::standards::directml::{ElementWiseClip, FeatureLevel, ScaleBias, TensorDesc};
/// use wgpu_clamp::{DType, reference};
///
/// let tensor = TensorDesc { dtype: DType::U8, sizes: &[1, 1, 1, 4], strides: None };
/// let desc = ElementWiseClip {
///     input: tensor,
///     output: tensor,
///     scale_bias: Some(ScaleBias { scale: 1.5, bias: -20.0 }),
///     min: 0.0,
///     max: 200.9,
/// };
/// let (clamp, src, dst) = desc.resolve(FeatureLevel::default())?;
/// assert_eq!((src.shape(), src), (&[1, 1, 1, 4][..], dst));
///
/// let mut out = [0_u8; 4];
/// reference::clamp_slice(&clamp, &[0_u8, 15, 100, 250], &mut out)?;
/// assert_eq!(out, [0, 2, 130, 200]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementWiseClip<'a> {
    /// `InputTensor`.
    pub input: TensorDesc<'a>,
    /// `OutputTensor`: dtype and sizes of the input, strides of its own.
    pub output: TensorDesc<'a>,
    /// `ScaleBias`; `None` is a null pointer.
    pub scale_bias: Option<ScaleBias>,
    /// `Min`, converted to the dtype as [`Clamp::directml`] says.
    pub min: f32,
    /// `Max`, converted to the dtype as [`Clamp::directml`] says.
    pub max: f32,
}

impl ElementWiseClip<'_> {
    /// Returns the clamp, and the layouts of input and output.
    ///
    /// An output that overlaps itself is refused later, when a [`Plan`](crate::Plan) is made.
    ///
    /// # Errors
    ///
    /// Those of [`Clamp::directml`] and [`TensorDesc::layout`]; [`Error::Standard`] if the level lacks
    /// tensors of that many dimensions; [`Error::DType`] or [`Error::Argument`] if the tensors
    /// differ in dtype or sizes.
    pub fn resolve(&self, level: FeatureLevel) -> Result<(Clamp, Layout, Layout), Error> {
        let clamp = Clamp::directml(self.input.dtype, self.min, self.max, self.scale_bias, level)?;
        let (src, dst) = layouts(&self.input, &self.output, level)?;
        Ok((clamp, src, dst))
    }
}

/// `DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC`, field by field. Its bounds are scalars of the dtype. It needs level 5.0.
///
/// ```
/// use wgpu_clamp::standards::directml::{ElementWiseClip1, FeatureLevel, TensorDesc};
/// use wgpu_clamp::DType;
///
/// // No f32 is 2^53 + 1.
/// let tensor = TensorDesc { dtype: DType::I64, sizes: &[7], strides: None };
/// let desc = ElementWiseClip1::new(tensor, tensor, None, 0_i64, 9_007_199_254_740_993);
/// let (clamp, _, _) = desc.resolve(FeatureLevel::V5_0)?;
/// assert_eq!(clamp.max(), 9_007_199_254_740_993_i64.into());
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementWiseClip1<'a> {
    /// `InputTensor`.
    pub input: TensorDesc<'a>,
    /// `OutputTensor`: dtype and sizes of the input, strides of its own.
    pub output: TensorDesc<'a>,
    /// `ScaleBias`; `None` is a null pointer.
    pub scale_bias: Option<ScaleBias>,
    /// `MinMaxDataType`, which must be the dtype of the tensors.
    pub min_max_dtype: DType,
    /// `Min`: the element's bits, zero-extended to the 64 of a `DML_SCALAR_UNION`.
    pub min: u64,
    /// `Max`: the element's bits, zero-extended to the 64 of a `DML_SCALAR_UNION`.
    pub max: u64,
}

impl<'a> ElementWiseClip1<'a> {
    /// A description whose `MinMaxDataType`, `Min` and `Max` come from two Rust numbers.
    #[must_use]
    pub fn new<T: Element>(
        input: TensorDesc<'a>,
        output: TensorDesc<'a>,
        scale_bias: Option<ScaleBias>,
        min: T,
        max: T,
    ) -> Self {
        let (min, max) = (min.to_bits64(), max.to_bits64());
        Self { input, output, scale_bias, min_max_dtype: T::DTYPE, min, max }
    }

    /// Returns the clamp, and the layouts of input and output.
    ///
    /// An output that overlaps itself is refused later, when a [`Plan`](crate::Plan) is made.
    ///
    /// # Errors
    ///
    /// Those of [`ElementWiseClip::resolve`]; [`Error::Standard`] below level 5.0; [`Error::DType`] if the bounds'
    /// dtype is not the tensors'; [`Error::Argument`] if a bound has bits beyond the dtype's width.
    pub fn resolve(&self, level: FeatureLevel) -> Result<(Clamp, Layout, Layout), Error> {
        let since = FeatureLevel::V5_0;
        if level < since {
            let value = format!("ELEMENT_WISE_CLIP1 is not in DirectML feature level {level}");
            let standard = Standard::DirectMl { level };
            return Err(Error::standard(standard, "level", value, format!("it is since {since}")));
        }
        let dtype = self.input.dtype;
        refuse_dtype(Standard::DirectMl { level }, dtype, level.dtypes())?;
        refuse_mismatch("min_max_dtype", dtype, self.min_max_dtype)?;
        let min = Scalar::of("min", dtype, self.min)?;
        let max = Scalar::of("max", dtype, self.max)?;
        let clamp = Clamp::unbounded(dtype).with_bounds(min, max)?;
        for (argument, bits) in [("min", self.min), ("max", self.max)] {
            if convert::is_nan(dtype, bits) {
                return Err(nan_bound(Standard::DirectMl { level }, argument));
            }
        }
        let (src, dst) = layouts(&self.input, &self.output, level)?;
        Ok((with_rules(clamp, self.scale_bias)?, src, dst))
    }
}

impl Clamp {
    /// `DirectML`'s
    /// [`ELEMENT_WISE_CLIP`](https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_element_wise_clip_operator_desc)
    /// on a device of the given feature level. `FeatureLevel::default()` is the newest.
    ///
    /// To a float dtype the bounds are rounded to nearest, ties to even. To an integer dtype they are truncated toward
    /// zero and saturated (section "Remarks"). `min > max` is allowed: by the formula `max(Min, min(x, Max))` every
    /// element becomes Min. A NaN element is treated as +∞, and so becomes Max: HLSL's `min` returns the operand that
    /// is a number. [`with_precision`](Self::with_precision) sets how a float `scale_bias` rounds.
    ///
    /// The level also limits the number of dimensions. [`directml::ElementWiseClip`](ElementWiseClip) checks that.
    ///
    /// # Errors
    ///
    /// [`Error::Standard`] unless the dtype is one of [`FeatureLevel::dtypes`], or if a bound is NaN;
    /// [`Error::Argument`] if scale or bias is NaN or infinite.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType, standards::directml::FeatureLevel};
    /// let clamp = Clamp::directml(DType::I8, -1.9, 300.0, None, FeatureLevel::default())?;
    /// assert_eq!((clamp.min(), clamp.max()), ((-1_i8).into(), 127_i8.into()));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn directml(
        dtype: DType,
        min: f32,
        max: f32,
        scale_bias: Option<ScaleBias>,
        level: FeatureLevel,
    ) -> Result<Self, Error> {
        let (min, max) = (f64::from(min), f64::from(max));
        refuse_dtype(Standard::DirectMl { level }, dtype, level.dtypes())?;
        refuse_nan(Standard::DirectMl { level }, min, max)?;
        let bound = |value| convert::to_scalar(dtype, value, ToInteger::Truncate);
        with_rules(Self::unbounded(dtype).with_bounds(bound(min), bound(max))?, scale_bias)
    }
}

fn with_rules(clamp: Clamp, scale_bias: Option<ScaleBias>) -> Result<Clamp, Error> {
    let clamp = clamp.with_order(Order::MinWins).with_nan_rule(NanRule::ToMax);
    match scale_bias {
        Some(ScaleBias { scale, bias }) => clamp.with_affine(scale, bias),
        None => Ok(clamp),
    }
}

/// The two layouts, if the tensors meet the section "Tensor constraints" and the dimension counts of "Tensor support".
fn layouts(
    input: &TensorDesc<'_>,
    output: &TensorDesc<'_>,
    level: FeatureLevel,
) -> Result<(Layout, Layout), Error> {
    refuse_mismatch("output", input.dtype, output.dtype)?;
    if input.sizes != output.sizes {
        return Err(Error::shapes(&input.shape(), &output.shape()));
    }
    let (rank, allowed) = (input.sizes.len(), level.ranks());
    if !allowed.contains(&rank) {
        let standard = Standard::DirectMl { level };
        let (least, most) = (allowed.start(), allowed.end());
        let takes = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let value = format!("{rank} dimensions are not in {standard}");
        return Err(Error::standard(standard, "sizes", value, format!("it takes {takes}")));
    }
    Ok((input.layout()?, output.layout()?))
}

fn refuse_mismatch(argument: &'static str, expected: DType, actual: DType) -> Result<(), Error> {
    if expected == actual {
        return Ok(());
    }
    let value = format!("{actual} is not the dtype of input, {expected}");
    Err(Error::dtype(argument, value, "they must be equal"))
}
