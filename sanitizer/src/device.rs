//! What WGSL leaves to a device.

use std::fmt;

/// One way to do everything of which WGSL allows several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    /// Whether `x * y + z` is rounded once.
    pub fused: bool,
    /// How products of three factors or more, and sums, are computed.
    pub association: Association,
    /// Which subnormals become zeros of their sign.
    pub subnormals: Subnormals,
    /// Whether a result counts as subnormal by its exact value, before it is rounded. IEEE 754 §7.5 leaves that open.
    pub tiny_before_rounding: bool,
    /// What an integer becomes that is no f32.
    pub integers: IntegerRounding,
    /// What a comparison with a NaN gives, and whether `min` and `max` of a NaN and a number give the NaN.
    pub nan: bool,
    /// What an f32 becomes that is no half.
    pub halves: HalfRounding,
}

/// How chains of one operation are computed: WGSL §15.7.3 lets a device reassociate.
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
    /// The lower one.
    Down,
    /// The upper one.
    Up,
}

/// What an f32 becomes that is no half.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfRounding {
    /// The neighbour towards zero.
    TowardZero,
    /// The neighbour away from zero.
    AwayFromZero,
}

/// Which choices of a device make a difference to a program.
#[allow(clippy::struct_excessive_bools, reason = "they are independent")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Freedoms {
    /// It adds to a product.
    pub fusing: bool,
    /// It multiplies three factors, or adds three terms.
    pub association: bool,
    /// It has float operations that may take or give subnormals.
    pub subnormals: bool,
    /// It converts integers to floats.
    pub integers: bool,
    /// It compares floats.
    pub nan: bool,
    /// It packs or unpacks halves.
    pub halves: bool,
}

impl Freedoms {
    /// What makes a difference to one of two programs.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            fusing: self.fusing | other.fusing,
            association: self.association | other.association,
            subnormals: self.subnormals | other.subnormals,
            integers: self.integers | other.integers,
            nan: self.nan | other.nan,
            halves: self.halves | other.halves,
        }
    }

    /// Every device that differs from the others in one of these, at least one.
    #[must_use]
    pub fn devices(self) -> Vec<Device> {
        fn of<T: Copy>(free: bool, choices: &[T]) -> &[T] {
            if free { choices } else { &choices[..1] }
        }
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
        let mut devices = Vec::new();
        for &fused in of(self.fusing, &[false, true]) {
            for &association in of(self.association, &associations) {
                for &(subnormals, tiny_before_rounding) in of(self.subnormals, &subnormals) {
                    for &integers in of(self.integers, &[IntegerRounding::Down, IntegerRounding::Up]) {
                        for &nan in of(self.nan, &[false, true]) {
                            for &halves in
                                of(self.halves, &[HalfRounding::TowardZero, HalfRounding::AwayFromZero])
                            {
                                devices.push(Device {
                                    fused,
                                    association,
                                    subnormals,
                                    tiny_before_rounding,
                                    integers,
                                    nan,
                                    halves,
                                });
                            }
                        }
                    }
                }
            }
        }
        devices
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.fused { "fused" } else { "not fused" })?;
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
            f.write_str(" before rounding")?;
        }
        f.write_str(match self.integers {
            IntegerRounding::Down => ", integers rounded down",
            IntegerRounding::Up => ", integers rounded up",
        })?;
        write!(f, ", comparisons with NaN {}", self.nan)?;
        f.write_str(match self.halves {
            HalfRounding::TowardZero => ", halves rounded toward zero",
            HalfRounding::AwayFromZero => ", halves rounded away from zero",
        })
    }
}
