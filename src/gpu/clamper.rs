//! The device side: records clamps into a caller's encoders and passes.

use std::fmt;
use std::sync::Arc;

use super::pipeline::{Key, Pipelines};
use super::{adapter, mapped, scope};
use crate::arithmetic::{Block, Request, Slot};
use crate::plan::{self, Range};
use crate::shader::{Constants, EntryPoint, Module, Placement, WORKGROUP_SIZE};
use crate::{Clamp, DType, Error, Limits, Operands, Plan, View};

/// Records clamps on one device.
///
/// Cheap to clone: clones share one cache of compiled pipelines, which holds 48701 at most and
/// nothing else. It never submits, polls or blocks on the GPU, and installs no callback.
///
/// It takes the device as it is. No feature is needed; `SHADER_F64` and `SHADER_INT64` together, on Vulkan, make
/// [`Precision::Fast`](crate::Precision::Fast) of F64 fast.
///
/// ```no_run
/// use wgpu_clamp::{Clamp, Clamper, Layout, View, wgpu};
///
/// # fn f(device: wgpu::Device, queue: wgpu::Queue, input: wgpu::Buffer, output: wgpu::Buffer)
/// # -> Result<(), wgpu_clamp::Error> {
/// let clamper = Clamper::new(&device)?;
/// let layout = Layout::packed(&[1, 3, 224, 224])?;
/// let mut encoder = device.create_command_encoder(&Default::default());
/// let (src, dst) = (View::new(&input, layout), View::new(&output, layout));
/// clamper.encode(&mut encoder, &Clamp::new(0.0_f32, 6.0), (src, dst))?;
/// queue.submit([encoder.finish()]);
/// # Ok(())
/// # }
/// ```
///
/// # What a handle cannot show
///
/// A buffer that was destroyed, is mapped, or belongs to another device looks like any other. On native, what wgpu
/// refuses while objects are made is [`Error::Internal`], with its words. The rest (a buffer mapped or destroyed after
/// that, a lost device; on the web all of it) reaches the caller where wgpu reports it: in an error scope or the
/// device's error handler, at `finish` or `submit`.
#[derive(Clone)]
pub struct Clamper {
    inner: Arc<Inner>,
}

struct Inner {
    device: wgpu::Device,
    limits: Limits,
    pipelines: Pipelines,
}

impl Clamper {
    /// A clamper for `device`, with no pipeline compiled yet.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLimit`] if the device was created with less than what the kernels need. Any device
    /// with `wgpu::Limits::downlevel_defaults()` has enough; no feature is needed. [`Error::OutOfMemory`] or
    /// [`Error::Internal`] if wgpu refuses an object (native only).
    pub fn new(device: &wgpu::Device) -> Result<Self, Error> {
        Self::create(device, None)
    }

