//! The choices that WGSL leaves to a device.

use std::fmt;

/// One choice for each point at which WGSL allows a few results. A device makes the same choice everywhere in a
/// program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// Whether `x * y + z` is rounded once.
    pub fused: bool,
    /// Whether `x * y + z * w` fuses the right product instead of the left one.
    pub fused_right: bool,
    /// How chains of three or more factors or terms are grouped.
    pub association: Association,
    /// Which subnormals become zeros of their sign.
    pub subnormals: Subnormals,
    /// Whether a result counts as subnormal by its exact value, not by the f32 that it is rounded to.
    pub tiny_before_rounding: bool,
    /// How an integer that is no f32 is rounded.
    pub integers: IntegerRounding,
    /// How an f32 that is no half is rounded.
    pub halves: HalfRounding,
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

/// How an integer that is no f32 is rounded: to one of its two neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerRounding {
    /// The nearest one.
    Nearest,
    /// The lower one.
    Down,
    /// The upper one.
    Up,
}

/// How an f32 that is no half is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfRounding {
    /// The nearest neighbour, ties to even.
    Nearest,
    /// The neighbour towards zero.
    TowardZero,
    /// The neighbour away from zero.
    AwayFromZero,
}

/// Choices of a device that make a difference, and the operations that make them matter.
#[allow(clippy::struct_excessive_bools, reason = "they are independent")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Freedoms {
    /// `fused`: a product is added to a term.
    pub fusing: bool,
    /// `fused_right`: two products are added.
    pub fusing_right: bool,
    /// `association`: a chain has three parts or more.
    pub association: bool,
    /// `subnormals` and `tiny_before_rounding`: a float operation may have a subnormal operand or result.
    pub subnormals: bool,
    /// `integers`: an integer may be no f32.
    pub integers: bool,
    /// `halves`: a number may be no half.
    pub halves: bool,
}

impl Freedoms {
    /// The choices that make a difference in one of two cases.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            fusing: self.fusing | other.fusing,
            fusing_right: self.fusing_right | other.fusing_right,
            association: self.association | other.association,
            subnormals: self.subnormals | other.subnormals,
            integers: self.integers | other.integers,
            halves: self.halves | other.halves,
        }
    }

    /// Whether two devices differ in one of these choices.
    pub(crate) fn tell_apart(self, a: Device, b: Device) -> bool {
        (self.fusing && a.fused != b.fused)
            || (self.fusing_right && a.fused_right != b.fused_right)
            || (self.association && a.association != b.association)
            || (self.subnormals
                && (a.subnormals, a.tiny_before_rounding) != (b.subnormals, b.tiny_before_rounding))
            || (self.integers && a.integers != b.integers)
            || (self.halves && a.halves != b.halves)
    }

    /// All devices that differ in these choices; at least one.
    #[must_use]
    pub fn devices(self) -> Vec<Device> {
        fn of<T: Copy>(free: bool, choices: &[T]) -> &[T] {
            if free { choices } else { &choices[..1] }
        }
        let fusing: &[_] = match (self.fusing, self.fusing_right) {
            (false, _) => &[(false, false)],
            (true, false) => &[(false, false), (true, false)],
            (true, true) => &[(false, false), (true, false), (true, true)],
        };
        let associations = [Association::Written, Association::Reversed, Association::Rotated];
        let subnormals = [
            (Subnormals::Kept, false),
            (Subnormals::Flushed, false),
            (Subnormals::Flushed, true),
            (Subnormals::FlushedSums, false),
            (Subnormals::FlushedSums, true),
            (Subnormals::FlushedProducts, false),
            (Subnormals::FlushedProducts, true),
        ];
        let integers = [IntegerRounding::Nearest, IntegerRounding::Down, IntegerRounding::Up];
        let halves = [HalfRounding::Nearest, HalfRounding::TowardZero, HalfRounding::AwayFromZero];
        let mut devices = Vec::new();
        for &(fused, fused_right) in fusing {
            for &association in of(self.association, &associations) {
                for &(subnormals, tiny_before_rounding) in of(self.subnormals, &subnormals) {
                    for &integers in of(self.integers, &integers) {
                        devices.extend(of(self.halves, &halves).iter().map(|&halves| Device {
                            fused,
                            fused_right,
                            association,
                            subnormals,
                            tiny_before_rounding,
                            integers,
                            halves,
                        }));
                    }
                }
            }
        }
        devices
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.fused, self.fused_right) {
            (false, _) => "not fused",
            (true, false) => "fused",
            (true, true) => "fused with the right product",
        })?;
        f.write_str(match self.association {
            Association::Written => "",
            Association::Reversed => ", a * (b * c)",
            Association::Rotated => ", (a * c) * b",
        })?;
        f.write_str(match self.subnormals {
            Subnormals::Kept => ", subnormals kept",
            Subnormals::Flushed => ", subnormals flushed",
            Subnormals::FlushedSums => ", subnormal sums flushed",
            Subnormals::FlushedProducts => ", subnormal products flushed",
        })?;
        if self.subnormals != Subnormals::Kept && self.tiny_before_rounding {
            f.write_str(", by their exact values")?;
        }
        f.write_str(match self.integers {
            IntegerRounding::Nearest => "",
            IntegerRounding::Down => ", integers rounded down",
            IntegerRounding::Up => ", integers rounded up",
        })?;
        f.write_str(match self.halves {
            HalfRounding::Nearest => "",
            HalfRounding::TowardZero => ", halves rounded toward zero",
            HalfRounding::AwayFromZero => ", halves rounded away from zero",
        })
    }
}
