//! Which arithmetic a module holds: the class of its dtype, and its affine step.

use std::fmt;

use crate::fragment::{Fragment, fragment};
use crate::{Clamp, DType, Precision};

/// The dtypes that one piece of arithmetic serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Integer,
    Integer64,
    Float,
    Float64,
}

impl Class {
    pub(crate) const fn of(dtype: DType) -> Self {
        match dtype {
            DType::F32 | DType::F16 | DType::BF16 => Self::Float,
            DType::F64 => Self::Float64,
            DType::I64 | DType::U64 => Self::Integer64,
            DType::I8 | DType::I16 | DType::I32 | DType::U8 | DType::U16 | DType::U32 => Self::Integer,
        }
    }
}

/// Which affine step a module holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AffineStep {
    None,
    Fast,
    Exact,
    /// Exact by a product and a shift.
    Fixed,
}

impl AffineStep {
    /// `fixed`: whether there are numbers for [`Fixed`](Self::Fixed). `f64_arithmetic`: that of
    /// [`Limits`](crate::Limits).
    pub(crate) const fn of(clamp: &Clamp, fixed: bool, f64_arithmetic: bool) -> Self {
        match (clamp.affine(), Class::of(clamp.dtype()), clamp.precision()) {
            (Some(_), ..) if fixed => Self::Fixed,
            (None, ..) => Self::None,
            (Some(_), Class::Float, Precision::Fast) => Self::Fast,
            (Some(_), Class::Float64, Precision::Fast) if f64_arithmetic => Self::Fast,
            // Integers are always exact.
            (Some(_), ..) => Self::Exact,
        }
    }

    /// All that modules of a dtype may hold.
    pub(crate) const fn all(dtype: DType) -> &'static [Self] {
        match Class::of(dtype) {
            Class::Float | Class::Float64 => &[Self::None, Self::Fast, Self::Exact],
            Class::Integer if dtype.size() == 1 => &[Self::None, Self::Exact, Self::Fixed],
            Class::Integer | Class::Integer64 => &[Self::None, Self::Exact],
        }
    }

    /// Whether it takes numbers of 64 bits, which a device need not have.
    pub(crate) const fn takes_f64(self, dtype: DType) -> bool {
        matches!((self, Class::of(dtype)), (Self::Fast, Class::Float64))
    }
}

impl fmt::Display for AffineStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no affine step",
            Self::Fast => "fast affine step",
            Self::Exact => "exact affine step",
            Self::Fixed => "fixed-point affine step",
        })
    }
}

/// The fragments of one element's arithmetic: the dtype, its class, the affine step and what these need.
pub(crate) fn fragments(dtype: DType, step: AffineStep) -> Vec<Fragment> {
    let class = Class::of(dtype);
    let mut fragments = vec![
        match dtype {
            DType::F32 => fragment!("dtype/f32"),
            DType::F16 => fragment!("dtype/f16"),
            DType::BF16 => fragment!("dtype/bf16"),
            DType::F64 => fragment!("dtype/f64"),
            DType::I8 => fragment!("dtype/i8"),
            DType::I16 => fragment!("dtype/i16"),
            DType::I32 => fragment!("dtype/i32"),
            DType::I64 => fragment!("dtype/i64"),
            DType::U8 => fragment!("dtype/u8"),
            DType::U16 => fragment!("dtype/u16"),
            DType::U32 => fragment!("dtype/u32"),
            DType::U64 => fragment!("dtype/u64"),
        },
        match class {
            Class::Integer => fragment!("element/integer"),
            Class::Integer64 => fragment!("element/integer64"),
            Class::Float => fragment!("element/float"),
            Class::Float64 => fragment!("element/float64"),
        },
        match (step, class) {
            (AffineStep::None, _) => fragment!("affine/none"),
            (AffineStep::Fast, Class::Float64) => fragment!("affine/float64_fast"),
            (AffineStep::Fast, _) => fragment!("affine/float_fast"),
            (AffineStep::Fixed, _) => fragment!("affine/fixed"),
            (AffineStep::Exact, Class::Integer) => fragment!("affine/integer"),
            (AffineStep::Exact, Class::Integer64) => fragment!("affine/integer64"),
            (AffineStep::Exact, Class::Float) => fragment!("affine/float_exact"),
            (AffineStep::Exact, Class::Float64) => fragment!("affine/float64_exact"),
        },
    ];
    if matches!((step, class), (AffineStep::Exact, Class::Integer) | (_, Class::Integer64 | Class::Float64)) {
        fragments.push(fragment!("wide"));
    }
    fragments
}

/// The fragment of the elements in a packet.
pub(crate) const fn packet_fragment(dtype: DType, step: AffineStep) -> Fragment {
    match (dtype.size(), step, Class::of(dtype)) {
        (1, AffineStep::None, Class::Integer) => fragment!("packet/fields8"),
        (2, AffineStep::None, Class::Integer) => fragment!("packet/fields16"),
        (1, ..) => fragment!("packet/elements8"),
        (2, ..) => fragment!("packet/elements16"),
        (4, ..) => fragment!("packet/elements32"),
        (_, AffineStep::Exact, _) => fragment!("packet/elements64_looped"),
        _ => fragment!("packet/elements64"),
    }
}
