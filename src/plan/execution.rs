//! A plan's pipelines, buffers and dispatches as plain data, for executing WGSL without a device.

use super::{Plan, Range, UniformLayout, Window};
use crate::arithmetic::NUMBERS;
use crate::kernel::{Dispatch as Dispatched, PACKET, Placement};
use crate::reference::Allowed;
use crate::shader::{PipelineName, binding};
use crate::{Clamps, Error, Layout, Limits, Number};

/// Dispatches in sequence, and their buffers.
#[derive(Clone, Default)]
pub struct Recording {
    /// The pipelines of the dispatches, each once.
    pub programs: Vec<Program>,
    /// The dispatches in order.
    pub dispatches: Vec<Dispatch>,
    /// The buffers that bindings refer to.
    pub buffers: Vec<Buffer>,
    /// All elements outside scratch buffers that may change.
    pub output: Vec<Place>,
    /// The names of the programs.
    pub(crate) names: Vec<PipelineName>,
}

/// A pipeline.
#[derive(Clone, Debug)]
pub struct Program {
    /// The text of its module.
    pub wgsl: String,
    /// The name of its entry point.
    pub entry_point: &'static str,
    /// Its overridable constants.
    pub constants: Vec<(&'static str, f64)>,
}

/// One `dispatch_workgroups`.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// Index of the program.
    pub program: usize,
    /// Workgroups along x and y.
    pub grid: [u32; 2],
    /// The bindings of bind group 0.
    pub bindings: Vec<Binding>,
}

/// A part of a buffer, bound to a binding number of the module.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The binding number.
    pub binding: u32,
    /// Index of the buffer.
    pub buffer: usize,
    /// Offset in the buffer, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
}

/// The contents of a buffer before the first dispatch.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    /// Size in bytes, up to `u64::MAX`.
    pub size: u64,
    /// The value of all bytes that `bytes` does not list.
    pub fill: u8,
    /// Pairs of an offset and the bytes from this offset on.
    pub bytes: Vec<(u64, Vec<u8>)>,
    /// Whether dispatches may write anything to it.
    pub is_scratch: bool,
}

/// An element of the output.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Index of the buffer.
    pub buffer: usize,
    /// Offset of the first byte.
    pub offset: u64,
    /// Size in bytes, at most 8.
    pub size: usize,
    /// The bits of the source element.
    pub input: u64,
    /// The results that the element may have.
    pub allowed: Allowed,
}

/// A plan, what it should cost in microseconds, and its dispatches.
pub struct Candidate {
    /// The plan.
    pub plan: Plan,
    /// The cost by which plans are chosen, for all elements. In-sequence costs are lavapipe's, others an H200's.
    pub cost: f64,
    /// Its dispatches.
    pub recording: Recording,
}

/// Plans a clamp in one buffer or two, with each kernel that can take it, in the order in which they are tried, and records all windows.
/// Every byte of the tensors is the same.
///
/// # Errors
///
/// Those of [`Plan::new`].
pub fn candidates(
    clamps: Clamps<'_>,
    src: &Layout,
    dst: &Layout,
    one_buffer: bool,
    limits: Limits,
    slots: &[[u64; NUMBERS]],
) -> Result<Vec<Candidate>, Error> {
    let placement = Placement::of(one_buffer);
    let plans = Plan::candidates(clamps, src, dst, placement, limits)?;
    #[expect(clippy::cast_precision_loss, reason = "microseconds of a tensor")]
    let record = |(cost, plan): (f32, Plan)| {
        let recording = Recording::of(&plan, clamps, [src, dst], slots);
        Candidate { plan, cost: f64::from(cost) * dst.len() as f64 / 1e6, recording }
    };
    Ok(plans.into_iter().map(record).collect())
}

/// Plans a clamp in one buffer or two, and records all windows. Every byte of the tensors is the same.
///
/// # Errors
///
/// Those of [`Plan::new`].
pub fn record(
    clamps: Clamps<'_>,
    src: &Layout,
    dst: &Layout,
    one_buffer: bool,
    limits: Limits,
    slots: &[[u64; NUMBERS]],
) -> Result<(Plan, Recording), Error> {
    let placement = Placement::of(one_buffer);
    let plan = Plan::with_placement(clamps, src, dst, placement, limits)?;
    let recording = Recording::of(&plan, clamps, [src, dst], slots);
    Ok((plan, recording))
}

impl Recording {
    /// Records all windows of a plan of these clamps and layouts.
    fn of(plan: &Plan, clamps: Clamps<'_>, layouts: [&Layout; 2], slots: &[[u64; NUMBERS]]) -> Self {
        let windows: Vec<_> = plan.windows().collect();
        let dtypes = plan.task.map(|task| [task.arithmetic.source, task.arithmetic.dtype]);
        let operand = |(layout, dtype): (&Layout, _)| Buffer {
            size: layout.required_bytes(dtype).next_multiple_of(PACKET as u64),
            fill: 0x3f,
            ..Buffer::default()
        };
        let operands = dtypes.into_iter().flat_map(|dtypes| layouts.into_iter().zip(dtypes));
        let operands =
            operands.skip(usize::from(plan.placement == Placement::OneBuffer)).map(operand).collect();
        Self::new(plan, clamps, &windows, operands, slots)
    }

