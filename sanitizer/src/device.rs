//! What WGSL leaves to a device.

use std::fmt;

/// One choice for each thing that WGSL leaves open between a few results. A device makes the same choice everywhere in a
/// program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// Whether `x * y + z` is rounded once.
    pub fused: bool,
    /// Whether of `x * y + z * w` the right product is fused with the sum, not the left one.
    pub fused_right: bool,
    /// How products of three factors or more, and such sums, are computed.
    pub association: Association,
    /// Which subnormals become zeros of their sign.
    pub subnormals: Subnormals,
    /// Whether a result counts as subnormal by its exact value, not by the f32 that it is rounded to.
    pub tiny_before_rounding: bool,
    /// What an integer becomes that is no f32.
    pub integers: IntegerRounding,
    /// What an f32 becomes that is no half.
    pub halves: HalfRounding,
}

/// How chains of one operation are computed: WGSL §15.7.3 lets a device reassociate. Of four parts and more there are other
/// ways, which none of these is.
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

/// What an integer becomes that is no f32: one of its two neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerRounding {
    /// The nearest one.
    Nearest,
    /// The lower one.
    Down,
    /// The upper one.
    Up,
}

/// What an f32 becomes that is no half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfRounding {
    /// The nearest neighbour, ties to even.
    Nearest,
    /// The neighbour towards zero.
    TowardZero,
    /// The neighbour away from zero.
    AwayFromZero,
}

/// Which choices of a device make a difference.
#[allow(clippy::struct_excessive_bools, reason = "they are independent")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Freedoms {
    /// A product and what is added to it.
    pub fusing: bool,
    /// Two products that are added.
    pub fusing_right: bool,
    /// Three factors, or three terms.
    pub association: bool,
    /// Float operations on subnormals, or with results that are subnormal.
    pub subnormals: bool,
    /// Integers that no f32 holds.
    pub integers: bool,
    /// Numbers that no half holds.
    pub halves: bool,
}

impl Freedoms {
    /// What makes a difference in one of two cases.
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

    /// Whether two devices differ in one of these.
    pub(crate) fn tell_apart(self, a: Device, b: Device) -> bool {
        (self.fusing && a.fused != b.fused)
            || (self.fusing_right && a.fused_right != b.fused_right)
            || (self.association && a.association != b.association)
            || (self.subnormals
                && (a.subnormals, a.tiny_before_rounding) != (b.subnormals, b.tiny_before_rounding))
            || (self.integers && a.integers != b.integers)
            || (self.halves && a.halves != b.halves)
    }

    /// Every device that differs from the others in one of these, at least one.
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
