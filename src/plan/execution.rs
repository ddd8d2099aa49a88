//! What wgpu would be given of a plan, as plain data, for whoever executes WGSL without a device.

use super::{BlockLayout, Plan, Range, Window};
use crate::arithmetic::ResolveParams;
use crate::kernel::{Dispatch as Dispatched, Placement};
use crate::shader::{PipelineName, binding};
use crate::{Bound, Clamps};

/// Dispatches, one after the other, and the buffers that they work on.
#[derive(Default)]
pub struct Run {
    /// What dispatches run, each once.
    pub programs: Vec<Program>,
    /// In their order.
    pub dispatches: Vec<Dispatch>,
    /// What bindings are of.
    pub buffers: Vec<Buffer>,
    /// Where in which buffer the elements of the output lie.
    pub output: Vec<Place>,
    /// One for each program.
    pub(super) names: Vec<PipelineName>,
}

/// A pipeline.
#[derive(Debug)]
pub struct Program {
    /// Its module.
    pub wgsl: String,
    /// The name of its entry point.
    pub entry_point: &'static str,
    /// Its overridable constants.
    pub constants: Vec<(&'static str, f64)>,
}

/// One `dispatch_workgroups`.
#[derive(Debug)]
pub struct Dispatch {
    /// Which of the programs.
    pub program: usize,
    /// Workgroups along x and y.
    pub grid: [u32; 2],
    /// Those of bind group 0.
    pub bindings: Vec<Binding>,
}

/// A part of a buffer, at a number that a module knows.
#[derive(Debug)]
pub struct Binding {
    /// The number.
    pub binding: u32,
    /// Which of the buffers.
    pub buffer: usize,
    /// In bytes.
    pub offset: u64,
    /// In bytes.
    pub size: u64,
}

/// A buffer before the first dispatch.
#[derive(Debug, Default)]
pub struct Buffer {
    /// In bytes. Most of them nobody touches, and there may be as many as a `u64` holds.
    pub size: u64,
    /// What each byte is that is not among `bytes`.
    pub fill: u8,
    /// At offsets.
    pub bytes: Vec<(u64, Vec<u8>)>,
    /// Whether dispatches may write to it beside the output.
    pub is_scratch: bool,
}

/// Where an element lies.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Which of the buffers.
    pub buffer: usize,
    /// Of its first byte.
    pub offset: u64,
    /// In bytes, 8 at most.
    pub size: usize,
}

/// What a device makes of a [`Run`].
#[derive(Debug)]
pub struct Outcome {
    /// The device, in words.
    pub device: String,
    /// What is wrong with the programs.
    pub findings: Vec<Finding>,
    /// The elements of the output as bits, zero-extended.
    pub output: Vec<u64>,
    /// A byte outside the output that changed: which buffer, and where.
    pub stray: Option<(usize, u64)>,
}

/// What is wrong with a program.
#[derive(Debug)]
pub struct Finding {
    /// The line in the WGSL, from 1 on; 0 for none in particular.
    pub line: u32,
    /// That line, without white space around it.
    pub text: String,
    /// All that there is to say.
    pub words: String,
}

