//! Bounds and rules as the shaders read them, and the keys of integers: numbers that order elements by value.

use super::low_first;
use crate::operator::Kind;
use crate::operator::format::FloatFormat;
use crate::{Clamp, DType, NanRule, Number, Order};

/// The rules of a clamp, the bits of `params/rules.wgsl`.
pub(super) fn rules(clamp: &Clamp) -> u32 {
    let order = match clamp.order() {
        Order::MinWins => 0,
        Order::MaxWins => 1,
    };
    order
        | match clamp.nan_rule() {
            NanRule::Propagate => 0,
            NanRule::ToMin => 2,
            NanRule::ToMax => 4,
        }
}

/// Bounds of a dtype as words, low word first. An element of less than 32 bits fills its word: an integer with its sign, a
/// float twice.
#[derive(Clone, Copy)]
pub(super) struct BoundWords {
    dtype: DType,
    kind: Kind,
    /// A Min and a Max that replace nothing: the lowest and the highest number.
    pub(super) absent: [[u32; 2]; 2],
}

impl BoundWords {
    pub(super) fn new(dtype: DType) -> Self {
        let kind = dtype.kind();
        let words = Self { dtype, kind, absent: [[0; 2]; 2] };
        let absent = match kind {
            Kind::Float(format) => {
                [format.sign | format.infinity, format.infinity].map(|bits| words.filled(bits))
            }
            Kind::Signed | Kind::Unsigned => {
                let (lowest, highest) = dtype.integer_range();
                [low_first(lowest), low_first(highest)]
            }
        };
        Self { absent, ..words }
    }

    /// The words of Min and Max.
    pub(super) fn of(&self, clamp: &Clamp) -> [[u32; 2]; 2] {
        let words = |bound, absent| present(self.kind, bound).map_or(absent, |bits| self.filled(bits));
        [words(clamp.min(), self.absent[0]), words(clamp.max(), self.absent[1])]
    }

    fn filled(&self, bits: u64) -> [u32; 2] {
        let bits = match self.kind {
            Kind::Float(format) if format.sign == 1 << 15 => bits << 16 | bits,
            Kind::Float(_) | Kind::Unsigned => bits,
            Kind::Signed => self.dtype.integer(bits) as u64,
        };
        [bits as u32, (bits >> 32) as u32]
    }
}

/// The bits of a bound. A NaN counts as absent, and so does a bound on the GPU, whose bits are unknown.
fn present(kind: Kind, bound: Number) -> Option<u64> {
    bound.bits().filter(|&bits| !matches!(kind, Kind::Float(format) if format.is_nan(bits)))
}

/// Whether no bound of a float clamp replaces a zero or a NaN; false if a bound is on the GPU.
pub(super) fn zero_is_within(clamp: &Clamp) -> bool {
    let format = FloatFormat::of(clamp.dtype()).expect("the dtype is a float");
    let keeps = |bound, negative: bool| {
        let keeps = |bits| bits & (format.sign - 1) == 0 || (bits & format.sign != 0) == negative;
        bound != Number::OnGpu && present(Kind::Float(format), bound).is_none_or(keeps)
    };
    clamp.nan_rule() == NanRule::Propagate && keeps(clamp.min(), true) && keeps(clamp.max(), false)
}

/// An integer minus its key: 2^31 for U32 and 2^63 for U64, since keys are signed; else 0.
pub(super) const fn key_base(dtype: DType) -> i128 {
    match dtype.kind() {
        Kind::Unsigned if dtype.bits() >= 32 => 1 << (dtype.bits() - 1),
        Kind::Signed | Kind::Unsigned => 0,
        Kind::Float(_) => panic!("keys of floats have no base"),
    }
}
