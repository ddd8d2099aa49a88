//! From a clamp and its layouts to dispatches: validated, collapsed, cut. Pure; no GPU is needed.

mod window;

use std::fmt;

use crate::overlap::{Overlap, overlaps_itself, views_overlap};
use crate::shader::{AffineStep, Kernel, Module, Placement, ShaderKey};
use crate::{Clamp, Error, Layout, MAX_RANK};

pub(crate) use window::{Range, Window, range};

/// Bytes in a packet, what an invocation of the contiguous kernel reads and writes at once.
const PACKET: usize = 16;

/// What a device can bind and dispatch at once; from `wgpu::Limits`, or made up to look at a [`Plan`].
///
/// ```
/// # use wgpu_clamp::Limits;
/// let limits = Limits { max_workgroups_per_dimension: 16, ..Limits::default() };
/// # let _ = limits;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// The largest storage buffer binding, in bytes.
    pub max_binding_size: u64,
    /// What the offset of a binding must be a multiple of, in bytes. A power of two.
    pub binding_alignment: u64,
    /// The most workgroups along x or y.
    pub max_workgroups_per_dimension: u32,
}

impl Default for Limits {
    /// Those of `wgpu::Limits::downlevel_defaults()`.
    fn default() -> Self {
        Self { max_binding_size: 128 << 20, binding_alignment: 256, max_workgroups_per_dimension: 65_535 }
    }
}

/// The dispatches of one clamp on given layouts, found without a GPU.
///
/// [`Clamper`](crate::Clamper) makes one per call. A program needs it only to look at: its `Debug` output
/// names the kernel and the collapsed dimensions.
///
/// ```
/// use wgpu_clamp::{Clamp, Layout, Limits, Plan};
///
/// let relu = Clamp::at_least(0.0_f32);
/// let image = Layout::packed(&[3, 480, 640])?;
/// let plan = Plan::new(&relu, &image, &image, Limits::default())?;
/// assert_eq!(plan.dispatches(), 1);
/// assert!(format!("{plan:?}").contains("Contiguous"));
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Plan {
    clamp: Clamp,
    placement: Placement,
    limits: Limits,
    kernel: Kernel,
    rank: usize,
    dims: [Dim; MAX_RANK],
    /// The addresses of the first element of src and dst.
    starts: [usize; 2],
    /// By how many elements the first block of the contiguous kernel is short, so that the others start at
    /// packets.
    lead: usize,
}

/// One dimension after collapsing. The destination's stride is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dim {
    extent: usize,
    src: isize,
    dst: isize,
    /// How much of the extent goes into one window.
    block: usize,
    /// The caller's dimension; the innermost one of those that were merged.
    axis: usize,
}

impl Dim {
    const UNIT: Self = Self { extent: 1, src: 0, dst: 0, block: 1, axis: 0 };
}

impl Plan {
    /// The plan of a clamp from one buffer to another.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`], [`Error::OutputOverlap`] and [`Error::OverlapUndecided`] for `dst`,
    /// [`Error::TooLarge`] if no buffer could hold a layout, [`Error::TooManyWindows`] if `limits` are too small for the tensor, [`Error::DeviceLimit`] if they are
    /// too small for any.
    pub fn new(clamp: &Clamp, src: &Layout, dst: &Layout, limits: Limits) -> Result<Self, Error> {
        Self::with_placement(clamp, src, dst, Placement::TwoBuffers, limits)
    }

    /// The plan of a clamp within one buffer: in place if the layouts are the same, otherwise disjoint.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), and [`Error::PartialAlias`] or [`Error::AliasUndecided`] unless the two
    /// layouts are the same or share no element.
    ///
    /// ```
    /// # use wgpu_clamp::{Clamp, Error, Layout, Limits, Plan};
    /// let line = Layout::packed(&[8])?;
    /// let (front, back) = (line.slice(0, 0..5)?, line.slice(0, 3..8)?);
    /// let plan = Plan::in_one_buffer(&Clamp::new(0_u8, 9), &front, &back, Limits::default());
    /// assert_eq!(plan.unwrap_err(), Error::PartialAlias);
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    pub fn in_one_buffer(clamp: &Clamp, src: &Layout, dst: &Layout, limits: Limits) -> Result<Self, Error> {
        Self::with_placement(clamp, src, dst, Placement::OneBuffer, limits)
    }

