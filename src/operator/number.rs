//! The numbers of a clamp: absent, a value, or on the GPU.

use std::fmt;

use half::{bf16, f16};

use super::dtype::Kind;
use crate::{DType, Element, Error};

/// One element as a value: its dtype and its bits.
///
/// A Rust value converts into it: `Scalar::from(6.0_f32)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    dtype: DType,
    bits: u64,
}

impl Scalar {
    /// Takes the bits of an element of `dtype`, zero-extended to 64.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `bits` has bits beyond the dtype's width.
    ///
    /// ```
    /// # use wgpu_clamp::{DType, Scalar};
    /// assert_eq!(Scalar::from_bits(DType::I8, 0xff)?, Scalar::from(-1_i8));
    /// assert!(Scalar::from_bits(DType::I8, 0x100).is_err());
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn from_bits(dtype: DType, bits: u64) -> Result<Self, Error> {
        Self::of("bits", dtype, bits)
    }

    /// As [`from_bits`](Self::from_bits). Errors use the name `argument` for the bits.
    pub(crate) fn of(argument: &'static str, dtype: DType, bits: u64) -> Result<Self, Error> {
        if bits.checked_shr(dtype.bits()).unwrap_or(0) != 0 {
            return Err(Error::argument(
                argument,
                format!("{bits:#x} has bits beyond the {} of {dtype}", dtype.bits()),
                "give the element's bits, zero-extended",
            ));
        }
        Ok(Self { dtype, bits })
    }

    /// Takes an element of `dtype` as it lies in memory or in a file, little-endian.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the number of `bytes` is not the size of an element.
    ///
    /// ```
    /// # use wgpu_clamp::{DType, Scalar};
    /// // The raw data of an ONNX initializer: 6.0.
    /// assert_eq!(Scalar::from_le_bytes(DType::F16, &[0x00, 0x46])?.bits(), 0x4600);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn from_le_bytes(dtype: DType, bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() != dtype.size() {
            return Err(Error::length("bytes", "byte", dtype.size(), bytes.len()));
        }
        let mut bits = [0; 8];
        bits[..bytes.len()].copy_from_slice(bytes);
        Ok(Self { dtype, bits: u64::from_le_bytes(bits) })
    }

    /// Takes a number for a dtype that is known at run time. A float is rounded to nearest, ties to even, subnormals kept;
    /// ±∞ and NaN stay. An integer dtype takes integers only.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `value` is beyond the largest finite number of a float dtype, after rounding, or no integer in
    /// the range of an integer dtype.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, DType, Scalar};
    /// let dtype: DType = "float16".parse()?; // as a file tells it
    /// let [zero, six] = [Scalar::from_f64(dtype, 0.0)?, Scalar::from_f64(dtype, 6.0)?];
    /// let relu6 = Clamp::unbounded(dtype).with_bounds(zero, six)?;
    /// assert_eq!(six.bits(), 0x4600);
    ///
    /// assert_eq!(Scalar::from_f64(DType::U8, 255.0)?, 255_u8.into());
    /// for (dtype, value) in [(DType::U8, 255.5), (DType::U8, 256.0), (DType::F16, 65_520.0), (DType::I64, f64::NAN)] {
    ///     assert!(Scalar::from_f64(dtype, value).is_err());
    /// }
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn from_f64(dtype: DType, value: f64) -> Result<Self, Error> {
        let refused = || Err(Error::number(dtype, &format!("{value:?}")));
        match dtype.kind() {
            Kind::Float(_) if dtype == DType::F64 => Ok(value.into()),
            Kind::Float(format) => {
                let bits = format.round(value);
                let is_infinite = bits & !format.sign == format.infinity;
                if is_infinite && value.is_finite() { refused() } else { Ok(Self { dtype, bits }) }
            }
            Kind::Signed | Kind::Unsigned => {
                // Saturates, and makes 0 of a NaN.
                let whole = value as i128;
                #[expect(
                    clippy::float_cmp,
                    clippy::cast_precision_loss,
                    reason = "an f64 that is whole comes back"
                )]
                let is_whole = whole as f64 == value;
                if is_whole { Self::of_integer(dtype, whole) } else { refused() }
            }
        }
    }

    /// As [`from_f64`](Self::from_f64), of an integer. A float is rounded once, to nearest, ties to even.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `value` is beyond the dtype's range.
    ///
    /// ```
    /// # use wgpu_clamp::{DType, Scalar};
    /// assert_eq!(Scalar::from_i64(DType::I64, i64::MAX)?, i64::MAX.into());
    /// assert_eq!(Scalar::from_i64(DType::F32, 16_777_217)?, 16_777_216.0_f32.into());
    /// assert!(Scalar::from_i64(DType::U64, -1).is_err() && Scalar::from_i64(DType::F16, 65_520).is_err());
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[expect(clippy::cast_precision_loss, reason = "rounded on purpose, or 53 bits with the odd one")]
    pub fn from_i64(dtype: DType, value: i64) -> Result<Self, Error> {
        let magnitude = value.unsigned_abs();
        // Beyond 53 bits, an odd last bit stands for the dropped ones, so that a narrower format rounds once.
        let odd = if magnitude >> 53 == 0 {
            magnitude as f64
        } else {
            (magnitude >> 11 | u64::from(magnitude << 53 != 0)) as f64 * 2048.0
        };
        match dtype.kind() {
            Kind::Float(_) if dtype == DType::F64 => Ok((value as f64).into()),
            Kind::Float(_) => Self::from_f64(dtype, if value < 0 { -odd } else { odd })
                .map_err(|_| Error::number(dtype, &value.to_string())),
            Kind::Signed | Kind::Unsigned => Self::of_integer(dtype, value.into()),
        }
    }

    /// Takes an integer for an integer dtype.
    fn of_integer(dtype: DType, value: i128) -> Result<Self, Error> {
        let (lowest, highest) = dtype.integer_range();
        if !(lowest..=highest).contains(&value) {
            return Err(Error::number(dtype, &value.to_string()));
        }
        Ok(Self { dtype, bits: value as u64 & (u64::MAX >> (64 - dtype.bits())) })
    }

    /// Takes bits that are known to fit `dtype`.
    pub(crate) const fn new(dtype: DType, bits: u64) -> Self {
        Self { dtype, bits }
    }

    /// The value as a Rust type, or `None` if `T` is of another dtype.
    ///
    /// ```
    /// # use wgpu_clamp::Clamp;
    /// let clamp = Clamp::new(0_u8, 200).with_affine(1.5, -20.0)?;
    /// let scale = clamp.scale().value().and_then(|scale| scale.get::<f32>());
    /// assert_eq!(scale, Some(1.5));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[must_use]
    pub fn get<T: Element>(self) -> Option<T> {
        let mut bytes = self.bits.to_le_bytes();
        let bytes = &mut bytes[..self.dtype.size()];
        if cfg!(target_endian = "big") {
            bytes.reverse();
        }
        (T::DTYPE == self.dtype).then(|| bytemuck::pod_read_unaligned(bytes))
    }

    /// The dtype.
    #[must_use]
    pub const fn dtype(self) -> DType {
        self.dtype
    }

    /// The bits, zero-extended to 64.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.bits
    }
}

