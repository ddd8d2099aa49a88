//! `WebNN` clamp.

use std::fmt;

use super::convert::{self, ToInteger};
use super::{Standard, crossed, refuse_dtype};
use crate::operator::format::FloatFormat;
use crate::{Clamp, DType, Error, Number, Order, Scalar};

/// The element types of the operator: all of `MLOperandDataType`.
pub const DTYPES: &[DType] =
    &[DType::F32, DType::F16, DType::I32, DType::U32, DType::I64, DType::U64, DType::I8, DType::U8];

/// A bound: `MLNumber`, a JavaScript number or a `BigInt`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MlNumber {
    /// An unrestricted double: NaN and ±∞ are numbers too.
    Double(f64),
    /// An integer, exact beyond 2^53 too.
    BigInt(i128),
}

macro_rules! from {
    ($variant:ident: $($from:ty)*) => {$(
        impl From<$from> for MlNumber {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from!(Double: f32 f64);
from!(BigInt: i8 i16 i32 i64 i128 u8 u16 u32 u64);

impl MlNumber {
    /// Converts to an element of the dtype ("cast" in the specification). Rounds to nearest, ties to even. For an
    /// integer dtype the result is then saturated, and a NaN is 0.
    fn cast(self, dtype: DType) -> Scalar {
        let bits = match (self, dtype) {
            // Through f64, an integer would be rounded twice.
            #[expect(clippy::cast_precision_loss, reason = "that is the rounding")]
            (Self::BigInt(value), DType::F32) => u64::from((value as f32).to_bits()),
            // Every integer that f64 has to round is infinite in F16.
            #[expect(clippy::cast_precision_loss, reason = "it shows in no result")]
            (Self::BigInt(value), DType::F16) => FloatFormat::F16.round(value as f64),
            (Self::BigInt(value), _) => convert::saturated(dtype, value),
            (Self::Double(value), _) => return convert::to_scalar(dtype, value, ToInteger::NearestEven),
        };
        Scalar::new(dtype, bits)
    }
}

/// The number, as Rust prints it: `-1`, `6.0`, `NaN`.
impl fmt::Display for MlNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Double(value) => write!(f, "{value:?}"),
            Self::BigInt(value) => write!(f, "{value}"),
        }
    }
}

impl Clamp {
    /// [`WebNN` clamp](https://www.w3.org/TR/webnn/#api-mlgraphbuilder-clamp) (Editor's Draft of 2026-06-27), with its
    /// two optional members.
    ///
    /// An absent member clamps nothing on its side. This follows the text on the members; in the method's steps, the
    /// signs of the two infinities are swapped. Members are cast to the dtype: rounded to nearest, ties to even; for an
    /// integer dtype then saturated, and a NaN is 0. (The steps cast to `uint32` as to a signed integer. This function
    /// follows the text on `MLNumber`, which says unsigned.)
    ///
    /// The text does not mention NaN. A NaN element stays, and a NaN bound never replaces anything.
    ///
    /// # Errors
    ///
    /// [`Error::Standard`] unless the dtype is one of [`webnn::DTYPES`](DTYPES), or if `minValue` is greater than `maxValue`
    /// after the casts.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType, Number};
    /// let clamp = Clamp::webnn(DType::I8, Some(0.5.into()), Some(1e9.into()))?;
    /// assert_eq!((clamp.min(), clamp.max()), (0_i8.into(), 127_i8.into()));
    /// let exact = Clamp::webnn(DType::U64, Some(9_007_199_254_740_993_u64.into()), None)?;
    /// assert_eq!((exact.min(), exact.max()), (9_007_199_254_740_993_u64.into(), Number::Absent));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn webnn(dtype: DType, min: Option<MlNumber>, max: Option<MlNumber>) -> Result<Self, Error> {
        refuse_dtype(Standard::WebNn, dtype, DTYPES)?;
        let cast = |number: MlNumber| number.cast(dtype);
        if let (Some(min), Some(max)) = (min, max) {
            let (low, high) = (cast(min), cast(max));
            if convert::is_greater(dtype, low.bits(), high.bits()) {
                let value = format!("{min} and {max} are cast to {low} and {high} of {dtype}");
                return Err(crossed(Standard::WebNn, value));
            }
        }
        let bound = |number: Option<MlNumber>| number.map_or(Number::Absent, |number| cast(number).into());
        // "min(max(x, minValue), maxValue)". The order decides nothing, since the bounds do not cross.
        Ok(Self::unbounded(dtype).with_bounds(bound(min), bound(max))?.with_order(Order::MaxWins))
    }
}
