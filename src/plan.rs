//! Plans: the dispatches of a clamp on given layouts, computed without a GPU.
//!
//! [`Clamper`](crate::Clamper) makes a [`Plan`] per call. Other programs make one to [compile](crate::Clamper::compile)
//! ahead, to see which kernels take what, or to execute it elsewhere: [`Plan::recording`] is all of it as plain data, for
//! other implementations of WebGPU, debuggers and tools.
//!
//! The types keep to semantic versioning. What they hold may change in any release: texts of shaders, kernels, the number of
//! dispatches, and the contents of the crate's own buffers.

// Four steps: validate, collapse, assign kernels, cut into windows. Pure functions.

mod bindings;
mod gather;
mod recording;
mod strategy;
mod window;

use std::fmt;

use crate::arithmetic::{ParameterPlace, Parameters, StepNumbers};
use crate::error::in_bytes;
use crate::kernel::{self, Placement, Region, Task};
use crate::layout::overlap::{Overlap, overlaps_itself, views_overlap};
use crate::shader::{Module, ModuleName, PipelineName};
use crate::{Clamp, Clamps, DType, Error, Layout, Limits};

pub use crate::shader::Shader;
pub(crate) use bindings::Range;
pub(crate) use gather::{Gather, SlotLayouts};
pub use recording::{Binding, BoundBuffer, Dispatch, Recording};
use strategy::Strategy;
pub(crate) use window::{UniformLayout, Window};

/// The dispatches of one clamp on given layouts, computed without a GPU.
///
/// [`Clamper`](crate::Clamper) makes a plan per call. A program makes a plan to inspect it, or to execute its
/// [recording](Self::recording) elsewhere:
/// [`Display`](fmt::Display) tells which kernel takes which elements, [`Debug`](fmt::Debug) adds the collapsed
/// dimensions.
///
/// A plan knows layouts and [`Limits`], but neither buffers nor slots nor a device's other limits. So
/// [`Clamper::prepare`](crate::Clamper::prepare) may refuse what a plan takes: operands that do not suit the clamp; a
/// table of channels beyond the device's `max_buffer_size`; on a device below `wgpu::Limits::downlevel_defaults()`, a
/// uniform block or a slot that no binding holds. And it may take what a plan refuses: if each slot has one element, it
/// plans [`Clamps::slots_along`] as the clamp alone, without channels.
///
/// ```
/// use wgpu_clamp::{Clamp, Layout, Limits, Plan};
///
/// let relu = Clamp::at_least(0.0_f32);
/// let image = Layout::packed(&[3, 480, 640])?;
/// let plan = Plan::new(&relu, &image, &image, Limits::default())?;
/// assert_eq!(plan.dispatches(), 1);
/// assert_eq!(
///     plan.to_string(),
///     "f32, no affine step, two buffers, windows: 1, stream kernel for 921600 elements \
///      (4 (1 to 1), by packets)"
/// );
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone)]
pub struct Plan {
    /// The clamp, or channel 0's. `None` without channels, when there is nothing to do.
    clamp: Option<Clamp>,
    task: Option<Task>,
    placement: Placement,
    strategy: Strategy,
}

