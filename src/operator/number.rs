//! The numbers of a clamp: absent, a value, or on the GPU.

use std::fmt;

use half::{bf16, f16};

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
/// A [`Scalar`] and a Rust value convert into it: `Number::from(6.0_f32)`.
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
    /// A number in a buffer. The call's [`Operands`](crate::Operands) name its slot, and each dispatch reads the slot.
    /// That number has the same effect as a [`Value`](Self::Value).
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

impl<T: Element> From<T> for Number {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}
