//! Clamps with their pipelines, parameters and bind groups, ready to be recorded.

use std::array;
use std::fmt;
use std::sync::Arc;

use super::operands::{Moves, Places, bound};
use super::{Operands, scope};
use crate::Error;
use crate::plan::Range;

/// A clamp on given buffers, ready to be recorded any number of times.
///
/// It owns its bind groups, shares its parameters with those [rebound](Self::rebind) from it, and keeps the buffers alive.
/// No other call changes what it computes. A number on the GPU is read anew each time a recording runs. Recording allocates
/// nothing in this crate and cannot fail.
///
/// ```no_run
/// # use wgpu_clamp::{Clamp, Clamper, Layout, Operands, View, wgpu};
/// # fn f(clamper: &Clamper, encoder: &mut wgpu::CommandEncoder, buffer: &wgpu::Buffer)
/// # -> Result<(), wgpu_clamp::Error> {
/// let view = View::of::<f32>(buffer, Layout::packed(&[4096])?);
/// let relu = clamper.prepare(Clamp::at_least(0.0_f32), Operands::in_place(view))?;
/// let mut pass = encoder.begin_compute_pass(&Default::default());
/// relu.record(&mut pass);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Prepared {
    /// What recording reads, in one piece of memory.
    dispatches: Arc<[Recorded]>,
    label: Option<Arc<str>>,
    shared: Arc<Shared>,
}

/// What does not depend on the buffers of the program.
pub(super) struct Shared {
    pub(super) device: wgpu::Device,
    pub(super) places: Places,
    pub(super) groups: Vec<Group>,
    pub(super) dispatches: Vec<Unbound>,
}

/// The layout and the resources of a bind group.
pub(super) struct Group {
    pub(super) layout: wgpu::BindGroupLayout,
    /// One to [`MAX_ENTRIES`].
    pub(super) entries: Vec<Entry>,
}

/// The label of calls without one.
const LABEL: &str = "wgpu-clamp";

/// The most entries of a bind group: those of the shader `gather`.
const MAX_ENTRIES: usize = 5;

pub(super) struct Entry {
    pub(super) binding: u32,
    pub(super) source: Source,
    pub(super) range: Range,
}

/// The buffer of an entry.
pub(super) enum Source {
    /// One of the crate's buffers: parameters.
    Own(wgpu::Buffer),
    /// An operand, by its index in [`Operands::buffer`].
    Operand(usize),
}

/// A dispatch that is not bound yet. Dispatches of one group follow each other.
pub(super) struct Unbound {
    pub(super) pipeline: wgpu::ComputePipeline,
    /// The index of its group.
    pub(super) group: usize,
    pub(super) grid: [u32; 2],
}

struct Recorded {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    grid: [u32; 2],
}

impl Group {
    /// Creates the bind group. Call it within an error scope.
    fn bind(
        &self,
        device: &wgpu::Device,
        operands: &Operands<'_>,
        moves: &Moves,
        label: &str,
    ) -> wgpu::BindGroup {
        let count = self.entries.len();
        let entries: [_; MAX_ENTRIES] = array::from_fn(|n| {
            let Entry { binding, source, range } = &self.entries[n.min(count - 1)];
            let (buffer, by) = match source {
                Source::Own(buffer) => (buffer, 0),
                Source::Operand(index) => (operands.buffer(*index), moves[*index]),
            };
            // A binding begins at the last multiple of the moves' step that is not behind its lowest byte. So does the moved one.
            let range = Range { offset: range.offset.wrapping_add_signed(by), ..*range };
            wgpu::BindGroupEntry { binding: *binding, resource: bound(buffer, range) }
        });
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(label),
            layout: &self.layout,
            entries: &entries[..count],
        })
    }
}

impl Prepared {
    /// Binds the operands, which are moved from the places of `shared`. Call it within an error scope.
    pub(super) fn new(
        shared: Arc<Shared>,
        operands: &Operands<'_>,
        moves: &Moves,
        label: Option<Arc<str>>,
    ) -> Self {
        let name = label.as_deref().unwrap_or(LABEL);
        let mut last: Option<(usize, wgpu::BindGroup)> = None;
        let bind = |Unbound { pipeline, group, grid }: &Unbound| {
            let bind_group = match &last {
                Some((bound, bind_group)) if bound == group => bind_group.clone(),
                _ => shared.groups[*group].bind(&shared.device, operands, moves, name),
            };
            last = Some((*group, bind_group.clone()));
            Recorded { pipeline: pipeline.clone(), bind_group, grid: *grid }
        };
        let dispatches = shared.dispatches.iter().map(bind).collect();
        Self { dispatches, label, shared }
    }

