//! The clamps of five standards. A function for each makes a [`Clamp`](crate::Clamp) from the standard's attributes.
//!
//! | | [`Clamp::directml`](crate::Clamp::directml) | [`Clamp::onnx`](crate::Clamp::onnx) | [`Clamp::openvino`](crate::Clamp::openvino) | [`Clamp::onednn`](crate::Clamp::onednn) | [`Clamp::webnn`](crate::Clamp::webnn) |
//! | --- | --- | --- | --- | --- | --- |
//! | operator | `ELEMENT_WISE_CLIP` and [`CLIP1`](directml::ElementWiseClip1) | Clip-1, 6, 11, 12, 13 | Clamp-1 | Graph Clamp | clamp |
//! | bounds | f32; CLIP1: scalars of the dtype | opset 1–10: f32; 11 on: scalars of the dtype, perhaps on the GPU | f64 | f32 | [doubles or integers](webnn::MlNumber) |
//! | to a float dtype | to nearest, ties to even | the same | the same | the same | the same |
//! | to an integer dtype | toward zero, saturated | – | Min up, Max down, saturated | – | to nearest, ties to even, saturated |
//! | absent bound | – | opset 1–10: ∓f32's largest number, rounded to the dtype (F16: ∓∞); 11 on: the dtype's lowest or highest finite number | – | – | none |
//! | Min > Max | Min wins | Max wins | error (of the implementation); where only rounding crosses them, Max wins | error (of the implementation) | error (of the text), after the conversion |
//! | NaN element | +∞, so Max | stays | stays | −∞, so Min | stays |
//! | NaN bound | error | ignored | error (of the implementation) | error (of the implementation) | ignored; of an integer dtype 0 |
//! | dtypes | [by feature level](directml::FeatureLevel::dtypes): F32, F16; 2.1: + I8–I32, U8–U32; 5.0: + I64, U64 | [by opset](onnx::dtypes): F32, F16, F64; 12: + integers; 13: + BF16 | all | [F32, F16, BF16](onednn::DTYPES) | [F32, F16, I8, U8, I32, U32, I64, U64](webnn::DTYPES) |
//! | dimensions | [4; from level 3.0 on 1–8](directml::FeatureLevel::ranks) | any, here 0–8; give a packed tensor of higher rank as one dimension | the same | the same | the same |
//! | scale and bias | yes | – | – | – | – |
//!
//! ONNX `QuantizeLinear` and `DequantizeLinear` are [`Clamp::quantize_linear`](crate::Clamp::quantize_linear) and
//! [`Clamp::dequantize_linear`](crate::Clamp::dequantize_linear), for one scale or [one per index of an
//! axis](crate::Clamps::along), opsets 10 to 21; the [manual](crate::manual::quantization) compares them with other systems.
//!
//! If a standard rejects an argument, the [`Error`] names the standard and its version. Where a runtime differs from
//! the text of its standard, this crate follows the text: see [ONNX Runtime](onnx#where-onnx-runtime-does-otherwise).
//!
//! # The differences, one by one
//!
//! **To an integer dtype.** `DirectML` truncates, so 0.8 becomes 0. `OpenVINO` rounds both bounds into the interval.
//!
//! ```
//! # use wgpu_clamp::{Clamp, DType, Error, standards::directml::FeatureLevel};
//! let directml = Clamp::directml(DType::U8, 0.8, 3.8, None, FeatureLevel::default())?;
//! let openvino = Clamp::openvino(DType::U8, 0.8, 3.8)?;
//! assert_eq!((directml.min(), directml.max()), (0_u8.into(), 3_u8.into()));
//! assert_eq!((openvino.min(), openvino.max()), (1_u8.into(), 3_u8.into()));
//! # Ok::<(), Error>(())
//! ```
//!
//! **An absent bound.** In ONNX an absent bound is a number that depends on the opset: at opset 6, ∞ passes an F16
//! clamp; at opset 11, ∞ does not.
//!
//! ```
//! # use wgpu_clamp::{Clamp, DType, Error, Number, Scalar, standards::onnx::Bounds};
//! let opset6 = Clamp::onnx(6, DType::F16, Bounds::Attributes { min: Some(0.0), max: None })?;
//! let min = Scalar::from_bits(DType::F16, 0)?.into();
//! let opset11 = Clamp::onnx(11, DType::F16, Bounds::Inputs { min, max: Number::Absent })?;
//! assert_eq!(opset6.max(), Scalar::from_bits(DType::F16, 0x7c00)?.into()); // infinity
//! assert_eq!(opset11.max(), Scalar::from_bits(DType::F16, 0x7bff)?.into()); // 65504
//! # Ok::<(), Error>(())
//! ```
//!
//! **Min > Max.**
//!
//! ```
//! # use wgpu_clamp::{Clamp, DType, Error, reference};
//! # use wgpu_clamp::standards::{directml::FeatureLevel, onnx::Bounds};
//! let directml = Clamp::directml(DType::F32, 2.0, 1.0, None, FeatureLevel::default())?;
//! let [min, max] = [2.0_f32, 1.0].map(Into::into);
//! let onnx = Clamp::onnx(13, DType::F32, Bounds::Inputs { min, max })?;
//! let mut out = [0.0_f32];
//! reference::clamp_slice(&directml, &[5.0_f32], &mut out)?;
//! assert_eq!(out, [2.0]);
//! reference::clamp_slice(&onnx, &[5.0_f32], &mut out)?;
//! assert_eq!(out, [1.0]);
//! assert!(matches!(Clamp::openvino(DType::F32, 2.0, 1.0), Err(Error::Standard { .. })));
//! assert!(matches!(Clamp::onednn(DType::F32, 2.0, 1.0), Err(Error::Standard { .. })));
//!
//! // No integer lies between 0.2 and 0.8: the bounds become 1 and 0.
//! let mut out = [0_i32; 2];
//! reference::clamp_slice(&Clamp::openvino(DType::I32, 0.2, 0.8)?, &[-7_i32, 7], &mut out)?;
//! assert_eq!(out, [0, 0]);
//! # Ok::<(), Error>(())
//! ```
//!
//! **A NaN element.**
//!
//! ```
//! # use wgpu_clamp::{Clamp, DType, Error, reference};
//! # use wgpu_clamp::standards::{directml::FeatureLevel, onnx::Bounds};
//! let mut out = [0.0_f32];
//! let directml = Clamp::directml(DType::F32, 0.0, 6.0, None, FeatureLevel::default())?;
//! reference::clamp_slice(&directml, &[f32::NAN], &mut out)?;
//! assert_eq!(out, [6.0]);
//! reference::clamp_slice(&Clamp::onednn(DType::F32, 0.0, 6.0)?, &[f32::NAN], &mut out)?;
//! assert_eq!(out, [0.0]);
//! let onnx = Clamp::onnx(6, DType::F32, Bounds::Attributes { min: Some(0.0), max: Some(6.0) })?;
//! for stays in [onnx, Clamp::openvino(DType::F32, 0.0, 6.0)?] {
//!     reference::clamp_slice(&stays, &[f32::NAN], &mut out)?;
//!     assert!(out[0].is_nan());
//! }
//! # Ok::<(), Error>(())
//! ```
//!
//! **A NaN bound.**
//!
//! ```
//! # use wgpu_clamp::{Clamp, DType, Error, reference};
//! # use wgpu_clamp::standards::onnx::Bounds;
//! let ignored = Clamp::onnx(6, DType::F32, Bounds::Attributes { min: Some(f32::NAN), max: Some(6.0) })?;
//! let mut out = [0.0_f32; 2];
//! reference::clamp_slice(&ignored, &[-7.0_f32, 7.0], &mut out)?;
//! assert_eq!(out, [-7.0, 6.0]);
//! assert!(matches!(Clamp::openvino(DType::F32, f64::NAN, 6.0), Err(Error::Standard { .. })));
//! # Ok::<(), Error>(())
//! ```
//!
//! **Dtypes.**
//!
//! ```
//! # use wgpu_clamp::{Clamp, DType, standards::directml::FeatureLevel};
//! let error = Clamp::directml(DType::I8, 0.0, 6.0, None, FeatureLevel::V1_0).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "dtype: i8 is not in DirectML CLIP at feature level 1.0; it takes f32, f16; i8 comes with feature level 2.1"
//! );
//! assert!(Clamp::onednn(DType::I8, 0.0, 6.0).is_err());
//! assert!(Clamp::openvino(DType::I8, 0.0, 6.0).is_ok());
//! ```
//!
//! **Scale and bias**, which only `DirectML` has.
//!
//! ```
//! # use wgpu_clamp::{Clamp, DType, Error, reference};
//! use wgpu_clamp::standards::directml::{FeatureLevel, ScaleBias};
//!
//! let scale_bias = Some(ScaleBias { scale: 2.0, bias: 1.0 });
//! let clamp = Clamp::directml(DType::I16, 0.0, 100.0, scale_bias, FeatureLevel::V2_1)?;
//! let mut out = [0_i16; 2];
//! reference::clamp_slice(&clamp, &[10_i16, 60], &mut out)?;
//! assert_eq!(out, [21, 100]);
//! # Ok::<(), Error>(())
//! ```

