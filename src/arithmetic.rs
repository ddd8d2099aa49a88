//! The numbers that the shaders compute with: bounds as keys, scale and bias as integers or floats. Each struct here
//! mirrors one in `shaders/`, with the same names, order and offsets of its members; a test in `shader/tests.rs` compares
//! them.

mod bounds;
mod fixed;
mod float;
mod integer;
mod slots;
mod step;

#[cfg(test)]
pub(crate) use bounds::{FloatBounds, FloatBounds64, IntegerBounds, IntegerBounds64};
pub(crate) use fixed::Fixed;
#[cfg(test)]
pub(crate) use float::{FloatExact, FloatExact64, FloatFast, FloatFast64};
#[cfg(test)]
pub(crate) use integer::{Integer, Integer64};
pub(crate) use slots::{ResolveParams, Slot};
pub(crate) use step::{AffineStep, Class, fragments, packet_fragment};

use bytemuck::Pod;

use crate::Clamp;

/// The operator's part of the uniform block, the same for all windows of a clamp: the bounds of the class, then the
/// numbers of the affine step, each at a multiple of 16 bytes.
#[derive(Clone, Copy)]
pub(crate) struct OperatorBlock {
    bytes: [u8; Self::CAPACITY],
    len: usize,
}

impl OperatorBlock {
    /// Enough for the largest class and step together; a test holds each against it.
    pub(crate) const CAPACITY: usize = 128;

    /// Of `clamp`, with the numbers of a fixed-point step.
    pub(crate) fn new(clamp: &Clamp, step: AffineStep, fixed: Option<&Fixed>) -> Self {
        let mut operator = Self { bytes: [0; Self::CAPACITY], len: 0 };
        let (dtype, class) = (clamp.dtype(), Class::of(clamp.dtype()));
        match class {
            Class::Integer => operator.push(&bounds::IntegerBounds::new(clamp)),
            Class::Integer64 => operator.push(&bounds::IntegerBounds64::new(clamp)),
            Class::Float => operator.push(&bounds::FloatBounds::new(clamp)),
            Class::Float64 => operator.push(&bounds::FloatBounds64::new(clamp)),
        }
        if let Some(fixed) = fixed {
            operator.push(fixed);
            return operator;
        }
        match (clamp.affine(), class, step) {
            (None, ..) => operator.push(&[0_u32; 4]),
            (Some(affine), Class::Integer, _) => operator.push(&integer::Integer::new(dtype, affine)),
            (Some(affine), Class::Integer64, _) => operator.push(&integer::Integer64::new(dtype, affine)),
            (Some(affine), Class::Float, AffineStep::Fast) => {
                operator.push(&float::FloatFast::new(dtype, affine));
            }
            (Some(affine), Class::Float, _) => operator.push(&float::FloatExact::new(dtype, affine)),
            (Some(affine), Class::Float64, AffineStep::Fast) => {
                operator.push(&float::FloatFast64::new(affine));
            }
            (Some(affine), Class::Float64, _) => operator.push(&float::FloatExact64::new(affine)),
        }
        operator
    }

    fn push(&mut self, part: &impl Pod) {
        let part = bytemuck::bytes_of(part);
        self.bytes[self.len..][..part.len()].copy_from_slice(part);
        self.len = (self.len + part.len()).next_multiple_of(16);
    }

    /// The bytes, a multiple of 16.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The low word first, as every wide number in the shaders.
fn words<const N: usize>(number: i128) -> [u32; N] {
    std::array::from_fn(|i| (number >> (32 * i)) as u32)
}