    pub(crate) fn with_placement(
        clamp: &Clamp,
        src: &Layout,
        dst: &Layout,
        placement: Placement,
        limits: Limits,
    ) -> Result<Self, Error> {
        validate(src, dst, placement)?;
        for (argument, layout) in [("src", src), ("dst", dst)] {
            if layout.required_bytes(clamp.dtype()) == u64::MAX {
                return Err(Error::TooLarge {
                    argument,
                    needed: u64::MAX,
                    unit: "bytes or more",
                    limit_name: "max_buffer_size",
                    limit: u64::MAX,
                });
            }
        }
        let mut plan = Self {
            clamp: *clamp,
            placement,
            limits,
            kernel: Kernel::Strided,
            rank: 0,
            dims: [Dim::UNIT; MAX_RANK],
            starts: [src.offset(), dst.offset()],
            lead: 0,
        };
        if dst.is_empty() {
            plan.dims[0].extent = 0;
        } else {
            plan.collapse(src, dst);
            plan.choose_kernel();
            plan.cut(src.same_addresses(dst))?;
        }
        Ok(plan)
    }

    /// The number of `dispatch_workgroups` calls; 0 if there is no element. A bound on the GPU takes one more per
    /// window, which is not counted here.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.windows().map(|window| window.dispatches().count()).sum()
    }

    /// The module that `window` takes.
    pub(crate) fn module(&self, window: &Window) -> Module {
        Module::Clamp(ShaderKey {
            dtype: self.clamp.dtype(),
            step: AffineStep::of(&self.clamp),
            kernel: self.kernel,
            placement: window.placement,
        })
    }

    fn dims(&self) -> &[Dim] {
        &self.dims[..self.rank]
    }

    /// Fills `dims`, outermost first: no extent of 1, no negative destination stride, no two dimensions that
    /// are one, the destination's smallest stride last.
    fn collapse(&mut self, src: &Layout, dst: &Layout) {
        for (axis, &extent) in dst.shape().iter().enumerate() {
            if extent == 1 {
                continue;
            }
            let (src, dst) = (src.strides()[axis], dst.strides()[axis]);
            let mut dim = Dim { extent, src, dst, block: extent, axis };
            if dst < 0 {
                let last = (extent - 1).cast_signed();
                self.starts[0] = self.starts[0].wrapping_add_signed(src.wrapping_mul(last));
                self.starts[1] = self.starts[1].wrapping_add_signed(dst.wrapping_mul(last));
                (dim.src, dim.dst) = (src.wrapping_neg(), -dst);
            }
            // Few and nearly sorted: insertion.
            let at = self.dims().partition_point(|other| other.dst >= dim.dst);
            self.dims.copy_within(at..self.rank, at + 1);
            self.dims[at] = dim;
            self.rank += 1;
        }
        let mut merged = 0;
        for d in 1..self.rank {
            let (outer, inner) = (self.dims[merged], self.dims[d]);
            let extent = inner.extent.cast_signed();
            if inner.src.checked_mul(extent) == Some(outer.src)
                && inner.dst.checked_mul(extent) == Some(outer.dst)
            {
                let extent = outer.extent * inner.extent;
                self.dims[merged] = Dim { extent, block: extent, ..inner };
            } else {
                merged += 1;
                self.dims[merged] = inner;
            }
        }
        self.rank = self.rank.min(merged + 1);
        self.dims[self.rank..].fill(Dim::UNIT);
    }

    fn choose_kernel(&mut self) {
        let size = self.clamp.dtype().size();
        // In elements: how far behind a packet's start src and dst begin.
        let [src, dst] = self.starts.map(|start| start % (PACKET / size));
        if self.rank <= 1 && self.dims().iter().all(|dim| (dim.src, dim.dst) == (1, 1)) && src == dst {
            self.kernel = Kernel::Contiguous;
            self.lead = dst;
            self.dims[..self.rank].iter_mut().for_each(|dim| dim.block += dst);
        }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("clamp", &self.clamp)
            .field("placement", &self.placement)
            .field("kernel", &self.kernel)
            .field("dims", &self.dims())
            .field("windows", &self.window_count())
            .finish_non_exhaustive()
    }
}

fn validate(src: &Layout, dst: &Layout, placement: Placement) -> Result<(), Error> {
    if src.shape() != dst.shape() {
        return Err(Error::ShapeMismatch { src: src.shape().to_vec(), dst: dst.shape().to_vec() });
    }
    let (shape, strides) = (|| dst.shape().to_vec(), || dst.strides().to_vec());
    match overlaps_itself(dst) {
        Overlap::No => {}
        Overlap::Yes => return Err(Error::OutputOverlap { shape: shape(), strides: strides() }),
        Overlap::Undecided => {
            return Err(Error::OverlapUndecided { shape: shape(), strides: strides() });
        }
    }
    if placement == Placement::OneBuffer && !src.same_addresses(dst) {
        match views_overlap(src, dst) {
            Overlap::No => {}
            Overlap::Yes => return Err(Error::PartialAlias),
            Overlap::Undecided => return Err(Error::AliasUndecided),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