    /// As [`new`](Self::new), with a cache of compiled pipelines that the driver keeps from run to run. A pipeline is
    /// compiled ahead by [`prepare`](Self::prepare).
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamper, wgpu};
    /// # fn f(device: &wgpu::Device, cache: wgpu::PipelineCache) -> Result<(), wgpu_clamp::Error> {
    /// // `cache` is from `Device::create_pipeline_cache`, which needs the feature `PIPELINE_CACHE`.
    /// let clamper = Clamper::with_pipeline_cache(device, cache)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_pipeline_cache(device: &wgpu::Device, cache: wgpu::PipelineCache) -> Result<Self, Error> {
        Self::create(device, Some(cache))
    }

    fn create(device: &wgpu::Device, cache: Option<wgpu::PipelineCache>) -> Result<Self, Error> {
        let limits = device.limits();
        let workgroup = WORKGROUP_SIZE.into();
        let block = Block::CAPACITY as u64;
        for (limit_name, needed, limit) in [
            ("max_bind_groups", 1, limits.max_bind_groups.into()),
            ("max_bindings_per_bind_group", 4, limits.max_bindings_per_bind_group.into()),
            // Of `resolve`: two slots and the block it writes.
            ("max_storage_buffers_per_shader_stage", 3, limits.max_storage_buffers_per_shader_stage.into()),
            ("max_uniform_buffers_per_shader_stage", 1, limits.max_uniform_buffers_per_shader_stage.into()),
            ("max_uniform_buffer_binding_size", block, limits.max_uniform_buffer_binding_size),
            ("max_buffer_size", block, limits.max_buffer_size),
            (
                "max_compute_invocations_per_workgroup",
                workgroup,
                limits.max_compute_invocations_per_workgroup.into(),
            ),
            ("max_compute_workgroup_size_x", workgroup, limits.max_compute_workgroup_size_x.into()),
            ("max_compute_workgroup_size_y", 1, limits.max_compute_workgroup_size_y.into()),
            ("max_compute_workgroup_size_z", 1, limits.max_compute_workgroup_size_z.into()),
            ("max_compute_workgroups_per_dimension", 1, limits.max_compute_workgroups_per_dimension.into()),
        ] {
            if limit < needed {
                return Err(Error::DeviceLimit { limit_name, needed, limit });
            }
        }
        let limits = Limits {
            max_binding_size: limits.max_storage_buffer_binding_size,
            binding_alignment: limits.min_storage_buffer_offset_alignment.into(),
            max_workgroups_per_dimension: limits.max_compute_workgroups_per_dimension,
            f64_arithmetic: adapter::has_f64_arithmetic(&device.adapter_info(), device.features()),
        };
        let pipelines = Pipelines::new(device, cache)?;
        log::debug!(
            "clamper on {}: bindings of {} bytes at multiples of {}, {} workgroups per dimension{}",
            adapter::in_words(device.adapter_info()),
            limits.max_binding_size,
            limits.binding_alignment,
            limits.max_workgroups_per_dimension,
            if limits.f64_arithmetic { ", f64 arithmetic" } else { "" },
        );
        Ok(Self { inner: Arc::new(Inner { device: device.clone(), limits, pipelines }) })
    }

    /// The device that this clamper records for.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        &self.inner.device
    }

    /// What the device can bind and dispatch at once.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.inner.limits
    }

    /// How many pipelines this clamper and its clones have compiled so far. Each is compiled when first
    /// needed, then kept.
    #[must_use]
    pub fn compiled_pipelines(&self) -> usize {
        self.inner.pipelines.compiled()
    }

    /// Records one clamp in a compute pass of its own.
    ///
    /// # Errors
    ///
    /// Those of [`prepare`](Self::prepare). After an error nothing was recorded.
    pub fn encode<'a>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        clamp: &Clamp,
        operands: impl Into<Operands<'a>>,
    ) -> Result<(), Error> {
        self.prepare(clamp, operands)?.encode(encoder);
        Ok(())
    }

    /// Records one clamp that replaces each element by its result.
    ///
    /// # Errors
    ///
    /// Those of [`prepare`](Self::prepare). After an error nothing was recorded.
    pub fn encode_in_place(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        clamp: &Clamp,
        view: View<'_>,
    ) -> Result<(), Error> {
        self.encode(encoder, clamp, Operands::in_place(view))
    }

    /// Compiles the pipelines, fills the parameters and binds the buffers of one clamp, once; the result can
    /// be recorded any number of times.
    ///
    /// # Errors
    ///
    /// - [`Error::DTypeMismatch`] if a view is of another dtype than the clamp,
    /// - [`Error::MissingUsage`] if a buffer lacks `STORAGE`,
    /// - [`Error::BufferTooSmall`] if a layout reaches beyond its buffer,
    /// - [`Error::ShapeMismatch`] if `src` and `dst` differ in shape,
    /// - [`Error::OutputOverlap`] or [`Error::OverlapUndecided`] if two indices of `dst` share an element, or
    ///   may,
    /// - [`Error::PartialAlias`] or [`Error::AliasUndecided`] if the views lie in one buffer and share
    ///   elements, or may, without being the same,
    /// - [`Error::MissingSlot`], [`Error::UnexpectedSlot`], [`Error::SlotLength`] or [`Error::SlotInOutput`] if
    ///   the slots do not fit the bounds,
    /// - [`Error::TooManyWindows`] or [`Error::DeviceLimit`] if the device's bindings or grids are too small for the
    ///   tensor, or for any,
    /// - [`Error::OutOfMemory`], [`Error::DeviceLost`] or [`Error::Internal`] if wgpu refuses an object, because the
    ///   device has no memory or is gone, or because a buffer is destroyed or of another device (native only).
    pub fn prepare<'a>(&self, clamp: &Clamp, operands: impl Into<Operands<'a>>) -> Result<Prepared, Error> {
        let operands = operands.into();
        operands.check(clamp)?;
        let placement = if operands.share_a_buffer() { Placement::OneBuffer } else { Placement::TwoBuffers };
        let plan = Plan::with_placement(
            clamp,
            &operands.src.layout,
            &operands.dst.layout,
            placement,
            self.inner.limits,
        )?;
        let on_gpu = operands.min.is_some() || operands.max.is_some();
        log::debug!(
            "prepare {plan}, dispatches: {}",
            plan.dispatches() + if on_gpu { plan.window_count() } else { 0 }
        );
        // One scope for all objects: opening and closing one costs as much as making a small one.
        scope::attempt(&self.inner.device, || self.build(clamp, &operands, &plan))
    }

    /// The objects of a plan, within a scope.
    fn build(&self, clamp: &Clamp, operands: &Operands<'_>, plan: &Plan) -> Result<Prepared, Error> {
        let on_gpu = operands.min.is_some() || operands.max.is_some();
        let mut dispatches = Vec::with_capacity(2 * plan.window_count());
        let mut pipelines = Lookup { inner: &self.inner, found: Vec::new() };
        for window in plan.windows() {
            let block = plan.params(&window);
            let usage = if on_gpu { wgpu::BufferUsages::STORAGE } else { wgpu::BufferUsages::empty() };
            let params = self.uniform(block.as_bytes(), usage)?;
            if on_gpu {
                let bind_group = self.bind_slots(clamp, operands, &block, &params)?;
                let pipeline = pipelines.get(Module::Resolve, EntryPoint::Resolve, Constants::default())?;
                dispatches.push(Recorded { pipeline, bind_group, grid: [1, 1] });
            }
            let module = plan.module(&window);
            let src = part(operands.src.buffer, window.src);
            let dst = part(operands.dst.buffer, window.dst);
            let bind_group = match window.placement {
                Placement::OneBuffer => self.bind(module, &params, &[src]),
                Placement::TwoRanges | Placement::TwoBuffers => self.bind(module, &params, &[src, dst]),
            };
            for dispatch in window.dispatches() {
                let pipeline = pipelines.get(module, dispatch.entry_point, dispatch.constants)?;
                let bind_group = bind_group.clone();
                dispatches.push(Recorded { pipeline, bind_group, grid: dispatch.grid });
            }
        }
        Ok(Prepared { dispatches: dispatches.into() })
    }

    /// For the dispatch that reads bounds on the GPU and writes them into the uniform block `params`.
    fn bind_slots<'a>(
        &self,
        clamp: &Clamp,
        operands: &Operands<'a>,
        block: &Block,
        params: &wgpu::Buffer,
    ) -> Result<wgpu::BindGroup, Error> {
        let slot = |argument, view: Option<View<'a>>| {
            view.map(|view| self.slot(argument, view, clamp.dtype())).transpose()
        };
        let (min, max) = (slot("min", operands.min)?, slot("max", operands.max)?);
        let at = |slot: Option<(_, _, Slot)>| slot.map(|(_, _, slot)| slot);
        let request = Request::new(clamp, at(min), at(max), block.bounds_offset());
        let request = self.uniform(bytemuck::bytes_of(&request), wgpu::BufferUsages::empty())?;
        // A bound that is not on the GPU is not read; its binding takes the other one's slot.
        let slots = min.or(max).zip(max.or(min));
        let storage: Vec<_> = slots
            .into_iter()
            .flat_map(|((a, a_range, _), (b, b_range, _))| [part(a, a_range), part(b, b_range)])
            .chain([params.as_entire_binding()])
            .collect();
        Ok(self.bind(Module::Resolve, &request, &storage))
    }

    /// The buffer, the binding and the place in it of a view of one element.
    fn slot<'a>(
        &self,
        argument: &'static str,
        view: View<'a>,
        dtype: DType,
    ) -> Result<(&'a wgpu::Buffer, Range, Slot), Error> {
        let (address, size) = (view.layout.offset(), dtype.size() as u64);
        let range =
            plan::range((address, address), size, plan::WORD, self.inner.limits).ok_or(Error::TooLarge {
                argument,
                needed: self.inner.limits.binding_alignment + size,
                unit: "bytes in one binding",
                limit_name: "max_storage_buffer_binding_size",
                limit: self.inner.limits.max_binding_size,
            })?;
        Ok((view.buffer, range, Slot::new(address as u64 * size - range.offset)))
    }

    /// A uniform buffer that holds `bytes`, made within a scope.
    fn uniform(&self, bytes: &[u8], usage: wgpu::BufferUsages) -> Result<wgpu::Buffer, Error> {
        let buffer = self.inner.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("wgpu-clamp params"),
            size: bytes.len() as u64,
            usage: usage | wgpu::BufferUsages::UNIFORM,
            mapped_at_creation: true,
        });
        mapped::write(&buffer, bytes)?;
        Ok(buffer)
    }

    /// A uniform block at binding 0, then `storage`; made within a scope.
    fn bind(
        &self,
        module: Module,
        params: &wgpu::Buffer,
        storage: &[wgpu::BindingResource<'_>],
    ) -> wgpu::BindGroup {
        let mut entries = Vec::with_capacity(1 + storage.len());
        entries.push(wgpu::BindGroupEntry { binding: 0, resource: params.as_entire_binding() });
        entries.extend(
            storage
                .iter()
                .zip(1..)
                .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource: resource.clone() }),
        );
        self.inner.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("wgpu-clamp"),
            layout: self.inner.pipelines.bind_group_layout(module),
            entries: &entries,
        })
    }
}

