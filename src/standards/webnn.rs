//! `WebNN` clamp.

use super::convert::{self, ToInteger};
use super::{Standard, refuse_dtype};
use crate::operator::format::FloatFormat;
use crate::{Bound, Clamp, DType, Error, Order};

/// The element types of the operator: all of `MLOperandDataType`.
pub const DTYPES: &[DType] =
    &[DType::F32, DType::F16, DType::I32, DType::U32, DType::I64, DType::U64, DType::I8, DType::U8];

/// A bound: `MLNumber`, which is a number of JavaScript or a `BigInt`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An unrestricted double: NaN and ±∞ are numbers too.
    Double(f64),
    /// An integer, exact also beyond 2^53.
    BigInt(i128),
}

macro_rules! from {
    ($variant:ident: $($from:ty)*) => {$(
        impl From<$from> for Number {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from!(Double: f32 f64);
from!(BigInt: i8 i16 i32 i64 i128 u8 u16 u32 u64);

impl Number {
    /// As an element of the dtype: "cast" in the specification. To a float rounded to nearest, ties to even; to an
    /// integer likewise, then saturated, and a NaN is 0.
    fn cast(self, dtype: DType) -> u64 {
        match (self, dtype) {
            // By way of f64 an integer would be rounded twice.
            #[expect(clippy::cast_precision_loss, reason = "that is the rounding")]
            (Self::BigInt(value), DType::F32) => u64::from((value as f32).to_bits()),
            // Whatever f64 rounds is infinite in F16.
            #[expect(clippy::cast_precision_loss, reason = "it shows in no result")]
            (Self::BigInt(value), DType::F16) => FloatFormat::F16.round(value as f64),
            (Self::BigInt(value), _) => {
                let bits = dtype.bits();
                let (lowest, highest) = if dtype.is_signed_integer() {
                    (-1_i128 << (bits - 1), (1 << (bits - 1)) - 1)
                } else {
                    (0, (1 << bits) - 1)
                };
                value.clamp(lowest, highest) as u64 & (u64::MAX >> (64 - bits))
            }
            (Self::Double(value), _) => convert::to_bits(dtype, value, ToInteger::NearestEven),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "for messages")]
    const fn to_f64(self) -> f64 {
        match self {
            Self::Double(value) => value,
            Self::BigInt(value) => value as f64,
        }
    }
}

impl Clamp {
    /// [`WebNN` clamp](https://www.w3.org/TR/webnn/#api-mlgraphbuilder-clamp) (Editor's Draft of 2026-06-27), with its two
    /// optional members.
    ///
    /// A member that is absent clamps nothing on its side: the text of the members, since the steps of the method have
    /// the signs of their two infinities the wrong way round. Members are cast to the dtype: rounded to nearest, ties to
    /// even, and saturated where it is an integer, for which a NaN is 0. (The steps cast to `uint32` as to a signed
    /// integer; the text on `MLNumber` says unsigned, which is followed.)
    ///
    /// The text says nothing of NaN. A NaN element stays, and a bound that is NaN never replaces anything.
    ///
    /// # Errors
    ///
    /// [`Error::DTypeNotInStandard`] unless the dtype is one of [`webnn::DTYPES`](DTYPES), [`Error::CrossedBounds`] if
    /// `minValue` is greater than `maxValue` after the casts.
    ///
    /// ```
    /// # use wgpu_clamp::{Bound, Clamp, DType};
    /// let clamp = Clamp::webnn(DType::I8, Some(0.5.into()), Some(1e9.into()))?;
    /// assert_eq!((clamp.min(), clamp.max()), (Bound::Value(0), Bound::Value(127)));
    /// let exact = Clamp::webnn(DType::U64, Some(9_007_199_254_740_993_u64.into()), None)?;
    /// assert_eq!((exact.min(), exact.max()), (Bound::Value(9_007_199_254_740_993), Bound::Absent));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn webnn(dtype: DType, min: Option<Number>, max: Option<Number>) -> Result<Self, Error> {
        refuse_dtype(Standard::WebNn, dtype, DTYPES)?;
        let cast = |number: Number| number.cast(dtype);
        let bound =
            |number: Option<Number>| number.map_or(Bound::Absent, |number| Bound::Value(cast(number)));
        if let (Some(min), Some(max)) = (min, max)
            && convert::is_greater(dtype, cast(min), cast(max))
        {
            let (min, max) = (min.to_f64(), max.to_f64());
            return Err(Error::CrossedBounds { standard: Standard::WebNn, min, max });
        }
        // "min(max(x, minValue), maxValue)"; the order decides nothing, since the bounds do not cross.
        Ok(Self::from_bits(dtype, bound(min), bound(max))?.with_order(Order::MaxWins))
    }
}
