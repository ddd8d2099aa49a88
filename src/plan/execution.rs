//! A plan's pipelines, buffers and dispatches as plain data, for executing WGSL without a device.

use super::{Plan, Range, UniformLayout, Window};
use crate::arithmetic::NUMBERS;
use crate::fragment::Fragment;
use crate::kernel::{Dispatch as Dispatched, Placement};
use crate::reference::Allowed;
use crate::shader::{Module, PipelineName, binding};
use crate::{Clamps, Layout, Number};

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

/// The result of a [`Recording`] on a device.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The device, in words.
    pub device: String,
    /// Faults of programs, wrong elements, and changed bytes outside the output.
    pub findings: Vec<Finding>,
}

/// A fault.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Index of the program whose lines `words` names.
    pub program: Option<usize>,
    /// The description; it names lines as `line 7`.
    pub words: String,
}

impl Recording {
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

    /// Describes a finding. Files and lines of fragments replace the module's line numbers.
    pub(super) fn describe(&self, Finding { program, words }: &Finding) -> String {
        let Some(program) = program else { return words.clone() };
        let (first, others) = words.split_once("line ").unwrap_or((words, ""));
        let others = others.split("line ").filter(|part| !part.is_empty()).map(|part| {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, rest) = part.split_at(digits);
            match number.parse().ok().and_then(|line| located(self.names[*program].module, line)) {
                Some((file, line)) => format!("{file}:{line}{rest}"),
                None => format!("line {part}"),
            }
        });
        first.to_owned() + &others.collect::<String>()
    }
}

/// The file of a module's line, and the line's number in this file. Both line numbers count from 1. A block's text is
/// called `block`.
fn located(module: Module, line: u32) -> Option<(String, usize)> {
    let mut left = (line as usize).checked_sub(1)?;
    for Fragment { name, text } in module.fragments() {
        let count = text.lines().count();
        if left < count {
            return Some((format!("shaders/{name}.wgsl"), left + 1));
        }
        left -= count;
    }
    let text = module.text()?;
    (left < text.lines().count()).then(|| ("block".to_owned(), left + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::SlotReads;

    #[test]
    fn lines_of_a_module_are_those_of_its_fragments() {
        let module = Module::Resolve;
        let wgsl = module.source();
        for (n, line) in wgsl.lines().enumerate() {
            let (file, number) = located(module, n as u32 + 1).unwrap();
            let of_file = |fragment: &Fragment| format!("shaders/{}.wgsl", fragment.name) == file;
            let fragment = module.fragments().into_iter().find(of_file).unwrap();
            assert_eq!(fragment.text.lines().nth(number - 1), Some(line));
        }
        assert_eq!(located(module, 0), None);
        assert_eq!(located(module, wgsl.lines().count() as u32 + 1), None);

        let recording = Recording {
            names: vec![PipelineName::resolve(SlotReads::all().next().unwrap())],
            ..Recording::default()
        };
        let first = module.fragments()[0].text.lines().count();
        let words = format!("race: line {}, called in line 2 and line 7", first + 1);
        let finding = Finding { program: Some(0), words };
        let described =
            "race: shaders/grid.wgsl:1, called in shaders/resolve.wgsl:2 and shaders/resolve.wgsl:7";
        assert_eq!(recording.describe(&finding), described);
        let elsewhere = Finding { program: None, ..finding };
        assert_eq!(recording.describe(&elsewhere), elsewhere.words);
    }
}