/// The pipelines of one clamp. However many windows take one, it is looked up, and logged, once.
struct Lookup<'a> {
    inner: &'a Inner,
    found: Vec<(Key, wgpu::ComputePipeline)>,
}

impl Lookup<'_> {
    fn get(
        &mut self,
        module: Module,
        entry_point: EntryPoint,
        constants: Constants,
    ) -> Result<wgpu::ComputePipeline, Error> {
        let key = Key { module, entry_point, constants };
        if let Some((_, pipeline)) = self.found.iter().find(|(found, _)| *found == key) {
            return Ok(pipeline.clone());
        }
        let pipeline = self.inner.pipelines.get(&self.inner.device, key)?;
        self.found.push((key, pipeline.clone()));
        Ok(pipeline)
    }
}

fn part(buffer: &wgpu::Buffer, range: Range) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer,
        offset: range.offset,
        size: wgpu::BufferSize::new(range.size),
    })
}

impl fmt::Debug for Clamper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clamper")
            .field("device", &self.inner.device)
            .field("limits", &self.inner.limits)
            .field("compiled_pipelines", &self.compiled_pipelines())
            .finish()
    }
}

/// A clamp on given buffers, ready to be recorded any number of times.
///
/// It owns its bind groups and its parameters, of which no other call's recording changes anything, and keeps the
/// buffers alive. A bound on the GPU is read anew each time a recording runs. Recording
/// allocates nothing here and cannot fail.
///
/// ```no_run
/// # use wgpu_clamp::{Clamp, Clamper, Layout, Operands, View, wgpu};
/// # fn f(clamper: &Clamper, encoder: &mut wgpu::CommandEncoder, buffer: &wgpu::Buffer)
/// # -> Result<(), wgpu_clamp::Error> {
/// let view = View::new(buffer, Layout::packed(&[4096])?);
/// let relu = clamper.prepare(&Clamp::at_least(0.0_f32), Operands::in_place(view))?;
/// let mut pass = encoder.begin_compute_pass(&Default::default());
/// relu.record(&mut pass);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Prepared {
    dispatches: Arc<[Recorded]>,
}

#[derive(Debug)]
struct Recorded {
    pipeline: wgpu::ComputePipeline,
    bind_group: wgpu::BindGroup,
    grid: [u32; 2],
}

impl Prepared {
    /// The number of `dispatch_workgroups` calls that [`record`](Self::record) makes; 0 if there is no
    /// element.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.dispatches.len()
    }

    /// Records the clamp in a compute pass of its own, or nothing if there is no element.
    pub(crate) fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        if !self.dispatches.is_empty() {
            self.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("wgpu-clamp"),
                timestamp_writes: None,
            }));
        }
    }

    /// Records the clamp. It overwrites the pass's pipeline and its bind group 0, and nothing else.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        Self::record_all(pass, [self]);
    }

    /// Records clamps in order, without setting again what the one before has set.
    ///
    /// It overwrites the pass's pipeline and its bind group 0, and nothing else.
    pub fn record_all<'p>(pass: &mut wgpu::ComputePass<'_>, prepared: impl IntoIterator<Item = &'p Self>) {
        let mut last: Option<&Recorded> = None;
        for next in prepared.into_iter().flat_map(|prepared| prepared.dispatches.iter()) {
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
}