    /// Records some windows of a plan of these clamps. `operands`: the buffers of src and dst, or their common buffer.
    /// `slots`: the bits of numbers on the GPU, one list for all elements or one per channel.
    pub(super) fn new(
        plan: &Plan,
        clamps: Clamps<'_>,
        windows: &[Window],
        operands: Vec<Buffer>,
        slots: &[[u64; NUMBERS]],
    ) -> Self {
        let (Some(first), Some(parameters)) = (windows.first(), plan.parameters(clamps)) else {
            return Self::default();
        };
        let mut recording = Self { buffers: operands, ..Self::default() };
        let sides = if plan.placement == Placement::TwoBuffers { [0, 1] } else { [0, 0] };
        let stored =
            parameters.stored().map(|bytes| recording.push(bytes.len() as u64, vec![(0, bytes.to_vec())]));
        // The default alignment of `wgpu::Limits`.
        let layout =
            UniformLayout::new(windows.len(), parameters.in_block().len(), &first.launch.geometry, 256);
        let mut bytes = Vec::new();
        for (n, window) in windows.iter().enumerate() {
            let parts = layout.parts(n, parameters.in_block(), &window.launch.geometry);
            bytes.extend(parts.map(|(offset, part)| (offset, part.to_vec())));
        }
        let blocks = recording.push(layout.len(), bytes);
        match stored {
            Some(stored) => recording.resolve(plan, slots, stored, (1, 0)),
            None => recording.resolve(plan, slots, blocks, (layout.count, layout.pitch)),
        }
        for (n, window) in windows.iter().enumerate() {
            for Dispatched { entry_point, grid } in window.dispatches() {
                let Some(name) = plan.pipeline(window, entry_point) else { continue };
                let block = Binding {
                    binding: binding::PARAMS,
                    buffer: blocks,
                    offset: layout.offset(n),
                    size: layout.size,
                };
                let storage = window.bindings.storage();
                let storage = storage.map(|(binding, side, range)| Binding {
                    binding,
                    buffer: sides[side],
                    offset: range.offset,
                    size: range.size,
                });
                let stored = stored.map(|buffer| recording.whole(binding::CHANNELS, buffer));
                let bindings = std::iter::once(block).chain(storage).chain(stored).collect();
                let program = recording.program(name);
                recording.dispatches.push(Dispatch { program, grid, bindings });
            }
        }
        recording
    }

    /// Adds the dispatches, if any, that write numbers on the GPU into the buffer `target`. `blocks`: the count of
    /// blocks in `target`, and the bytes between their starts.
    fn resolve(&mut self, plan: &Plan, slots: &[[u64; NUMBERS]], target: usize, blocks: (usize, u64)) {
        let (Some(clamp), Some(task)) = (&plan.clamp, &plan.task) else { return };
        if clamp.number_on_gpu().is_none() {
            return;
        }
        // The slots lie in a buffer of their own. If a binding can hold two elements, the lowest element of each slot
        // lies one element behind an aligned offset. Some strides are negative, some leave elements between channels.
        let (mut layouts, mut bytes, mut end) = ([None; NUMBERS], Vec::new(), 0);
        for (number, (_, value)) in clamp.numbers().into_iter().enumerate() {
            if value != Number::OnGpu {
                continue;
            }
            let size = clamp.slot_dtypes()[number].size();
            let within = usize::from(2 * size as u64 <= task.limits.binding_size());
            // Aligned like a binding, but to at most 4 KiB, which keeps the buffer small.
            let start = (end as usize).next_multiple_of(task.limits.binding_start().min(1 << 12) as usize);
            let first = start / size + within;
            let stride = [1_isize, -2, 3, -1][number];
            let last = first + (slots.len() - 1) * stride.unsigned_abs();
            let offset = if stride < 0 { last } else { first };
            let shape = [slots.len()];
            let layout = match slots.len() {
                1 => Layout::packed_at(&[], first),
                _ => Layout::strided(&shape, &[stride], offset),
            };
            let layout = layout.expect("slots of a few channels");
            for (address, slot) in layout.addresses().zip(slots) {
                bytes.push(((address * size) as u64, slot[number].to_le_bytes()[..size].to_vec()));
            }
            layouts[number] = Some(layout);
            end = ((last + 1) * size) as u64;
        }
        let buffer = self.push(end.next_multiple_of(4), bytes);
        self.buffers[target].is_scratch = true;
        for resolve in plan.resolves(&layouts, blocks).expect("a binding holds an element") {
            let program = self.program(resolve.pipeline);
            let params = bytemuck::bytes_of(&resolve.params);
            let params = self.push(params.len() as u64, vec![(0, params.to_vec())]);
            let bound = binding::resolve::SLOTS.into_iter().zip(resolve.bindings);
            let bound =
                bound.map(|(binding, (_, Range { offset, size }))| Binding { binding, buffer, offset, size });
            let others = [self.whole(binding::PARAMS, params), self.whole(binding::resolve::BLOCKS, target)];
            let bindings = others.into_iter().chain(bound).collect();
            self.dispatches.push(Dispatch { program, grid: resolve.grid, bindings });
        }
    }

    fn push(&mut self, size: u64, bytes: Vec<(u64, Vec<u8>)>) -> usize {
        self.buffers.push(Buffer { size, bytes, ..Buffer::default() });
        self.buffers.len() - 1
    }

    fn whole(&self, binding: u32, buffer: usize) -> Binding {
        Binding { binding, buffer, offset: 0, size: self.buffers[buffer].size }
    }

    fn program(&mut self, name: PipelineName) -> usize {
        self.names.iter().position(|other| *other == name).unwrap_or_else(|| {
            let (wgsl, constants) = (name.module.source(), name.constants());
            self.programs.push(Program { wgsl, entry_point: name.entry_point.name(), constants });
            self.names.push(name);
            self.names.len() - 1
        })
    }
}