mod convert;
pub mod directml;
mod linear;
pub mod onednn;
pub mod onnx;
pub mod openvino;
pub mod webnn;

use std::fmt;

use self::directml::FeatureLevel;
use crate::error::names;
use crate::{DType, Error};

/// One of the five standards, in the version that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standard {
    /// `DirectML` CLIP and CLIP1.
    DirectMl {
        /// The feature level.
        level: FeatureLevel,
    },
    /// ONNX Clip.
    Onnx {
        /// The version of the operator set. It selects the version of Clip.
        opset: u32,
    },
    /// `OpenVINO` Clamp-1.
    OpenVino,
    /// `oneDNN` Graph Clamp.
    OneDnn,
    /// `WebNN` clamp.
    WebNn,
}

impl Standard {
    /// For messages: a note that the implementation refuses the case, not the text; else empty. `tests/data/golden`
    /// records the implementations' answers.
    const fn not_in_text(self) -> &'static str {
        match self {
            Self::OpenVino | Self::OneDnn => " (its implementation, not its text)",
            Self::DirectMl { .. } | Self::Onnx { .. } | Self::WebNn => "",
        }
    }

    /// For messages: the first version that has `dtype`, which this version lacks.
    fn since(self, dtype: DType) -> String {
        match self {
            Self::DirectMl { .. } => {
                FeatureLevel::since(dtype).map(|level| format!("; {dtype} comes with feature level {level}"))
            }
            Self::Onnx { .. } => {
                onnx::since(dtype).map(|opset| format!("; {dtype} comes with opset {opset}"))
            }
            Self::OpenVino | Self::OneDnn | Self::WebNn => None,
        }
        .unwrap_or_default()
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DirectMl { level } => write!(f, "DirectML CLIP at feature level {level}"),
            Self::Onnx { opset } => {
                let version = onnx::version(*opset).unwrap_or(*opset);
                write!(f, "ONNX Clip-{version} (opset {opset})")
            }
            Self::OpenVino => f.pad("OpenVINO Clamp-1"),
            Self::OneDnn => f.pad("oneDNN Graph Clamp"),
            Self::WebNn => f.pad("WebNN clamp"),
        }
    }
}

