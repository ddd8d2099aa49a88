//! Clamps on a device, recorded into a caller's encoders and passes.

use std::fmt;
use std::sync::Arc;

use super::operands::Moves;
use super::pipeline::Pipelines;
use super::prepared::{Entry, Group, Shared, Source, Unbound};
use super::uniform::UniformBlocks;
use super::{F16Conversions, Operands, Prepared, adapter, mapped, scope, uniform};
use crate::arithmetic::{Parameters, kept_in};
use crate::kernel::{Placement, WORKGROUP_SIZE};
use crate::plan::{Gather, Range, SlotLayouts};
use crate::shader::{MAX_UNIFORM_BLOCK, PipelineName, binding};
use crate::{Clamps, Error, Limits, Plan};

/// Records clamps on one device.
///
/// A clone is cheap and shares the cache of compiled pipelines, which keeps the [256](Self::MAX_PIPELINES) used last. A
/// clamper never submits, polls or waits for the GPU, and installs no callback.
///
/// No feature is needed. On Vulkan, `SHADER_F64` and `SHADER_INT64` together speed up
/// [`Precision::Fast`](crate::Precision::Fast) of F64.
///
/// ```no_run
/// use wgpu_clamp::{Clamp, Clamper, Layout, Operands, View, wgpu};
///
/// # fn f(device: wgpu::Device, queue: wgpu::Queue, input: wgpu::Buffer, output: wgpu::Buffer)
/// # -> Result<(), wgpu_clamp::Error> {
/// let clamper = Clamper::new(&device)?;
/// let layout = Layout::packed(&[1, 3, 224, 224])?;
/// let mut encoder = device.create_command_encoder(&Default::default());
/// let (src, dst) = (View::of::<f32>(&input, layout), View::of::<f32>(&output, layout));
/// clamper.encode(&mut encoder, Clamp::new(0.0_f32, 6.0), Operands::new(src, dst))?;
/// queue.submit([encoder.finish()]);
/// # Ok(())
/// # }
/// ```
///
/// # What a handle cannot show
///
/// The crate cannot see that a buffer is destroyed, mapped or of another device. On native, wgpu's refusal of an object
/// becomes [`Error::Wgpu`] with wgpu's words. Later faults (a buffer mapped or destroyed afterwards, a lost device) and
/// all faults on the web reach the caller where wgpu reports them: in an error scope or the device's error handler, at
/// `finish` or `submit`.
#[derive(Clone)]
pub struct Clamper {
    inner: Arc<Inner>,
    limits: Limits,
    /// The driver's cache, which a program may keep from run to run.
    driver_cache: Option<wgpu::PipelineCache>,
}

struct Inner {
    device: wgpu::Device,
    device_limits: wgpu::Limits,
    pipelines: Pipelines,
}

