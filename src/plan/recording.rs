//! A plan's shaders, buffers and dispatches as plain data.

use super::{Plan, Shader, SlotLayouts, UniformLayout, Window, check_end};
use crate::arithmetic::{StepNumbers, kept_in};
use crate::kernel::{Placement, Task};
use crate::shader::{PipelineName, binding};
use crate::{Clamps, Error, Layout, Number};

/// The offsets of uniform bindings: the default alignment of `wgpu::Limits`.
const ALIGNMENT: u64 = 256;

/// The shaders, buffers and dispatches of a [`Plan`] as plain data: for another implementation of WebGPU, for a debugger,
/// or for a program that executes WGSL itself. Made by [`Plan::recording`].
///
/// Offsets of uniform bindings are multiples of 256. Bindings of src and dst are whole words: they may end up to 3 bytes,
/// and those of packets up to 15 bytes, behind the last element. A dispatch that reads slots writes a buffer of the crate
/// which later dispatches bind, so that buffer is a storage buffer too.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Recording {
    /// The shaders of the dispatches, each once.
    pub shaders: Vec<Shader>,
    /// The contents of the crate's own buffers: uniform blocks and tables. The caller has the others.
    pub buffers: Vec<Vec<u8>>,
    /// The dispatches in order; each may read what those before it wrote.
    pub dispatches: Vec<Dispatch>,
}

/// One `dispatch_workgroups` of a [`Recording`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dispatch {
    /// Index of the shader.
    pub shader: usize,
    /// Workgroups along x and y.
    pub grid: [u32; 2],
    /// The bindings of bind group 0.
    pub bindings: Vec<Binding>,
}

/// A range of a buffer at a binding number of a [`Dispatch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binding {
    /// The binding number in the WGSL.
    pub binding: u32,
    /// The buffer.
    pub buffer: BoundBuffer,
    /// Offset in the buffer, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
}

/// The buffer of a [`Binding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BoundBuffer {
    /// The caller's buffer with the source; for [`Plan::in_one_buffer`] also with the destination.
    Src,
    /// The caller's buffer with the destination.
    Dst,
    /// The caller's buffer with a number on the GPU: 0 is Min, 1 is Max, 2 is the scale, 3 is the bias.
    Slot(usize),
    /// A buffer of the crate: index in [`Recording::buffers`].
    Own(usize),
}

impl Plan {
    /// All dispatches of the plan as plain data. `clamps` are those of the plan. `slots` are the layouts of the
    /// numbers on the GPU in the order Min, Max, scale, bias; the others are `None`.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `clamps` do not suit the plan (with several channels of values, others with the same arithmetic
    /// do), or if `slots` do not suit the clamps; [`Error::Limit`] if no binding holds a slot's element.
    ///
    /// ```
    /// # use wgpu_clamp::plan::{BoundBuffer, Plan};
    /// # use wgpu_clamp::{Clamp, Layout, Limits};
    /// let (clamp, line) = (Clamp::new(0_u8, 200), Layout::packed(&[1 << 20])?);
    /// let plan = Plan::new(&clamp, &line, &line, Limits::default())?;
    /// let recording = plan.recording(&clamp, [None; 4])?;
    /// let [dispatch] = &recording.dispatches[..] else { unreachable!("it fits one binding") };
    /// let buffers: Vec<_> = dispatch.bindings.iter().map(|binding| binding.buffer).collect();
    /// assert_eq!(buffers, [BoundBuffer::Own(0), BoundBuffer::Src, BoundBuffer::Dst]);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn recording<'c>(
        &self,
        clamps: impl Into<Clamps<'c>>,
        slots: [Option<Layout>; 4],
    ) -> Result<Recording, Error> {
        let clamps = clamps.into();
        let numbers = self.check_numbers(clamps, &slots)?;
        let mut recorder = Recorder::default();
        let Some(parameters) = self.parameters(clamps, &numbers) else { return Ok(recorder.recording) };
        let in_block = parameters.in_block();
        let table = parameters.table().map(|bytes| recorder.push(bytes.to_vec()));
        if let Some(table) = table {
            recorder.gather(self, &slots.map(|slot| slot.map(|slot| slot.squeezed())), table)?;
        }
        let windows: Vec<_> = self.windows().collect();
        let Some(first) = windows.first() else { return Ok(recorder.recording) };
        let layout = UniformLayout::new(windows.len(), in_block.len(), &first.launch.geometry, ALIGNMENT);
        let blocks = recorder.push(vec![0; layout.len() as usize]);
        for (n, window) in windows.iter().enumerate() {
            for (offset, part) in layout.parts(n, in_block, &window.launch.geometry) {
                recorder.recording.buffers[blocks][offset as usize..][..part.len()].copy_from_slice(part);
            }
            recorder.window(self, window, (blocks, layout.offset(n), layout.size), table);
        }
        Ok(recorder.recording)
    }

    /// Refuses clamps and slots that are not the plan's. Returns the numbers of the clamps' affine steps.
    fn check_numbers(&self, clamps: Clamps<'_>, slots: &SlotLayouts) -> Result<Vec<StepNumbers>, Error> {
        let mut numbers = Vec::new();
        let (Some(clamp), Some(task)) = (self.clamp, self.task) else { return Ok(numbers) };
        let (given, channels) = (clamps.as_slice(), task.channels);
        clamps.check_alike()?;
        let in_slots = clamp.number_on_gpu().is_some();
        let counted = if channels == 1 || in_slots {
            given.iter().all(|one| *one == clamp)
        } else {
            given.len() == channels
        };
        let of_given = Task::of(given, channels, self.placement, task.limits, kept_in(&mut numbers));
        let alike = of_given.is_some_and(|of_given| {
            (of_given.arithmetic, of_given.shortcuts) == (task.arithmetic, task.shortcuts)
        });
        if !counted || !alike {
            let value = format!("{} given, the plan has {channels} and begins with {clamp}", given.len());
            return Err(Error::argument("clamps", value, "those of the plan are needed"));
        }
        let numbers_and_slots = clamp.numbers().into_iter().zip(slots).zip(clamp.slot_dtypes());
        for (((argument, number), slot), dtype) in numbers_and_slots {
            if let Some(slot) = slot {
                check_end(argument, slot, dtype, "lower its offset or stride")?;
            }
            let value = match (number, slot) {
                (Number::OnGpu, None) => "the number is `Number::OnGpu`, and there is no slot".to_owned(),
                (Number::OnGpu, Some(slot)) if slot.len() != 1 && *slot.squeezed().shape() != [channels] => {
                    format!("the slot has shape {:?}", slot.shape())
                }
                (Number::OnGpu, Some(_)) | (_, None) => continue,
                (_, Some(_)) => "there is a slot, but the number is not `Number::OnGpu`".to_owned(),
            };
            return Err(Error::argument(
                argument,
                value,
                format!("1 element is needed, or [{channels}] of them"),
            ));
        }
        Ok(numbers)
    }
}

