//! The clamps of four standards, each from its own attributes.

mod convert;
pub mod directml;
pub mod onednn;
pub mod onnx;
pub mod openvino;

use std::fmt;

use self::directml::FeatureLevel;
use crate::{DType, Error};

/// One of the four standards, in the version that was asked for: what an [`Error`] says refused a call.
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
        /// The version of the operator set, which selects that of Clip.
        opset: u32,
    },
    /// `OpenVINO` Clamp-1.
    OpenVino,
    /// `oneDNN` Graph Clamp.
    OneDnn,
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
        }
    }
}

fn refuse_dtype(standard: Standard, dtype: DType, allowed: &'static [DType]) -> Result<(), Error> {
    if allowed.contains(&dtype) {
        Ok(())
    } else {
        Err(Error::DTypeNotInStandard { standard, dtype, allowed })
    }
}

fn refuse_nan(standard: Standard, min: f64, max: f64) -> Result<(), Error> {
    for (argument, value) in [("min", min), ("max", max)] {
        if value.is_nan() {
            return Err(Error::NanBound { standard, argument });
        }
    }
    Ok(())
}

fn refuse_crossed(standard: Standard, min: f64, max: f64) -> Result<(), Error> {
    if min > max { Err(Error::CrossedBounds { standard, min, max }) } else { Ok(()) }
}