impl Clamper {
    /// Creates a clamper for `device`. Pipelines are compiled when first needed. On a lost or destroyed device this may
    /// return `Ok`, since it takes no memory: the first [`prepare`](Self::prepare) reports the loss (native only).
    ///
    /// The clamper converts F16 by integer operations. On many GPUs the device's own conversions are faster: a program calls
    /// [`Host::check_f16`](crate::Host::check_f16) once per device, and gives the answer to
    /// [`with_f16_conversions`](Self::with_f16_conversions). [`Host::open`](crate::Host::open) does so.
    ///
    /// # Errors
    ///
    /// [`Error::Limit`] if the device's limits are too small for any of the kernels;
    /// `wgpu::Limits::downlevel_defaults()` suffices. [`prepare`](Self::prepare) checks limits that depend on the
    /// tensor. [`Error::OutOfMemory`] or [`Error::Wgpu`] if wgpu refuses an object (native only).
    pub fn new(device: &wgpu::Device) -> Result<Self, Error> {
        let device_limits = device.limits();
        let limits = &device_limits;
        let workgroup = WORKGROUP_SIZE.into();
        let block = MAX_UNIFORM_BLOCK as u64;
        for (limit_name, needed, limit) in [
            ("max_bind_groups", 1, limits.max_bind_groups.into()),
            ("max_bindings_per_bind_group", 5, limits.max_bindings_per_bind_group.into()),
            // `gather` binds three slots and the table.
            ("max_storage_buffers_per_shader_stage", 4, limits.max_storage_buffers_per_shader_stage.into()),
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
                return Err(Error::device_limit(limit_name, needed, limit));
            }
        }
        let limits = Limits {
            max_binding_size: limits.max_storage_buffer_binding_size,
            binding_alignment: limits.min_storage_buffer_offset_alignment.into(),
            max_workgroups_per_dimension: limits.max_compute_workgroups_per_dimension,
            max_workgroup_memory: limits.max_compute_workgroup_storage_size,
            f64_arithmetic: adapter::has_f64_arithmetic(&device.adapter_info(), device.features()),
            f16_conversions: false,
            cpu: adapter::is_cpu(&device.adapter_info()),
        };
        let pipelines = Pipelines::new(device)?;
        log::debug!(
            "clamper on {}: bindings of {} bytes at multiples of {}, {} workgroups per dimension{}; \
             keeps up to {} pipelines",
            adapter::described(device.adapter_info()),
            limits.max_binding_size,
            limits.binding_alignment,
            limits.max_workgroups_per_dimension,
            if limits.f64_arithmetic { ", f64 arithmetic" } else { "" },
            Pipelines::CAPACITY,
        );
        let device = device.clone();
        Ok(Self { inner: Arc::new(Inner { device, device_limits, pipelines }), limits, driver_cache: None })
    }

    /// The optional features of `adapter` that speed up the shaders, to request when a device is created: on Vulkan
    /// `SHADER_F64` with `SHADER_INT64`, for [`Precision::Fast`](crate::Precision::Fast) of F64. No feature is needed.
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamper, wgpu};
    /// # async fn f(adapter: &wgpu::Adapter) -> Result<(), Box<dyn std::error::Error>> {
    /// let required_features = Clamper::optional_features(adapter);
    /// let descriptor = wgpu::DeviceDescriptor { required_features, ..Default::default() };
    /// let (device, queue) = adapter.request_device(&descriptor).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn optional_features(adapter: &wgpu::Adapter) -> wgpu::Features {
        adapter::shader_features(&adapter.get_info(), adapter.features())
    }

    /// The device that this clamper records for.
    #[must_use]
    pub fn device(&self) -> &wgpu::Device {
        &self.inner.device
    }

    /// The device's limits on bindings and dispatches, and its arithmetic.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// This clamper with plans for a CPU's driver, or for a GPU, whatever the device's type is: see
    /// [`Limits::cpu`]. Results stay the same, speed does not.
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamper, wgpu};
    /// # fn f(device: &wgpu::Device) -> Result<(), wgpu_clamp::Error> {
    /// let clamper = Clamper::new(device)?.with_cpu(false);
    /// assert!(!clamper.limits().cpu);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_cpu(mut self, cpu: bool) -> Self {
        self.limits.cpu = cpu;
        self
    }

    /// This clamper with F16 converted by the device's own instructions if they are [`Right`](F16Conversions::Right), else
    /// by integer operations, as a new clamper does. Results stay the same; on many GPUs F16 becomes as fast as F32.
    /// Clones made before, and what they [prepared](Self::prepare), stay as they are.
    ///
    /// `found` must be the answer of [`Host::check_f16`](crate::Host::check_f16) on this device: with instructions that are
    /// wrong, results are wrong.
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamper, F16Conversions, Host, wgpu};
    /// # async fn f(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<(), wgpu_clamp::Error> {
    /// let clamper = Clamper::new(device)?;
    /// let found = Host::new(&clamper, queue).check_f16().await?;
    /// let clamper = clamper.with_f16_conversions(found);
    /// assert_eq!(clamper.limits().f16_conversions, found == F16Conversions::Right);
    ///
    /// let by_integers = clamper.clone().with_f16_conversions(F16Conversions::NotRun);
    /// assert!(!by_integers.limits().f16_conversions);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_f16_conversions(mut self, found: F16Conversions) -> Self {
        self.limits.f16_conversions = found == F16Conversions::Right;
        self
    }

    /// This clamper with a driver's cache of compiled pipelines, which a program keeps from run to run. It serves the pipelines
    /// that this clamper compiles from now on; [`compile`](Self::compile) does so before the first frame.
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamper, wgpu};
    /// # fn f(device: &wgpu::Device, cache: wgpu::PipelineCache) -> Result<(), wgpu_clamp::Error> {
    /// // `cache` is from `Device::create_pipeline_cache`, which needs the feature `PIPELINE_CACHE`.
    /// let clamper = Clamper::new(device)?.with_pipeline_cache(cache);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_pipeline_cache(mut self, cache: wgpu::PipelineCache) -> Self {
        self.driver_cache = Some(cache);
        self
    }

    /// The most pipelines that a clamper and its clones keep. A further one replaces the least recently used one, which
    /// is compiled again when needed. A [`Prepared`] keeps its own pipelines.
    pub const MAX_PIPELINES: usize = Pipelines::CAPACITY;

    /// The number of pipelines that this clamper and its clones keep, at most [`MAX_PIPELINES`](Self::MAX_PIPELINES).
    #[must_use]
    pub fn compiled_pipelines(&self) -> usize {
        self.inner.pipelines.kept()
    }

    /// Records one clamp in a new compute pass, or nothing if there is no element. `clamps` is a `Clamp`, a `&Clamp`, or
    /// [`Clamps`] for channels.
    ///
    /// # Errors
    ///
    /// Those of [`prepare`](Self::prepare). After an error nothing was recorded.
    pub fn encode<'c>(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        clamps: impl Into<Clamps<'c>>,
        operands: Operands<'_>,
    ) -> Result<(), Error> {
        self.prepare(clamps, operands)?.encode(encoder);
        Ok(())
    }

    /// Compiles the pipelines of a plan that are not [kept](Self::compiled_pipelines) yet, so that the first
    /// [`prepare`](Self::prepare) or [`encode`](Self::encode) of such a call compiles nothing. It takes no buffers: call it
    /// while the program loads, on any thread. A clamper's clones share pipelines.
    ///
    /// Plan the clamps of the calls, or clamps like them. Pipelines depend on the dtypes, the rules, the layouts and the
    /// affine step. Between integers the scale and the bias choose the step; floats have other pipelines where a bound
    /// excludes zero, and where a scale is not positive. Channels that differ have other pipelines than equal ones, a step
    /// of scale 1 and bias 0 other ones than any other. Other numbers, and other buffers, share them. The plan must be made
    /// with [`limits`](Self::limits) of this clamper, and by [`Plan::in_one_buffer`] if src and dst lie in one buffer. For
    /// [`Clamps::slots_along`] with slots of one element, plan the clamp alone.
    ///
    /// A driver may defer a part of the compilation to the first dispatch; Mesa's lavapipe defers 40 to 240 ms of each
    /// pipeline. Only a submission removes that part: of the same clamp on buffers of the program's own. A cache of the
    /// driver's, from [`with_pipeline_cache`](Self::with_pipeline_cache), shortens both parts from the second run on.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the plan was made with other limits; [`Error::OutOfMemory`],
    /// [`Error::DeviceLost`] or [`Error::Wgpu`] if wgpu refuses a pipeline (native only).
    ///
    /// ```no_run
    /// use wgpu_clamp::{Clamp, Clamper, Error, Layout, Plan};
    ///
    /// /// While the program loads: compiles for frames of f32, on another thread.
    /// fn load(clamper: &Clamper) -> std::thread::JoinHandle<Result<(), Error>> {
    ///     let clamper = clamper.clone();
    ///     std::thread::spawn(move || {
    ///         let frame = Layout::packed(&[3, 480, 640])?;
    ///         // Other bounds around zero share the pipeline.
    ///         clamper.compile(&Plan::new(Clamp::new(0.0_f32, 1.0), &frame, &frame, clamper.limits())?)
    ///     })
    /// }
    /// ```
    pub fn compile(&self, plan: &Plan) -> Result<(), Error> {
        if let Some(limits) = plan.limits().filter(|limits| *limits != self.limits) {
            let value = format!("it was made with {limits:?}, but the clamper has {:?}", self.limits);
            return Err(Error::argument("plan", value, "give `Clamper::limits` to the plan"));
        }
        let compile = |name| self.pipeline(name).map(drop);
        plan.pipelines().into_iter().try_for_each(compile)
    }

    fn pipeline(&self, name: PipelineName) -> Result<wgpu::ComputePipeline, Error> {
        self.inner.pipelines.get(&self.inner.device, name, self.driver_cache.as_ref())
    }

    /// Compiles the pipelines, writes the parameters and binds the buffers of one clamp. The result can be recorded any
    /// number of times, and [rebound](Prepared::rebind) to other buffers. `clamps` is a `Clamp`, a `&Clamp`,
    /// or [`Clamps`] for channels.
    ///
    /// [`compile`](Self::compile) compiles the pipelines ahead.
    ///
    /// # Errors
    ///
    /// - [`Error::DType`] if a view's dtype is not the clamp's dtype on that side, or if a slot's dtype is not the
    ///   number's dtype,
    /// - [`Error::Argument`] if `src` and `dst` differ in shape, if the channels' clamps do not fit the shape or each
    ///   other, or if the slots do not fit the numbers of the clamp,
    /// - [`Error::Buffer`] if a buffer lacks `STORAGE`, or ends before the last element of a view,
    /// - [`Error::Overlap`] if two indices of `dst` share an element, if two different views share bytes of one buffer,
    ///   if src and dst are one view but their elements differ in size, if a slot lies in the output, or if the search
    ///   for a shared byte ends without an answer,
    /// - [`Error::Limit`] if the device's bindings or grids are too small for the tensor, for the channels' clamps, or
    ///   for any clamp at all,
    /// - [`Error::OutOfMemory`], [`Error::DeviceLost`] or [`Error::Wgpu`] if wgpu refuses an object, because the device
    ///   has no memory or is gone, or because a buffer is destroyed or of another device (native only).
    pub fn prepare<'c>(
        &self,
        clamps: impl Into<Clamps<'c>>,
        operands: Operands<'_>,
    ) -> Result<Prepared, Error> {
        let clamps = clamps.into();
        clamps.check(operands.dst.layout().shape()).or_else(|error| {
            // If the shapes differ, the plan reports that fault instead.
            let same = operands.src.layout().shape() == operands.dst.layout().shape();
            if same { Err(error) } else { Ok(()) }
        })?;
        operands.check(clamps)?;
        let clamps = operands.without_slot_axis(clamps);
        let placement = Placement::of(operands.share_a_buffer());
        let limits = self.limits();
        let (src, dst) = (operands.src.layout(), operands.dst.layout());
        let mut numbers = Vec::new();
        let found = kept_in(&mut numbers);
        let plan = Plan::checked(clamps, &src, &dst, placement, limits, found)?;
        plan.check_table(clamps, "max_buffer_size", self.inner.device_limits.max_buffer_size)?;
        let slots = operands.slot_layouts();
        // Counting the dispatches computes every window, so it happens only if the message is logged.
        let dispatches = || match plan.dispatches() {
            dispatches @ 1.. if slots.is_some() => format!("{dispatches}, after those that read the slots"),
            dispatches => dispatches.to_string(),
        };
        log::debug!("prepare {clamps}; {}; {plan}; dispatches: {}", operands.described(), dispatches());
        let Some(parameters) = plan.parameters(clamps, &numbers) else {
            return Ok(self.bound(&operands, Vec::new(), Vec::new()));
        };
        // One error scope for all objects: a scope costs as much as a small object.
        scope::attempt(&self.inner.device, || self.build(&operands, &plan, &parameters, slots.as_ref()))
            .map_err(|error| operands.name_refused(error, &self.inner.device))
    }

    /// Creates the objects of a plan. Call it within an error scope.
    fn build(
        &self,
        operands: &Operands<'_>,
        plan: &Plan,
        parameters: &Parameters,
        slots: Option<&SlotLayouts>,
    ) -> Result<Prepared, Error> {
        let Inner { device, device_limits, .. } = &*self.inner;
        let windows: Vec<_> = plan.windows().collect();
        let mut building = Building {
            clamper: self,
            groups: Vec::with_capacity(windows.len() + 1),
            dispatches: Vec::with_capacity(2 * windows.len()),
            pipelines: Vec::new(),
        };
        let create = |bytes| mapped::create(device, "wgpu-clamp table", wgpu::BufferUsages::STORAGE, bytes);
        let table = parameters.table().map(create).transpose()?;
        if let (Some(table), Some(slots)) = (&table, slots) {
            for gather in plan.gathers(slots)? {
                building.gather(&gather, table)?;
            }
        }
        let in_block = parameters.in_block();
        let per_buffer = uniform::per_buffer(device_limits, in_block.len());
        for windows in windows.chunks(per_buffer) {
            let first = (in_block.len(), &windows[0].launch.geometry);
            let mut blocks = UniformBlocks::new(device, device_limits, windows.len(), first)?;
            for (n, window) in windows.iter().enumerate() {
                blocks.write(n, in_block, &window.launch.geometry);
                let placement = window.bindings.placement;
                let layout = self.inner.pipelines.bind_group_layout(placement, table.is_some());
                let mut entries = Vec::with_capacity(4);
                entries.push(own(binding::PARAMS, &blocks.buffer, blocks.range(n)));
                let storage = window.bindings.storage();
                entries.extend(storage.map(|(binding, side, range)| {
                    // Sides are indices of operands: src, dst.
                    Entry { binding, source: Source::Operand(side), range }
                }));
                entries.extend(table.as_ref().map(|buffer| whole(binding::TABLE, buffer)));
                building.groups.push(Group { layout: layout.clone(), entries });
                for dispatch in &window.launch.dispatches {
                    if let Some(name) = plan.pipeline(window, dispatch) {
                        building.push(name, dispatch.grid)?;
                    }
                }
            }
            blocks.unmap();
        }
        let Building { groups, dispatches, .. } = building;
        Ok(self.bound(operands, groups, dispatches))
    }

    /// Binds the operands. Call it within an error scope.
    fn bound(&self, operands: &Operands<'_>, groups: Vec<Group>, dispatches: Vec<Unbound>) -> Prepared {
        let (device, places) = (self.inner.device.clone(), operands.places(self.limits().binding_start()));
        let shared = Shared { device, places, groups, dispatches };
        let label = operands.label().map(Into::into);
        Prepared::new(Arc::new(shared), operands, &Moves::default(), label)
    }
}