    /// The same clamp on other buffers: for a swap chain, a pool, or buffers that change places. It shares pipelines and
    /// parameters with `self`, which stays as it is, and creates only bind groups.
    ///
    /// Dtypes and layouts of all views must be those of the operands that were prepared, slots included. A view's offset may
    /// differ by a multiple of the alignment of bindings in bytes, the greater one of 16 and the device's
    /// `min_storage_buffer_offset_alignment`: so a part of a large buffer may stand for another part. A view without
    /// elements may lie anywhere. `src` and `dst` lie in one
    /// buffer exactly if they did before, and are then moved alike. Without a label, that of `self` stays.
    ///
    /// # Errors
    ///
    /// - [`Error::Argument`] if a layout differs from the prepared one in more than such an offset, if a slot is missing or
    ///   new, or if the operands lie in one buffer instead of two, in two instead of one, or in one and are not moved alike,
    /// - [`Error::DType`] if a dtype differs from the prepared one,
    /// - [`Error::Buffer`] if a buffer lacks `STORAGE`, or ends before the last element of a view,
    /// - [`Error::Overlap`] if a slot lies in the output, or if that could not be decided,
    /// - [`Error::OutOfMemory`], [`Error::DeviceLost`] or [`Error::Wgpu`] if wgpu refuses an object, as for
    ///   [`Clamper::prepare`](crate::Clamper::prepare).
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Error, Layout, Operands, Prepared, View, wgpu};
    /// /// Once per frame: `relu` was prepared from a buffer of this layout to another.
    /// fn frame(relu: &Prepared, pass: &mut wgpu::ComputePass<'_>, buffers: [&wgpu::Buffer; 2]) -> Result<(), Error> {
    ///     let layout = Layout::packed(&[4096])?;
    ///     let [src, dst] = buffers.map(|buffer| View::of::<f32>(buffer, layout));
    ///     relu.rebind(Operands::new(src, dst))?.record(pass);
    ///     Ok(())
    /// }
    /// ```
    pub fn rebind(&self, operands: Operands<'_>) -> Result<Self, Error> {
        let Shared { device, places, .. } = &*self.shared;
        let moves = operands.moves_from(places)?;
        let label = operands.label().map_or_else(|| self.label.clone(), |label| Some(label.into()));
        scope::catch(device, || Self::new(Arc::clone(&self.shared), &operands, &moves, label))
            .map_err(|error| operands.name_refused(error, device))
    }

    /// The number of `dispatch_workgroups` calls of [`record`](Self::record); 0 if there is no element.
    /// [`Plan::dispatches`](crate::Plan::dispatches) leaves out the dispatches that read numbers on the GPU. Usually one
    /// dispatch reads them; a few do if all four numbers are on the GPU, or where the elements of a slot span more than a binding.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.dispatches.len()
    }

    /// Records the clamp, with a [label](Operands::with_label) within a debug group. Overwrites the pass's pipeline and bind
    /// group 0, and nothing else.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        if let Some(label) = &self.label {
            pass.push_debug_group(label);
        }
        self.dispatch(pass);
        if self.label.is_some() {
            pass.pop_debug_group();
        }
    }

    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        let mut last: Option<&Recorded> = None;
        for next in self.dispatches.iter() {
            if last.is_none_or(|last| last.pipeline != next.pipeline) {
                pass.set_pipeline(&next.pipeline);
            }
            if last.is_none_or(|last| last.bind_group != next.bind_group) {
                pass.set_bind_group(0, &next.bind_group, &[]);
            }
            pass.dispatch_workgroups(next.grid[0], next.grid[1], 1);
            last = Some(next);
        }
    }

    /// Records the clamp in a new compute pass, or nothing if there is no element.
    pub(crate) fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        if self.dispatches() > 0 {
            self.dispatch(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some(self.label.as_deref().unwrap_or(LABEL)),
                timestamp_writes: None,
            }));
        }
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("operands", &self.shared.places)
            .field("dispatches", &self.dispatches())
            .finish_non_exhaustive()
    }
}
