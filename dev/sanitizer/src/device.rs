//! The choices that WGSL leaves to a device.

use std::fmt;

/// One choice for each point at which WGSL allows a few results. A device makes the same choice everywhere in a
/// program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// Whether `x * y + z` is rounded once.
    pub fusion: Fusion,
    /// How chains of three or more factors or terms are grouped.
    pub association: Association,
    /// Which subnormals become zeros of their sign.
    pub subnormals: Subnormals,
    /// Whether a result counts as subnormal by its exact value, not by the f32 that it is rounded to.
    pub tiny_before_rounding: bool,
    /// How an integer that no f32 holds is rounded.
    pub integers: IntegerRounding,
    /// How an f32 that no half (16-bit float) holds is rounded.
    pub halves: HalfRounding,
}

/// Which product and sum are fused, so that they are rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fusion {
    /// None.
    Never,
    /// `x * y + z`, and in `x * y + z * w` the left product.
    Left,
    /// `x * y + z`, and in `x * y + z * w` the right product.
    Right,
}

/// How chains of one operation are grouped: WGSL §15.7.3 lets a device reassociate. Chains of four or more parts
/// have further groupings, which no device here uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Association {
    /// `(a * b) * c`
    Written,
    /// `a * (b * c)`
    Reversed,
    /// `(a * c) * b`
    Rotated,
}

/// Which subnormals become zeros of their sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subnormals {
    /// None.
    Kept,
    /// Operands and results of every operation.
    Flushed,
    /// Results of additions and subtractions.
    FlushedSums,
    /// Results of multiplications that are not fused with an addition.
    FlushedProducts,
}

/// How an integer that no f32 holds is rounded: to one of the two neighbouring f32s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerRounding {
    /// The nearest one.
    Nearest,
    /// The lower one.
    Down,
    /// The upper one.
    Up,
}

/// How an f32 that no half (16-bit float) holds is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfRounding {
    /// The nearest neighbour, ties to even.
    Nearest,
    /// The neighbour towards zero.
    TowardZero,
    /// The neighbour away from zero.
    AwayFromZero,
}

/// The choices of a device, as bits of a set, and the situations in which they make a difference.
pub(crate) mod choice {
    /// A product is added to a term.
    pub(crate) const FUSING: u8 = 1;
    /// Two products are added.
    pub(crate) const FUSING_RIGHT: u8 = 2;
    /// A chain has three parts or more.
    pub(crate) const ASSOCIATION: u8 = 4;
    /// `subnormals` and `tiny_before_rounding`: a float operation has a subnormal operand or result.
    pub(crate) const SUBNORMALS: u8 = 8;
    /// An integer that no f32 holds is converted.
    pub(crate) const INTEGERS: u8 = 16;
    /// An f32 that no half holds is converted.
    pub(crate) const HALVES: u8 = 32;
}

impl Device {
    /// All devices. The first one follows IEEE 754.
    pub fn all() -> impl Iterator<Item = Self> {
        use {Association as A, Fusion as F, HalfRounding as H, IntegerRounding as I, Subnormals as S};
        let subnormals = [
            (S::Kept, false),
            (S::Flushed, false),
            (S::Flushed, true),
            (S::FlushedSums, false),
            (S::FlushedSums, true),
            (S::FlushedProducts, false),
            (S::FlushedProducts, true),
        ];
        (0..3 * 3 * 7 * 3 * 3).map(move |n| Self {
            fusion: [F::Never, F::Left, F::Right][n / 189],
            association: [A::Written, A::Reversed, A::Rotated][n / 63 % 3],
            subnormals: subnormals[n / 9 % 7].0,
            tiny_before_rounding: subnormals[n / 9 % 7].1,
            integers: [I::Nearest, I::Down, I::Up][n / 3 % 3],
            halves: [H::Nearest, H::TowardZero, H::AwayFromZero][n % 3],
        })
    }

    /// The choices in which two devices differ.
    pub(crate) fn differences(self, other: Self) -> u8 {
        let differ_in = |fusion| (self.fusion == fusion) != (other.fusion == fusion);
        let subnormals = |device: Self| (device.subnormals, device.tiny_before_rounding);
        let choices = [
            (choice::FUSING, differ_in(Fusion::Never)),
            (choice::FUSING_RIGHT, differ_in(Fusion::Right)),
            (choice::ASSOCIATION, self.association != other.association),
            (choice::SUBNORMALS, subnormals(self) != subnormals(other)),
            (choice::INTEGERS, self.integers != other.integers),
            (choice::HALVES, self.halves != other.halves),
        ];
        choices.iter().filter(|(_, differ)| *differ).fold(0, |all, (choice, _)| all | choice)
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}