/// The bind groups and dispatches of a clamp, while they are made.
struct Building<'a> {
    clamper: &'a Clamper,
    groups: Vec<Group>,
    dispatches: Vec<Unbound>,
    /// The pipelines so far. Each is looked up and logged once, however many windows use it.
    pipelines: Vec<(PipelineName, wgpu::ComputePipeline)>,
}

impl Building<'_> {
    /// Adds a dispatch with the last of the groups.
    fn push(&mut self, name: PipelineName, grid: [u32; 2]) -> Result<(), Error> {
        let found = self.pipelines.iter().find(|(found, _)| *found == name);
        let pipeline = if let Some((_, pipeline)) = found {
            pipeline.clone()
        } else {
            let pipeline = self.clamper.pipeline(name)?;
            self.pipelines.push((name, pipeline.clone()));
            pipeline
        };
        self.dispatches.push(Unbound { pipeline, group: self.groups.len() - 1, grid });
        Ok(())
    }

    /// Adds a dispatch that writes numbers on the GPU into the table.
    fn gather(&mut self, gather: &Gather, table: &wgpu::Buffer) -> Result<(), Error> {
        let (usage, bytes) = (wgpu::BufferUsages::UNIFORM, bytemuck::bytes_of(&gather.params));
        let params = mapped::create(self.clamper.device(), "wgpu-clamp gather params", usage, bytes)?;
        let mut entries = vec![whole(binding::PARAMS, &params), whole(binding::gather::TABLE, table)];
        let slots = binding::gather::SLOTS.into_iter().zip(gather.bindings);
        entries.extend(slots.map(|(binding, (number, range))| {
            // Slots follow src and dst.
            Entry { binding, source: Source::Operand(2 + number), range }
        }));
        self.groups.push(Group { layout: self.clamper.inner.pipelines.gather_layout().clone(), entries });
        self.push(gather.pipeline, gather.grid)
    }
}

/// The entry of a range of one of the crate's buffers.
fn own(binding: u32, buffer: &wgpu::Buffer, range: Range) -> Entry {
    Entry { binding, source: Source::Own(buffer.clone()), range }
}

fn whole(binding: u32, buffer: &wgpu::Buffer) -> Entry {
    own(binding, buffer, Range { offset: 0, size: buffer.size() })
}

impl fmt::Debug for Clamper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clamper")
            .field("adapter", &adapter::described(self.device().adapter_info()))
            .field("limits", &self.limits())
            .field("compiled_pipelines", &self.compiled_pipelines())
            .finish()
    }
}