impl Plan {
    /// Plans a clamp, or one clamp per channel, from one buffer to another. For [`Clamps::slots_along`], the plan assumes
    /// a slot with an element per index; if each slot has one element, plan the clamp alone.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the shapes differ, if the channels' clamps do not fit, or if no buffer could hold a
    /// layout; [`Error::Overlap`] if two indices of `dst` share an element, or if that could not be decided;
    /// [`Error::Limit`] if `limits` are too small for this tensor, for the channels' table or for any tensor.
    pub fn new<'c>(
        clamps: impl Into<Clamps<'c>>,
        src: &Layout,
        dst: &Layout,
        limits: Limits,
    ) -> Result<Self, Error> {
        Self::checked(clamps.into(), src, dst, Placement::TwoBuffers, limits, |_, _| {})
    }

    /// Plans a clamp within one buffer. The layouts must be the same (in place) or share no byte.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new), and [`Error::Overlap`] if the layouts share a byte, or if that could not be
    /// decided. Equal layouts may share bytes if the elements of both sides have the same size.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, Error, Layout, Limits, Plan};
    /// let line = Layout::packed(&[8])?;
    /// let (front, back) = (line.slice(0, 0..5)?, line.slice(0, 3..8)?);
    /// let plan = Plan::in_one_buffer(&Clamp::new(0_u8, 9), &front, &back, Limits::default());
    /// assert!(matches!(plan, Err(Error::Overlap(_))));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn in_one_buffer<'c>(
        clamps: impl Into<Clamps<'c>>,
        src: &Layout,
        dst: &Layout,
        limits: Limits,
    ) -> Result<Self, Error> {
        Self::checked(clamps.into(), src, dst, Placement::OneBuffer, limits, |_, _| {})
    }

    /// As [`new`](Self::new) and [`in_one_buffer`](Self::in_one_buffer). `found` gets the numbers of the clamps' affine steps
    /// that a search finds, for [`parameters`](Self::parameters).
    pub(crate) fn checked(
        clamps: Clamps<'_>,
        src: &Layout,
        dst: &Layout,
        placement: Placement,
        limits: Limits,
        found: impl FnMut(usize, StepNumbers),
    ) -> Result<Self, Error> {
        if src.shape() != dst.shape() {
            return Err(Error::shapes(src.shape(), dst.shape()));
        }
        clamps.check(dst.shape())?;
        let clamps = clamps.simplified(dst.shape());
        let all = clamps.as_slice();
        let mut plan =
            Self { clamp: all.first().copied(), task: None, placement, strategy: Strategy::default() };
        let Some(task) = Task::of(all, clamps.channels(dst.shape()), placement, limits, found) else {
            return Ok(plan);
        };
        let dtypes = [task.arithmetic.source, task.arithmetic.dtype];
        validate((src, dst), dtypes, placement)?;
        if !dst.is_empty() {
            plan.strategy = Strategy::new(&task, &Region::collapsed(src, dst, clamps.axis()))?;
        }
        plan.task = Some(task);
        plan.check_table(clamps, "max_storage_buffer_binding_size", limits.binding_size())?;
        Ok(plan)
    }

    /// The plans among which [`new`](Self::new) chooses: one for each kernel that could take the tensor and fits the limits,
    /// the chosen one first. For the benchmarks of this repository, without a promise.
    #[doc(hidden)]
    pub fn candidates<'c>(
        clamps: impl Into<Clamps<'c>>,
        src: &Layout,
        dst: &Layout,
        limits: Limits,
    ) -> Result<Vec<Self>, Error> {
        let clamps = clamps.into();
        let plan = Self::new(clamps, src, dst, limits)?;
        let Some(task) = plan.task.filter(|_| !dst.is_empty()) else { return Ok(vec![plan]) };
        let region = Region::collapsed(src, dst, clamps.simplified(dst.shape()).axis());
        let all = Strategy::all(&task, &region).into_iter();
        Ok(all.map(|strategy| Self { strategy, ..plan }).collect())
    }

    /// Checks that the table (the storage buffer of channels' parameters, if any) is within a limit of the device.
    /// `clamps`: those of the plan.
    pub(crate) fn check_table(
        &self,
        clamps: Clamps<'_>,
        limit_name: &'static str,
        limit: u64,
    ) -> Result<(), Error> {
        let (needed, channels) = (self.table_bytes(), self.task.map_or(1, |task| task.channels as u64));
        if needed <= limit {
            return Ok(());
        }
        let argument = if clamps.has_slots_along() { "axis" } else { "clamps" };
        let remedy = format!(
            "each of the {channels} channels takes {} bytes of a table: split the tensor along their axis, or create \
             the device with its adapter's limits",
            needed / channels
        );
        Err(Error::Limit { argument, needed, limit_name, limit, remedy })
    }

    /// The number of `dispatch_workgroups` calls; 0 if there is no element.
    /// [`Prepared::dispatches`](crate::Prepared::dispatches) also counts the dispatches that read numbers on the GPU.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.windows().map(|window| window.launch.dispatches.len()).sum()
    }

    /// The shaders of the dispatches, each once, except the shader that reads numbers on the GPU.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, Layout, Limits, Plan};
    /// let line = Layout::packed(&[1 << 20])?;
    /// let plan = Plan::new(&Clamp::new(0_u8, 200), &line, &line, Limits::default())?;
    /// let [shader] = &plan.shaders()[..] else { unreachable!("it begins and ends with a packet") };
    /// assert_eq!((shader.entry_point, shader.workgroups), ("stream", 256));
    /// assert!(shader.wgsl.contains("fn stream("));
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[must_use]
    pub fn shaders(&self) -> Vec<Shader> {
        self.workgroups().into_iter().map(|(name, workgroups)| Shader::new(name, workgroups)).collect()
    }

    /// The pipelines of the dispatches, each once, with the one that reads numbers on the GPU.
    pub(crate) fn pipelines(&self) -> Vec<PipelineName> {
        let on_gpu = self.clamp.is_some_and(|clamp| clamp.number_on_gpu().is_some());
        let gather = on_gpu.then(PipelineName::gather);
        gather.into_iter().chain(self.workgroups().into_iter().map(|(name, _)| name)).collect()
    }

    /// The pipelines of the clamp's own dispatches, each once, with the workgroups of all its dispatches.
    fn workgroups(&self) -> Vec<(PipelineName, u64)> {
        let mut workgroups: Vec<(PipelineName, u64)> = Vec::new();
        for window in self.windows() {
            for dispatch in &window.launch.dispatches {
                let Some(name) = self.pipeline(&window, dispatch) else { continue };
                let [x, y] = dispatch.grid.map(u64::from);
                match workgroups.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, total)) => *total += x * y,
                    None => workgroups.push((name, x * y)),
                }
            }
        }
        workgroups
    }

    /// The limits that the plan was made with; `None` if there is no channel.
    pub(crate) fn limits(&self) -> Option<Limits> {
        self.task.map(|task| task.limits)
    }

    /// Dtypes, affine step, rounding, parameter place and kernels in words: a key of the self-test's results.
    pub(crate) fn specialization(&self) -> String {
        let Some(task) = &self.task else { return "no channel".to_owned() };
        let mut kernels: Vec<_> = self.strategy.assignments().map(|part| part.kernel.to_string()).collect();
        kernels.sort_unstable();
        kernels.dedup();
        format!("{}, {}{}", task.arithmetic, task.place, kernels.join(" + "))
    }

    /// The parameters of the plan's clamps, the same for all windows; `None` if there is nothing to do. `numbers`: those of
    /// the clamps' affine steps.
    pub(crate) fn parameters(&self, clamps: Clamps<'_>, numbers: &[StepNumbers]) -> Option<Parameters> {
        let (task, whole) = (self.task.as_ref()?, self.strategy.assignments().next()?);
        let reversed = whole.region.reversed_channels;
        let list = (clamps.as_slice(), numbers);
        Some(Parameters::new(list, task.channels, task.arithmetic, task.place, reversed))
    }

    /// The bytes of the table of [`parameters`](Self::parameters), 0 if uniform blocks hold them.
    fn table_bytes(&self) -> u64 {
        let (Some(task), Some(_)) = (&self.task, self.strategy.assignments().next()) else { return 0 };
        let is_table = task.place == ParameterPlace::Table;
        if is_table {
            (16 * task.arithmetic.vector_count() as u64).saturating_mul(task.channels as u64)
        } else {
            0
        }
    }

    /// The pipeline of a dispatch of `window`; `None` if there is no channel.
    pub(crate) fn pipeline(&self, window: &Window, dispatch: &kernel::Dispatch) -> Option<PipelineName> {
        let task = self.task.as_ref()?;
        let module = ModuleName {
            arithmetic: task.arithmetic,
            parameters: task.place,
            kernel: dispatch.kernel,
            placement: window.bindings.placement,
            f16_by_device: task.converts_f16_by_device(),
            cpu: task.limits.cpu,
        };
        let (entry_point, shortcuts) = (dispatch.entry_point, task.shortcuts);
        Some(PipelineName { module: Module::Clamp(module), entry_point, shortcuts })
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("clamp", &self.clamp)
            .field("placement", &self.placement)
            .field("strategy", &self.strategy)
            .field("windows", &self.window_count())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { task, placement, .. } = self;
        let Some(task) = task else { return write!(f, "no channel, {placement}, windows: 0") };
        write!(f, "{}", task.arithmetic)?;
        if task.channels > 1 {
            write!(f, ", {} channels", task.channels)?;
        }
        write!(f, ", {placement}, windows: {}", self.window_count())?;
        for (n, assignment) in self.strategy.assignments().enumerate() {
            write!(f, "{}{assignment}", if n == 0 { ", " } else { " + " })?;
        }
        Ok(())
    }
}

