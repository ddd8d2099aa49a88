//! ONNX Clip, versions 1, 6, 11, 12 and 13.
//!
//! A node at opset 11 or later, with one bound in the file and the other computed by another node:
//!
//! ```no_run
//! use wgpu_clamp::half::f16;
//! use wgpu_clamp::standards::onnx::Bounds;
//! use wgpu_clamp::{Clamp, Clamper, DType, Error, Layout, Number, Operands, Scalar, View, wgpu};
//!
//! fn clip(
//!     clamper: &Clamper,
//!     encoder: &mut wgpu::CommandEncoder,
//!     (x, y): (&wgpu::Buffer, &wgpu::Buffer), // f16, [1, 8, 14, 14]
//!     min: &[u8; 2],                          // the raw data of an initializer
//!     max: &wgpu::Buffer,                     // an output of another node, of shape [] or [1]
//! ) -> Result<(), Error> {
//!     let min = Scalar::from_le_bytes(DType::F16, min)?.into();
//!     let clamp = Clamp::onnx(13, DType::F16, Bounds::Inputs { min, max: Number::OnGpu })?;
//!     // The operator is elementwise: a packed tensor of any rank has one dimension here.
//!     let all = Layout::packed(&[8 * 14 * 14])?;
//!     let views = Operands::new(View::of::<f16>(x, all), View::of::<f16>(y, all));
//!     clamper.encode(encoder, &clamp, views.with_max(View::of::<f16>(max, Layout::packed(&[])?)))
//! }
//! ```
//!
//! Buffers are whole 4-byte words, so a buffer of one f16 has 4 bytes.
//!
//! # Where ONNX Runtime does otherwise
//!
//! The table shows ONNX Runtime 1.31.1 on the CPU, as recorded in `tests/data` of the repository. `CONFORMANCE.md`
//! there counts the cases; the field `deviates` of a record lists single elements.
//!
//! | case | ONNX Runtime | here, by the text |
//! | --- | --- | --- |
//! | opset 6, `min > max` or an attribute that is NaN | refuses the model | every non-NaN element becomes Max; a NaN bound is ignored |
//! | opset 11, F16, an absent bound | ±∞ passes | ±∞ becomes ±65504 |
//! | opsets 6 and 11, F16, a signaling NaN | becomes a quiet one | keeps its bits |
//! | I64, Min below −2³¹ | elements from −2³¹ to −1 become Min | they stay |
//! | BF16 at opset 13, I16 from opset 12 on | refuses the model | computed |

use super::convert::{self, ToInteger};
use super::{Standard, refuse_dtype};
use crate::{Clamp, DType, Error, NanRule, Number, Order, Scalar};

/// The bounds of a Clip node: attributes or inputs, depending on the operator version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// The f32 attributes `min` and `max` of versions 1 and 6 (opsets 1 to 10).
    ///
    /// An absent `min` is −3.4028234663852886e38, an absent `max` is 3.4028234663852886e38. Like any attribute, this
    /// number is rounded to the dtype, so for F16 it is −∞ or +∞.
    Attributes {
        /// The lower bound.
        min: Option<f32>,
        /// The upper bound.
        max: Option<f32>,
    },
    /// The inputs `min` and `max` of version 11 and later (opset 11 and later), of the dtype of the tensor.
    ///
    /// An absent input, [`Number::Absent`], is the lowest or the highest finite number of the dtype, so ±∞ does not
    /// pass. [`Number::OnGpu`] is an input that lies on the GPU.
    Inputs {
        /// The lower bound.
        min: Number,
        /// The upper bound.
        max: Number,
    },
}

impl Bounds {
    const fn name(&self) -> &'static str {
        match self {
            Self::Attributes { .. } => "attributes",
            Self::Inputs { .. } => "inputs",
        }
    }
}

/// The version of Clip in an operator set: 1, 6, 11, 12, or 13 from opset 13 on.
///
/// # Errors
///
/// [`Error::Standard`] if `opset` is 0.
///
/// ```
/// # use wgpu_clamp::standards::onnx;
/// assert_eq!(onnx::version(10)?, 6);
/// assert_eq!(onnx::version(21)?, 13);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn version(opset: u32) -> Result<u32, Error> {
    match opset {
        0 => {
            let remedy = "versions of the ONNX operator set begin at 1";
            Err(Error::standard(Standard::Onnx { opset }, "opset", "0 is no version", remedy))
        }
        1..6 => Ok(1),
        6..11 => Ok(6),
        11 => Ok(11),
        12 => Ok(12),
        13.. => Ok(13),
    }
}

