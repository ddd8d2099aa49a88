//! `oneDNN` Graph Clamp.

use super::convert::{self, ToInteger};
use super::{Standard, refuse_crossed, refuse_dtype, refuse_nan};
use crate::{Clamp, DType, Error, NanRule, Order};

/// The element types of the operator, as its section "Supported data types" lists them.
pub const DTYPES: &[DType] = &[DType::F32, DType::F16, DType::BF16];

impl Clamp {
    /// [`oneDNN` Graph Clamp](https://uxlfoundation.github.io/oneDNN/dev_guide_op_clamp.html) of F32, F16 or
    /// BF16, with its two required attributes.
    ///
    /// The attributes are rounded to nearest, ties to even. A NaN element is treated as −∞, and so becomes Min.
    ///
    /// # Errors
    ///
    /// [`Error::Standard`] unless the dtype is one of [`onednn::DTYPES`](DTYPES), if an attribute is NaN, or if
    /// `min > max`. The text says nothing about the last two cases; the implementation makes no primitive for them.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType, reference};
    /// let clamp = Clamp::onednn(DType::F32, -1.0, 1.0)?;
    /// let mut out = [0.0_f32; 2];
    /// reference::clamp_slice(&clamp, &[f32::NAN, 0.5], &mut out)?;
    /// assert_eq!(out, [-1.0, 0.5]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn onednn(dtype: DType, min: f32, max: f32) -> Result<Self, Error> {
        refuse_dtype(Standard::OneDnn, dtype, DTYPES)?;
        refuse_nan(Standard::OneDnn, min.into(), max.into())?;
        refuse_crossed(Standard::OneDnn, min, max)?;
        // No dtype here is an integer, so the rounding rule has no effect.
        let bound = |value: f32| convert::to_scalar(dtype, value.into(), ToInteger::Truncate);
        let clamp = Self::unbounded(dtype).with_bounds(bound(min), bound(max))?;
        Ok(clamp.with_order(Order::MaxWins).with_nan_rule(NanRule::ToMin))
    }
}