impl<T: Element> From<T> for Scalar {
    fn from(value: T) -> Self {
        Self { dtype: T::DTYPE, bits: value.to_bits64() }
    }
}

/// The number, as Rust prints it: `-1`, `6.0`, `NaN`.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dtype {
            DType::F32 => write!(f, "{:?}", f32::from_bits(self.bits as u32)),
            DType::F16 => write!(f, "{:?}", f16::from_bits(self.bits as u16).to_f32()),
            DType::BF16 => write!(f, "{:?}", bf16::from_bits(self.bits as u16).to_f32()),
            DType::F64 => write!(f, "{:?}", f64::from_bits(self.bits)),
            integer => write!(f, "{}", integer.integer(self.bits)),
        }
    }
}

/// One of the four numbers of a [`Clamp`](crate::Clamp): min, max, scale or bias.
///
/// A [`Scalar`] and a Rust value convert into it, and an `Option` of them: `Number::from(6.0_f32)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Number {
    /// No number. An absent bound replaces nothing, an absent scale is 1, and an absent bias is −0. (An absent input of
    /// ONNX Clip is the dtype's lowest or highest finite number, see
    /// [`onnx::Bounds`](crate::standards::onnx::Bounds).)
    #[default]
    Absent,
    /// A number that the program knows. A bound has the clamp's dtype. A NaN bound replaces nothing, since every
    /// comparison with NaN is false.
    Value(Scalar),
    /// A number in a buffer. The call's [`Operands`](crate::Operands) name its slot, which each run of the recorded call reads
    /// before it clamps. That number has the same effect as a [`Value`](Self::Value).
    OnGpu,
}

impl Number {
    /// The value, if the program knows it.
    #[must_use]
    pub const fn value(self) -> Option<Scalar> {
        match self {
            Self::Value(scalar) => Some(scalar),
            Self::Absent | Self::OnGpu => None,
        }
    }

    pub(crate) fn bits(self) -> Option<u64> {
        self.value().map(Scalar::bits)
    }
}

impl From<Scalar> for Number {
    fn from(scalar: Scalar) -> Self {
        Self::Value(scalar)
    }
}

/// `None` is [`Number::Absent`].
impl<T: Into<Self>> From<Option<T>> for Number {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

impl<T: Element> From<T> for Number {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}