/// A recording that grows, and the names of its shaders.
#[derive(Default)]
struct Recorder {
    recording: Recording,
    names: Vec<PipelineName>,
}

impl Recorder {
    /// Adds the dispatches that write numbers on the GPU into the table.
    fn gather(&mut self, plan: &Plan, slots: &SlotLayouts, table: usize) -> Result<(), Error> {
        for gather in plan.gathers(slots)? {
            let params = self.push(bytemuck::bytes_of(&gather.params).to_vec());
            let mut bindings =
                vec![self.whole(binding::PARAMS, params), self.whole(binding::gather::TABLE, table)];
            let bound = binding::gather::SLOTS.into_iter().zip(gather.bindings);
            bindings.extend(bound.map(|(binding, (number, range))| Binding {
                binding,
                buffer: BoundBuffer::Slot(number),
                offset: range.offset,
                size: range.size,
            }));
            self.dispatch(gather.pipeline, gather.grid, bindings);
        }
        Ok(())
    }

    /// Adds the dispatches of a window. `block`: the buffer, the offset and the size of its uniform block.
    fn window(&mut self, plan: &Plan, window: &Window, block: (usize, u64, u64), table: Option<usize>) {
        let (buffer, offset, size) = block;
        let block = Binding { binding: binding::PARAMS, buffer: BoundBuffer::Own(buffer), offset, size };
        let dst = if plan.placement == Placement::TwoBuffers { BoundBuffer::Dst } else { BoundBuffer::Src };
        let storage = window.bindings.storage().map(|(binding, side, range)| Binding {
            binding,
            buffer: [BoundBuffer::Src, dst][side],
            offset: range.offset,
            size: range.size,
        });
        let table = table.map(|buffer| self.whole(binding::TABLE, buffer));
        let bindings: Vec<_> = std::iter::once(block).chain(storage).chain(table).collect();
        for dispatch in &window.launch.dispatches {
            if let Some(name) = plan.pipeline(window, dispatch) {
                self.dispatch(name, dispatch.grid, bindings.clone());
            }
        }
    }

    fn push(&mut self, bytes: Vec<u8>) -> usize {
        self.recording.buffers.push(bytes);
        self.recording.buffers.len() - 1
    }

    fn whole(&self, binding: u32, buffer: usize) -> Binding {
        let size = self.recording.buffers[buffer].len() as u64;
        Binding { binding, buffer: BoundBuffer::Own(buffer), offset: 0, size }
    }

    fn dispatch(&mut self, name: PipelineName, grid: [u32; 2], bindings: Vec<Binding>) {
        let shader = self.names.iter().position(|other| *other == name).unwrap_or_else(|| {
            self.names.push(name);
            self.recording.shaders.push(Shader::new(name, 0));
            self.names.len() - 1
        });
        self.recording.shaders[shader].workgroups += u64::from(grid[0]) * u64::from(grid[1]);
        self.recording.dispatches.push(Dispatch { shader, grid, bindings });
    }
}
