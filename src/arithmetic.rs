//! The uniform block of a dispatch, twin of `shaders/params.wgsl`.
//!
//! A block is three structs in a row, each at a multiple of 16 bytes: the geometry of the kernel, the
//! bounds of the element class and the numbers of the affine step. Every struct here has the name, the
//! order and the offsets of its WGSL twin; a test in `shader/tests.rs` compares them.

mod bounds;
mod fixed;
mod float;
mod integer;
mod request;

use bytemuck::{Pod, Zeroable};

pub(crate) use bounds::{FloatBounds, FloatBounds64, IntegerBounds, IntegerBounds64};
pub(crate) use fixed::Fixed;
pub(crate) use float::{FloatExact, FloatExact64, FloatFast, FloatFast64};
pub(crate) use integer::{Integer, Integer64};
pub(crate) use request::{Request, Slot};

use crate::Clamp;
use crate::shader::{AffineStep, Class};

/// Of `kernel/contiguous.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ContiguousGeometry {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) src_shift: u32,
    pub(crate) row: u32,
    pub(crate) begin: u32,
    pub(crate) end: u32,
}

/// Of `kernel/walk.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct WalkGeometry {
    pub(crate) dims: [[u32; 4]; 8],
    pub(crate) shifts: [u32; 8],
    pub(crate) edge_shift: u32,
    pub(crate) count: u32,
    pub(crate) src_start: u32,
    pub(crate) dst_start: u32,
    pub(crate) row: u32,
    pub(crate) rows: u32,
    pub(crate) lines: u32,
    pub(crate) length: u32,
    pub(crate) src_step: u32,
    pub(crate) src_packets: u32,
    pub(crate) edge_row: u32,
    pub(crate) last_src: u32,
    pub(crate) last_dst: u32,
    pub(crate) repeats: u32,
    pub(crate) repeated_rows: u32,
    pub(crate) repeat_pitch: u32,
    pub(crate) word_mask: u32,
    pub(crate) word_shift: u32,
    pub(crate) squares_along_src: u32,
    pub(crate) squares_along_dst: u32,
    pub(crate) src_pitch: u32,
    pub(crate) dst_pitch: u32,
}

/// The factor and the shift that divide numbers below 2^31 by `divisor`, which is neither 0 nor above 2^31: the upper
/// word of twice the number times the factor, shifted right.
///
/// With s = ⌈log2 divisor⌉ the factor is ⌈2^(31 + s) / divisor⌉, which is too large by less than 2^-s of itself; times a
/// number below 2^31 that stays below one unit of the quotient's fraction (Granlund and Montgomery, 1994).
pub(crate) fn division(divisor: u32) -> (u32, u32) {
    let shift = divisor.next_power_of_two().trailing_zeros();
    let factor = (1_u64 << (31 + shift)).div_ceil(divisor.into());
    (factor as u32, shift)
}

/// The bytes of one uniform block.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    bytes: [u8; Self::CAPACITY],
    len: usize,
    bounds_offset: usize,
}

impl Block {
    /// Enough for the largest kernel, class and step together; a test holds every block against it.
    pub(crate) const CAPACITY: usize = 384;

    /// The block of one dispatch of `clamp` with the geometry of its kernel, and the numbers of a fixed-point step.
    pub(crate) fn new(geometry: &impl Pod, clamp: &Clamp, step: AffineStep, fixed: Option<&Fixed>) -> Self {
        let mut block = Self { bytes: [0; Self::CAPACITY], len: 0, bounds_offset: 0 };
        block.push(geometry);
        block.bounds_offset = block.len;
        let class = Class::of(clamp.dtype());
        match class {
            Class::Integer => block.push(&IntegerBounds::new(clamp)),
            Class::Integer64 => block.push(&IntegerBounds64::new(clamp)),
            Class::Float => block.push(&FloatBounds::new(clamp)),
            Class::Float64 => block.push(&FloatBounds64::new(clamp)),
        }
        if let Some(fixed) = fixed {
            block.push(fixed);
            return block;
        }
        match (clamp.affine(), class, step) {
            (None, ..) => block.push(&[0_u32; 4]),
            (Some(affine), Class::Integer, _) => block.push(&Integer::new(clamp.dtype(), affine)),
            (Some(affine), Class::Integer64, _) => block.push(&Integer64::new(clamp.dtype(), affine)),
            (Some(affine), Class::Float, AffineStep::Fast) => {
                block.push(&FloatFast::new(clamp.dtype(), affine));
            }
            (Some(affine), Class::Float, _) => block.push(&FloatExact::new(clamp.dtype(), affine)),
            (Some(affine), Class::Float64, AffineStep::Fast) => block.push(&FloatFast64::new(affine)),
            (Some(affine), Class::Float64, _) => block.push(&FloatExact64::new(affine)),
        }
        block
    }

    /// Where the bounds begin, in bytes.
    pub(crate) const fn bounds_offset(&self) -> usize {
        self.bounds_offset
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
