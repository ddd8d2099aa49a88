//! Slots (the places of numbers on the GPU), and the uniform block of the dispatch that reads them: the host's half of
//! `shaders/gather.wgsl`.

use super::bounds::BoundWords;
use super::step::Arithmetic;
use crate::fragment::mirrors;
use crate::operator::Kind;
use crate::operator::format::FloatFormat;

/// The place of a number, or of one number per channel: its byte offset in the binding for the dispatch's first
/// channel, and the stride between channels in bytes. Both are modulo 2^32.
pub(crate) type Slot = [u32; 2];

/// The count of a clamp's numbers that may lie on the GPU: Min, Max, scale and bias.
pub(crate) const NUMBERS: usize = 4;

/// The most slots that one dispatch reads. With the table they make four storage buffers, which every device allows.
pub(crate) const MAX_SLOTS: usize = 3;

/// The channels whose numbers a dispatch gathers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) first: usize,
    pub(crate) channels: usize,
    /// The channels of the table.
    pub(crate) of_table: usize,
}

mirrors! {
    /// Mirrors `GatherParams` in `gather.wgsl`.
    struct GatherParams {
        slots: [SlotParams; MAX_SLOTS],
        count: u32,
        channels: u32,
        grid_width: u32,
        /// Padding to the alignment of the WGSL struct.
        padding: u32,
    }

    /// Mirrors `Slot` in `gather.wgsl`.
    struct SlotParams {
        start: u32,
        stride: u32,
        first: u32,
        bits: u32,
        unused: u32,
        fill: u32,
        infinity: [u32; 2],
        absent: [u32; 2],
        /// Padding to the stride of the WGSL array.
        padding: [u32; 2],
    }
}

impl GatherParams {
    /// The parameters of a dispatch that reads slots, each of a number, the index in [`NUMBERS`]. One invocation serves
    /// each channel; the grid is `grid_width` workgroups wide.
    pub(crate) fn new(
        arithmetic: Arithmetic,
        read: &[(usize, Slot)],
        target: &Target,
        grid_width: u32,
    ) -> Self {
        let mut slots = [SlotParams::of_f32(); MAX_SLOTS];
        for (params, &(number, [start, stride])) in slots.iter_mut().zip(read) {
            if number < 2 {
                *params = SlotParams::of_bound(arithmetic, number);
            }
            let place = arithmetic.place_of(number);
            let first = 4 * (place / 4 * target.of_table + target.first) + place % 4;
            *params = SlotParams { start, stride, first: first as u32, ..*params };
        }
        Self { slots, count: read.len() as u32, channels: target.channels as u32, grid_width, padding: 0 }
    }
}

impl SlotParams {
    /// A number that stays as it is.
    const fn of_f32() -> Self {
        Self {
            start: 0,
            stride: 0,
            first: 0,
            bits: 32,
            unused: 0,
            fill: 0,
            infinity: [u32::MAX; 2],
            absent: [0; 2],
            padding: [0; 2],
        }
    }

    /// Min or Max, which becomes the words of [`BoundWords`].
    fn of_bound(arithmetic: Arithmetic, number: usize) -> Self {
        let dtype = arithmetic.dtype;
        let unused = 32_u32.saturating_sub(dtype.bits());
        let infinity = match FloatFormat::of(dtype) {
            Some(format) => format.infinity << (64 - dtype.bits()),
            None => u64::MAX,
        };
        let fill = match dtype.kind() {
            Kind::Float(_) if unused > 0 => 2,
            Kind::Signed => 1,
            Kind::Float(_) | Kind::Unsigned => 0,
        };
        Self {
            bits: dtype.bits(),
            unused,
            fill,
            infinity: [infinity as u32, (infinity >> 32) as u32],
            absent: BoundWords::new(dtype).absent[number],
            ..Self::of_f32()
        }
    }
}