fn refuse_dtype(standard: Standard, dtype: DType, allowed: &'static [DType]) -> Result<(), Error> {
    if allowed.contains(&dtype) {
        return Ok(());
    }
    let remedy = format!("it takes {}{}", names(allowed), standard.since(dtype));
    Err(Error::standard(standard, "dtype", format!("{dtype} is not in {standard}"), remedy))
}

fn refuse_nan(standard: Standard, min: f64, max: f64) -> Result<(), Error> {
    for (argument, value) in [("min", min), ("max", max)] {
        if value.is_nan() {
            return Err(nan_bound(standard, argument));
        }
    }
    Ok(())
}

/// Refuses `min > max`. The attributes have the type that the caller gave, so that the message has the caller's digits.
fn refuse_crossed<T: Copy + PartialOrd + fmt::Debug>(
    standard: Standard,
    min: T,
    max: T,
) -> Result<(), Error> {
    if min > max { Err(crossed(standard, format!("{min:?} is more than {max:?}"))) } else { Ok(()) }
}

/// The error of a bound that is NaN, where the standard's text or its implementation requires a number.
fn nan_bound(standard: Standard, argument: &'static str) -> Error {
    let value = format!("NaN is no bound of {standard}");
    Error::standard(standard, argument, value, "give a number, or ±infinity for none")
}

/// The error of `min > max`, which the standard's text forbids or its implementation refuses.
fn crossed(standard: Standard, value: String) -> Error {
    let remedy = format!("{standard} requires min <= max{}", standard.not_in_text());
    Error::standard(standard, "min, max", value, remedy)
}
