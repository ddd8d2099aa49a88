//! `OpenVINO` Clamp-1.

use super::convert::{self, ToInteger};
use super::{Standard, refuse_crossed, refuse_nan};
use crate::{Clamp, DType, Error, NanRule, Order};

impl Clamp {
    /// [`OpenVINO`
    /// Clamp-1](https://docs.openvino.ai/2025/documentation/openvino-ir-format/operation-sets/operation-specs/activation/clamp-1.html),
    /// of any dtype, with its two required attributes.
    ///
    /// To a float dtype the attributes are rounded once, to nearest, ties to even. To an integer dtype `min`
    /// is rounded up and `max` down ("ceil" and "floor" in the specification), then both are saturated. Rounding may
    /// cross the two: (0.2, 0.8) becomes (1, 0). The specification's formula
    /// `min(max(x, min), max)` then makes every element Max. A NaN element stays.
    ///
    /// # Errors
    ///
    /// [`Error::Standard`] if an attribute is NaN or if `min > max`. The text says nothing about these cases; the
    /// implementation refuses both.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType};
    /// let clamp = Clamp::openvino(DType::I8, -1.5, 200.0)?;
    /// assert_eq!((clamp.min(), clamp.max()), ((-1_i8).into(), 127_i8.into()));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn openvino(dtype: DType, min: f64, max: f64) -> Result<Self, Error> {
        refuse_nan(Standard::OpenVino, min, max)?;
        refuse_crossed(Standard::OpenVino, min, max)?;
        let min = convert::to_scalar(dtype, min, ToInteger::Ceil);
        let max = convert::to_scalar(dtype, max, ToInteger::Floor);
        let clamp = Self::unbounded(dtype).with_bounds(min, max)?;
        Ok(clamp.with_order(Order::MaxWins).with_nan_rule(NanRule::Propagate))
    }
}