/// The element types of Clip in an operator set: the type constraint `T` of its version.
///
/// # Errors
///
/// [`Error::Standard`] if `opset` is 0.
///
/// ```
/// # use wgpu_clamp::{DType, standards::onnx};
/// assert_eq!(onnx::dtypes(11)?, [DType::F32, DType::F16, DType::F64]);
/// assert!(!onnx::dtypes(12)?.contains(&DType::BF16));
/// assert_eq!(onnx::dtypes(13)?.len(), 12);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn dtypes(opset: u32) -> Result<&'static [DType], Error> {
    use DType::{F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    Ok(match version(opset)? {
        ..12 => &[F32, F16, F64],
        12 => &[F32, F16, F64, I8, I16, I32, I64, U8, U16, U32, U64],
        13.. => DType::ALL,
    })
}

pub(super) fn since(dtype: DType) -> Option<u32> {
    (1..=13).find(|&opset| dtypes(opset).is_ok_and(|dtypes| dtypes.contains(&dtype)))
}

impl Clamp {
    /// [ONNX Clip](https://onnx.ai/onnx/operators/onnx__Clip.html) as of the operator set `opset`, which
    /// selects [the version of Clip](version).
    ///
    /// Attributes are rounded to nearest, ties to even. Inputs are elements of the dtype. Where `min > max`, every
    /// element except NaN becomes Max: version 13 says so for all elements, and no other version contradicts it. No
    /// version mentions NaN: a NaN element stays, and a NaN bound never replaces anything.
    ///
    /// The text requires a bound of shape `[]`. A [slot](crate::Operands::with_min) takes any shape of one element, so
    /// a tensor of shape `[1]` or `[1, 1]`, as exporters write it, serves too.
    ///
    /// # Errors
    ///
    /// - [`Error::Standard`] if `opset` is 0, if the dtype is not one of [`onnx::dtypes`](dtypes), for inputs below
    ///   opset 11, and for attributes from opset 11 on,
    /// - [`Error::DType`] if an input is of another dtype.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType, Number, standards::onnx::Bounds};
    /// let relu6 = Clamp::onnx(6, DType::F32, Bounds::Attributes { min: Some(0.0), max: Some(6.0) })?;
    ///
    /// let inputs = Bounds::Inputs { min: (-3_i8).into(), max: Number::Absent };
    /// let at_least = Clamp::onnx(12, DType::I8, inputs)?;
    /// assert_eq!(at_least.max(), 127_i8.into());
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn onnx(opset: u32, dtype: DType, bounds: Bounds) -> Result<Self, Error> {
        let version = version(opset)?;
        let standard = Standard::Onnx { opset };
        refuse_dtype(standard, dtype, dtypes(opset)?)?;
        let (min, max) = match bounds {
            Bounds::Attributes { min, max } if version < 11 => {
                // No dtype here is an integer, so the rounding rule has no effect.
                let bound = |value| convert::to_scalar(dtype, f64::from(value), ToInteger::Truncate).into();
                (bound(min.unwrap_or(f32::MIN)), bound(max.unwrap_or(f32::MAX)))
            }
            Bounds::Inputs { min, max } if version >= 11 => {
                let [lowest, highest] = convert::finite_range(dtype);
                (present_or(min, lowest), present_or(max, highest))
            }
            _ => {
                let value = format!("{standard} takes no {}", bounds.name());
                let remedy = "opsets 1 to 10 take attributes, 11 and later take inputs";
                return Err(Error::standard(standard, "bounds", value, remedy));
            }
        };
        let clamp = Self::unbounded(dtype).with_bounds(min, max)?;
        Ok(clamp.with_order(Order::MaxWins).with_nan_rule(NanRule::Propagate))
    }
}

fn present_or(bound: Number, default: Scalar) -> Number {
    if bound == Number::Absent { default.into() } else { bound }
}
