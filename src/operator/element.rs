//! The Rust types that can be elements, and their bits.

use std::fmt;

use half::{bf16, f16};

use crate::DType;

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that is an element of one of the twelve [`DType`]s.
///
/// Sealed: only this crate implements it, for `f32`, `f64`, [`half::f16`](crate::half::f16),
/// [`half::bf16`](crate::half::bf16) (`wgpu_clamp::half`) and the eight fixed-width integers.
pub trait Element:
    bytemuck::Pod + PartialOrd + fmt::Debug + fmt::Display + Send + Sync + sealed::Sealed
{
    /// The element type that this Rust type stands for.
    const DTYPE: DType;

    /// The element's bits, zero-extended to 64.
    ///
    /// ```
    /// # use wgpu_clamp::Element;
    /// assert_eq!((-1_i8).to_bits64(), 0xff);
    /// assert_eq!((-0.0_f32).to_bits64(), 0x8000_0000);
    /// ```
    fn to_bits64(self) -> u64;
}

macro_rules! element {
    ($($t:ty, $unsigned:ty, $dtype:ident, $to_bits:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType::$dtype;
            fn to_bits64(self) -> u64 {
                let bits: $unsigned = $to_bits(self);
                u64::from(bits)
            }
        }
    )*};
}

element! {
    f32, u32, F32, f32::to_bits;
    f16, u16, F16, f16::to_bits;
    bf16, u16, BF16, bf16::to_bits;
    f64, u64, F64, f64::to_bits;
    i8, u8, I8, i8::cast_unsigned;
    i16, u16, I16, i16::cast_unsigned;
    i32, u32, I32, i32::cast_unsigned;
    i64, u64, I64, i64::cast_unsigned;
    u8, u8, U8, std::convert::identity;
    u16, u16, U16, std::convert::identity;
    u32, u32, U32, std::convert::identity;
    u64, u64, U64, std::convert::identity;
}

/// Code that is generic over [`Element`], for [`DType::visit`].
pub trait ElementVisitor {
    /// What the code returns.
    type Output;

    /// Runs the code for one Rust type.
    fn visit<T: Element>(self) -> Self::Output;
}

impl DType {
    /// Runs generic code with the Rust type of a dtype that is known at run time. A program needs no `match` with an arm for
    /// dtypes to come.
    ///
    /// ```no_run
    /// use wgpu_clamp::{Element, ElementVisitor, Error, Tensor};
    ///
    /// struct Print<'a>(&'a Tensor);
    ///
    /// impl ElementVisitor for Print<'_> {
    ///     type Output = Result<(), Error>;
    ///
    ///     fn visit<T: Element>(self) -> Self::Output {
    ///         println!("{:?}", self.0.read_blocking::<T>()?);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # fn f(tensor: &Tensor) -> Result<(), Error> {
    /// tensor.dtype().visit(Print(tensor))
    /// # }
    /// ```
    pub fn visit<V: ElementVisitor>(self, visitor: V) -> V::Output {
        match self {
            Self::F32 => visitor.visit::<f32>(),
            Self::F16 => visitor.visit::<f16>(),
            Self::BF16 => visitor.visit::<bf16>(),
            Self::F64 => visitor.visit::<f64>(),
            Self::I8 => visitor.visit::<i8>(),
            Self::I16 => visitor.visit::<i16>(),
            Self::I32 => visitor.visit::<i32>(),
            Self::I64 => visitor.visit::<i64>(),
            Self::U8 => visitor.visit::<u8>(),
            Self::U16 => visitor.visit::<u16>(),
            Self::U32 => visitor.visit::<u32>(),
            Self::U64 => visitor.visit::<u64>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_has_the_type_of_the_dtype() {
        struct Own;
        impl ElementVisitor for Own {
            type Output = DType;
            fn visit<T: Element>(self) -> DType {
                T::DTYPE
            }
        }
        for &dtype in DType::ALL {
            assert_eq!(dtype.visit(Own), dtype);
        }
    }
}
