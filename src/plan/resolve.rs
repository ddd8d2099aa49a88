//! The dispatches that read numbers on the GPU and write them into the parameters of channels.

use super::{Plan, Range};
use crate::arithmetic::{Entries, MAX_SLOTS, NUMBERS, Reads, ResolveParams, Slot, Target};
use crate::kernel::{WORD, WORKGROUP_SIZE};
use crate::shader::PipelineName;
use crate::{Clamp, DType, Error, Layout, Limits};

/// The layouts of the slots of a call, in the order of [`Clamp::numbers`]: of one element, or of one for each channel.
pub(crate) type SlotLayouts = [Option<Layout>; NUMBERS];

/// One dispatch of `resolve`.
#[derive(Clone, Copy)]
pub(crate) struct Resolve {
    pub(crate) pipeline: PipelineName,
    pub(crate) params: ResolveParams,
    pub(crate) grid: [u32; 2],
    /// Which number's slot is bound, from where to where. One that is not read is bound as the first one is.
    pub(crate) bindings: [(usize, Range); MAX_SLOTS],
}

/// The slot of a number, whose channels run as those of the parameters do.
#[derive(Clone, Copy)]
struct SlotLine {
    number: usize,
    dtype: DType,
    /// The element of channel 0, in elements.
    start: isize,
    /// From a channel's element to the next one's.
    stride: isize,
}

impl SlotLine {
    /// Of a layout of `channels` elements, or of one for all.
    fn new(number: usize, dtype: DType, layout: &Layout, channels: usize, reversed: bool) -> Self {
        let start = layout.offset().cast_signed();
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

    /// How many channels' elements a binding surely holds, whichever comes first; 1 at least.
    fn most(&self, limits: &Limits) -> usize {
        let size = self.dtype.size() as u64;
        let room = limits.binding_size().saturating_sub(limits.binding_start() + size + WORD as u64);
        let step = (self.stride.unsigned_abs() as u64).saturating_mul(size);
        room.checked_div(step).map_or(usize::MAX, |more| more.saturating_add(1) as usize)
    }

    /// The binding of some channels' elements.
    fn bind(&self, first: usize, channels: usize, limits: &Limits) -> Result<Range, Error> {
        let (a, b) = (self.address(first), self.address(first + channels - 1));
        let size = self.dtype.size() as u64;
        Range::spanning((a.min(b), a.max(b)), size, WORD as u64, limits).ok_or_else(|| {
            let first_byte = a.min(b) as u64 * size;
            let needed = (first_byte % limits.binding_start() + size).next_multiple_of(WORD as u64);
            Error::device_limit("max_storage_buffer_binding_size", needed, limits.max_binding_size)
        })
    }

    /// Where the elements lie in a binding that begins at that byte.
    fn slot(&self, first: usize, start: u64) -> Slot {
        let size = self.dtype.size() as u64;
        Slot::new(self.address(first) as u64 * size - start, self.stride as i64 * size.cast_signed())
    }
}

impl Plan {
    /// The dispatches that write the numbers in `slots` into so many blocks, which lie `pitch` bytes apart and hold the
    /// parameters of all channels each; one block stands for the storage buffer that holds them. None without an
    /// element.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] if a binding does not hold an element.
    pub(crate) fn resolves(
        &self,
        slots: &SlotLayouts,
        (blocks, pitch): (usize, u64),
    ) -> Result<Vec<Resolve>, Error> {
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
        // With all four there would be a storage buffer too many: bounds first, then the affine step.
        let per_dispatch = if lines.len() > MAX_SLOTS { 2 } else { MAX_SLOTS };
        let invocations = task.limits.invocations();
        let entries = Entries::of(clamp, task.arithmetic, task.parameter_place());
        let mut resolves = Vec::new();
        for lines in lines.chunks(per_dispatch) {
            let fitting = (invocations / blocks as u64).max(1) as usize;
            let most = lines.iter().fold(fitting, |most, line| most.min(line.most(&task.limits)));
            let mut first = 0;
            while first < channels {
                let count = most.min(channels - first);
                let target = Target { entries, first, channels: count, blocks, pitch };
                resolves.push(self.resolve(clamp, lines, &target)?);
                first += count;
            }
        }
        Ok(resolves)
    }

    /// The dispatch that reads these slots.
    fn resolve(&self, clamp: &Clamp, lines: &[SlotLine], target: &Target) -> Result<Resolve, Error> {
        let task = self.task.expect("slots are of a task");
        let Target { first, channels, blocks, .. } = *target;
        let mut places = [None; NUMBERS];
        let mut bindings = [None; MAX_SLOTS];
        for (binding, line) in lines.iter().enumerate() {
            let range = line.bind(first, channels, &task.limits)?;
            places[line.number] = Some(line.slot(first, range.offset));
            bindings[binding] = Some((line.number, range));
        }
        let [read, ..] = bindings;
        let read = read.expect("a dispatch reads a slot at least");
        let workgroups = (blocks * channels).div_ceil(WORKGROUP_SIZE as usize);
        let grid = task.limits.grid(workgroups as u64);
        let pipeline = PipelineName::resolve(Reads::of(task.arithmetic, &places));
        let params = ResolveParams::new(clamp, task.arithmetic, places, target, grid[0]);
        Ok(Resolve { pipeline, params, grid, bindings: bindings.map(|binding| binding.unwrap_or(read)) })
    }
}