fn validate((src, dst): (&Layout, &Layout), dtypes: [DType; 2], placement: Placement) -> Result<(), Error> {
    let indices = || {
        format!("two indices of shape {:?} with strides {:?} share an element", dst.shape(), dst.strides())
    };
    match overlaps_itself(dst) {
        Overlap::No => {}
        Overlap::Yes => {
            let remedy = "an output must not overlap itself (broadcasts and sliding windows are for src)";
            return Err(Error::overlap("dst", indices(), remedy));
        }
        Overlap::Undecided => {
            let value = format!("could not decide whether {}", indices());
            let remedy = "nested strides (each at least the span of the smaller ones) are decided at once";
            return Err(Error::overlap("dst", value, remedy));
        }
    }
    let sizes = dtypes.map(DType::size);
    let same = src.same_addresses(dst);
    if placement == Placement::OneBuffer && !(same && sizes[0] == sizes[1]) {
        let [source_dtype, dtype] = dtypes;
        match views_overlap((src, sizes[0]), (dst, sizes[1])) {
            Overlap::No => {}
            Overlap::Yes if same => return Err(Error::in_place_sizes("src, dst", source_dtype, dtype)),
            Overlap::Yes => {
                let value = format!(
                    "the two views share bytes of one buffer but are not the same view; src has {}, dst has {}",
                    in_bytes(src, source_dtype),
                    in_bytes(dst, dtype)
                );
                let in_place = if sizes[0] == sizes[1] { "equal layouts (in place), " } else { "" };
                let remedy = format!("use {in_place}disjoint layouts, or two buffers");
                return Err(Error::overlap("src, dst", value, remedy));
            }
            Overlap::Undecided => {
                return Err(Error::alias_undecided("src, dst", "src", src, dst));
            }
        }
    }
    for (argument, layout, dtype) in [("src", src, dtypes[0]), ("dst", dst, dtypes[1])] {
        check_end(argument, layout, dtype, "use several buffers")?;
    }
    Ok(())
}

/// Refuses a layout that no buffer holds.
fn check_end(
    argument: &'static str,
    layout: &Layout,
    dtype: DType,
    remedy: &'static str,
) -> Result<(), Error> {
    if layout.required_bytes(dtype) == u64::MAX {
        let value = format!("{dtype} elements of {layout} end beyond 2^64 bytes");
        return Err(Error::argument(argument, value, remedy));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
