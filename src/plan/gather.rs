//! Plans the dispatches that gather numbers on the GPU into the table of channels' numbers.

use super::{Plan, Range};
use crate::arithmetic::{GatherParams, MAX_SLOTS, NUMBERS, Slot, Target};
use crate::kernel::{WORD, WORKGROUP_SIZE};
use crate::shader::PipelineName;
use crate::{DType, Error, Layout, Limits};

/// The layouts of a call's slots (places of numbers on the GPU) in the order of [`Clamp::numbers`]. Each has one
/// element, or one per channel.
pub(crate) type SlotLayouts = [Option<Layout>; NUMBERS];

/// One dispatch of `gather`.
#[derive(Clone, Copy)]
pub(crate) struct Gather {
    pub(crate) pipeline: PipelineName,
    pub(crate) params: GatherParams,
    pub(crate) grid: [u32; 2],
    /// For each binding: the index of its slot in [`SlotLayouts`], and its range. Bindings that are not read repeat the
    /// first binding.
    pub(crate) bindings: [(usize, Range); MAX_SLOTS],
}

/// The slot of a number, with its channels in the order of the table.
#[derive(Clone, Copy)]
struct SlotLine {
    number: usize,
    dtype: DType,
    /// The address of channel 0's number, in elements.
    start: isize,
    /// The stride between channels, in elements.
    stride: isize,
}

impl SlotLine {
    /// The slot of a layout with an element per channel, or with one element for all channels.
    fn new(number: usize, dtype: DType, layout: &Layout, channels: usize, reversed: bool) -> Self {
        let start = layout.offset().cast_signed();
        // More than one element lies along a dimension.
        let stride = if channels > 1 && layout.len() > 1 { layout.strides()[0] } else { 0 };
        if reversed {
            let start = start + stride * (channels - 1).cast_signed();
            return Self { number, dtype, start, stride: -stride };
        }
        Self { number, dtype, start, stride }
    }

    const fn address(&self, channel: usize) -> usize {
        (self.start + self.stride * channel.cast_signed()).cast_unsigned()
    }

    /// The number of channels that fit into one binding wherever it starts; at least 1.
    fn most(&self, limits: &Limits) -> usize {
        let size = self.dtype.size() as u64;
        let room = limits.binding_size().saturating_sub(limits.binding_start() + size + WORD as u64);
        let step = (self.stride.unsigned_abs() as u64).saturating_mul(size);
        room.checked_div(step).map_or(usize::MAX, |more| more.saturating_add(1) as usize)
    }

    /// The binding that spans the elements of `channels` channels from `first` on.
    fn bind(&self, first: usize, channels: usize, limits: &Limits) -> Result<Range, Error> {
        let (a, b) = (self.address(first), self.address(first + channels - 1));
        let size = self.dtype.size() as u64;
        Range::spanning((a.min(b), a.max(b)), size, WORD as u64, limits).ok_or_else(|| {
            let first_byte = a.min(b) as u128 * u128::from(size);
            let before = (first_byte % u128::from(limits.binding_start())) as u64;
            let needed = (before + size).next_multiple_of(WORD as u64);
            Error::device_limit("max_storage_buffer_binding_size", needed, limits.max_binding_size)
        })
    }

    /// The slot from channel `first` on, relative to a binding that begins at byte `start`.
    fn slot(&self, first: usize, start: u64) -> Slot {
        let size = self.dtype.size() as u64;
        let byte = self.address(first) as u64 * size - start;
        // Where a dispatch reads several channels, the stride is within its binding.
        [byte as u32, (self.stride as i64).wrapping_mul(size.cast_signed()) as u32]
    }
}

impl Plan {
    /// The dispatches that write the numbers in `slots` into the table. Empty if there is no element.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] if a binding cannot hold an element.
    pub(crate) fn gathers(&self, slots: &SlotLayouts) -> Result<Vec<Gather>, Error> {
        let (Some(clamp), Some(task), Some(whole)) =
            (&self.clamp, &self.task, self.strategy.assignments().next())
        else {
            return Ok(Vec::new());
        };
        let (channels, reversed) = (task.channels, whole.region.reversed_channels);
        let line = |(number, layout): (usize, &Option<Layout>)| {
            let dtype = clamp.slot_dtypes()[number];
            layout.as_ref().map(|layout| SlotLine::new(number, dtype, layout, channels, reversed))
        };
        let lines: Vec<_> = slots.iter().enumerate().filter_map(line).collect();
        // A dispatch has four storage buffers, and the table is one. If there are four slots, one dispatch reads
        // bounds, the next scale and bias.
        let per_dispatch = if lines.len() > MAX_SLOTS { 2 } else { MAX_SLOTS };
        let invocations = usize::try_from(task.limits.invocations()).unwrap_or(usize::MAX);
        let mut gathers = Vec::new();
        for lines in lines.chunks(per_dispatch) {
            let most = lines.iter().fold(invocations, |most, line| most.min(line.most(&task.limits)));
            let mut first = 0;
            while first < channels {
                let count = most.min(channels - first);
                let target = Target { first, channels: count, of_table: channels };
                gathers.push(self.gather(lines, &target)?);
                first += count;
            }
        }
        Ok(gathers)
    }

    /// The dispatch that reads these slots for the channels of `target`.
    fn gather(&self, lines: &[SlotLine], target: &Target) -> Result<Gather, Error> {
        let task = self.task.expect("slots need a task");
        let Target { first, channels, .. } = *target;
        let mut read = Vec::new();
        let mut bindings = [None; MAX_SLOTS];
        for (binding, line) in lines.iter().enumerate() {
            let range = line.bind(first, channels, &task.limits)?;
            read.push((line.number, line.slot(first, range.offset)));
            bindings[binding] = Some((line.number, range));
        }
        let unread = bindings[0].expect("a dispatch reads a slot at least");
        let workgroups = channels.div_ceil(WORKGROUP_SIZE as usize);
        let grid = task.limits.grid(workgroups as u64);
        let params = GatherParams::new(task.arithmetic, &read, target, grid[0]);
        let bindings = bindings.map(|binding| binding.unwrap_or(unread));
        Ok(Gather { pipeline: PipelineName::gather(), params, grid, bindings })
    }
}