impl Run {
    /// Some windows of a plan of these clamps. `operands`: the buffers of src and dst, or the one of both. `slots`: what
    /// lies on the GPU of Min and Max.
    pub(super) fn new(
        plan: &Plan,
        clamps: Clamps<'_>,
        windows: &[Window],
        operands: Vec<Buffer>,
        slots: [u64; 2],
        adjacent: bool,
    ) -> Self {
        let (Some(first), Some(operators)) = (windows.first(), plan.operators(clamps)) else {
            return Self::default();
        };
        let mut run = Self { buffers: operands, ..Self::default() };
        let sides = if plan.placement == Placement::TwoBuffers { [0, 1] } else { [0, 0] };
        let stored = operators.stored().map(|bytes| run.push(bytes.len() as u64, vec![(0, bytes.to_vec())]));
        let first = (operators.in_block().len(), &first.launch.geometry);
        // What `wgpu::Limits` asks for where nothing is said.
        let layout = BlockLayout::new(windows.len(), first, 256);
        let mut bytes = Vec::new();
        for (n, window) in windows.iter().enumerate() {
            let parts = layout.parts(n, operators.in_block(), &window.launch.geometry);
            bytes.extend(parts.map(|(offset, part)| (offset, part.to_vec())));
        }
        let blocks = run.push(layout.len(), bytes);
        run.resolve(plan, slots, blocks, &layout);
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
                let stored = stored.map(|buffer| run.whole(binding::OPERATORS, buffer));
                let bindings = std::iter::once(block).chain(storage).chain(stored).collect();
                let program = run.program(name, adjacent);
                run.dispatches.push(Dispatch { program, grid, bindings });
            }
        }
        run
    }

    /// Adds the dispatch that reads bounds on the GPU and writes them into all blocks, if there are such bounds.
    fn resolve(&mut self, plan: &Plan, slots: [u64; 2], blocks: usize, layout: &BlockLayout) {
        let (Some(clamp), Some(task)) = (&plan.clamp, &plan.task) else { return };
        if clamp.bound_on_gpu().is_none() {
            return;
        }
        let (dtype, limits) = (clamp.dtype(), &task.limits);
        let size = dtype.size();
        // In a buffer of their own, in elements; one binding begins behind the other.
        let addresses = [1, limits.binding_start() as usize / size + 1];
        let places = addresses
            .map(|address| Range::of_slot(address, dtype, limits).expect("a binding holds two elements"));
        let written = |n: usize| ((addresses[n] * size) as u64, slots[n].to_le_bytes()[..size].to_vec());
        let end = (addresses[1] as u64 + 1) * size as u64;
        let buffer = self.push(end.next_multiple_of(4), vec![written(0), written(1)]);
        let on_gpu = [clamp.min(), clamp.max()].map(|bound| bound == Bound::OnGpu);
        let of = |n: usize| on_gpu[n].then_some(places[n].1);
        let grid = limits.grid(layout.count as u64);
        let params =
            ResolveParams::new(clamp, [of(0), of(1)], (layout.count, layout.pitch as usize), grid[0]);
        let bytes = bytemuck::bytes_of(&params);
        let params = self.push(bytes.len() as u64, vec![(0, bytes.to_vec())]);
        self.buffers[blocks].is_scratch = true;
        // A bound that is not on the GPU is not read; its binding takes the other one's slot.
        let slot = |binding, n: usize| {
            let Range { offset, size } = places[if on_gpu[n] { n } else { 1 - n }].0;
            Binding { binding, buffer, offset, size }
        };
        let bindings = vec![
            self.whole(binding::PARAMS, params),
            slot(binding::MIN_SLOT, 0),
            slot(binding::MAX_SLOT, 1),
            self.whole(binding::BLOCKS, blocks),
        ];
        let program = self.program(PipelineName::resolve(), false);
        self.dispatches.push(Dispatch { program, grid, bindings });
    }

    fn push(&mut self, size: u64, bytes: Vec<(u64, Vec<u8>)>) -> usize {
        self.buffers.push(Buffer { size, bytes, ..Buffer::default() });
        self.buffers.len() - 1
    }

    fn whole(&self, binding: u32, buffer: usize) -> Binding {
        Binding { binding, buffer, offset: 0, size: self.buffers[buffer].size }
    }

    fn program(&mut self, name: PipelineName, adjacent: bool) -> usize {
        self.names.iter().position(|other| *other == name).unwrap_or_else(|| {
            let (wgsl, constants) = (name.module.source(), name.constants(adjacent));
            self.programs.push(Program { wgsl, entry_point: name.entry_point.name(), constants });
            self.names.push(name);
            self.names.len() - 1
        })
    }

    /// A finding, with the fragment of its line and the line there.
    pub(super) fn locate(&self, Finding { line, text, words }: &Finding) -> String {
        let fragments = self.names.iter().flat_map(|name| {
            // Of each fragment the line before its first.
            let mut before = 0;
            name.module.fragments().into_iter().filter_map(move |fragment| {
                let first = before;
                before += fragment.text.lines().count() as u32;
                (first < *line && *line <= before).then(|| (fragment, *line - first))
            })
        });
        let same = |(fragment, line): &(crate::fragment::Fragment, u32)| {
            fragment.text.lines().nth(*line as usize - 1).is_some_and(|there| there.trim() == text)
        };
        match fragments.into_iter().find(same) {
            Some((fragment, line)) => format!("shaders/{}.wgsl:{line}: {words}", fragment.name),
            None => words.clone(),
        }
    }
}
