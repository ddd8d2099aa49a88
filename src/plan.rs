//! From a clamp and its layouts to dispatches: validated, collapsed, sized. Pure; no GPU is needed.

use std::fmt;

use crate::overlap::{Overlap, overlaps_itself, views_overlap};
use crate::params::{Block, ContiguousGeometry, StridedGeometry};
use crate::shader::{
    AffineStep, EntryPoint, Kernel, Module, PACKETS_PER_INVOCATION, Placement, ShaderKey, WORKGROUP_SIZE,
};
use crate::{Clamp, Error, Layout, MAX_RANK};

/// Bytes in a packet, what an invocation of the contiguous kernel reads and writes at once.
const PACKET: u64 = 16;

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
    rank: usize,
    dims: [Dim; MAX_RANK],
    window: Option<Window>,
}

/// One dimension after collapsing. The destination's stride is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dim {
    extent: usize,
    src: isize,
    dst: isize,
}

impl Dim {
    const UNIT: Self = Self { extent: 1, src: 0, dst: 0 };
}

/// A part of a buffer, in bytes. The offset suits a binding, the size is a multiple of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// What one bind group reaches, and the dispatches that work on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// In one buffer, the range for both.
    pub(crate) src: Range,
    pub(crate) dst: Range,
    geometry: Geometry,
    dispatches: [Option<Dispatch>; 2],
}

#[derive(Clone, Copy, Debug)]
enum Geometry {
    Contiguous(ContiguousGeometry),
    Strided(StridedGeometry),
}

/// One `dispatch_workgroups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    pub(crate) entry_point: EntryPoint,
    /// Workgroups along x and y.
    pub(crate) grid: [u32; 2],
}

impl Plan {
    /// The plan of a clamp from one buffer to another.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`], [`Error::OutputOverlap`] and [`Error::OverlapUndecided`] for `dst`,
    /// [`Error::TooLarge`] beyond `limits`.
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
        let mut plan = Self { clamp: *clamp, placement, rank: 0, dims: [Dim::UNIT; MAX_RANK], window: None };
        if let (Some(src_span), Some(dst_span)) = (src.span(), dst.span()) {
            let starts = plan.collapse(src, dst);
            plan.window = Some(plan.window(src_span, dst_span, starts, limits)?);
        }
        Ok(plan)
    }

    /// The number of `dispatch_workgroups` calls; 0 if there is no element.
    #[must_use]
    pub fn dispatches(&self) -> usize {
        self.windows().map(|window| window.dispatches().count()).sum()
    }

    pub(crate) fn windows(&self) -> impl Iterator<Item = &Window> {
        self.window.iter()
    }

    /// The module that `window` takes.
    pub(crate) fn module(&self, window: &Window) -> Module {
        Module::Clamp(ShaderKey {
            dtype: self.clamp.dtype(),
            step: AffineStep::of(&self.clamp),
            kernel: window.kernel(),
            placement: self.placement,
        })
    }

    /// The uniform block of `window`.
    pub(crate) fn params(&self, window: &Window) -> Block {
        match &window.geometry {
            Geometry::Contiguous(geometry) => Block::new(geometry, &self.clamp),
            Geometry::Strided(geometry) => Block::new(geometry, &self.clamp),
        }
    }

    fn dims(&self) -> &[Dim] {
        &self.dims[..self.rank]
    }

    /// Fills `dims`, outermost first: no extent of 1, no negative destination stride, no two dimensions that
    /// are one, the destination's smallest stride last. Returns the addresses of the first element.
    fn collapse(&mut self, src: &Layout, dst: &Layout) -> (usize, usize) {
        let mut starts = (src.offset(), dst.offset());
        for (d, &extent) in dst.shape().iter().enumerate() {
            if extent == 1 {
                continue;
            }
            let mut dim = Dim { extent, src: src.strides()[d], dst: dst.strides()[d] };
            if dim.dst < 0 {
                let last = (extent - 1).cast_signed();
                starts.0 = starts.0.wrapping_add_signed(dim.src.wrapping_mul(last));
                starts.1 = starts.1.wrapping_add_signed(dim.dst.wrapping_mul(last));
                dim = Dim { extent, src: dim.src.wrapping_neg(), dst: -dim.dst };
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
                self.dims[merged] = Dim { extent: outer.extent * inner.extent, ..inner };
            } else {
                merged += 1;
                self.dims[merged] = inner;
            }
        }
        self.rank = self.rank.min(merged + 1);
        self.dims[self.rank..].fill(Dim::UNIT);
        starts
    }

    fn window(
        &self,
        src_span: (usize, usize),
        dst_span: (usize, usize),
        starts: (usize, usize),
        limits: Limits,
    ) -> Result<Window, Error> {
        let size = self.clamp.dtype().size() as u64;
        let (src, dst) = match self.placement {
            Placement::TwoBuffers => {
                (range("src", src_span, size, limits)?, range("dst", dst_span, size, limits)?)
            }
            Placement::OneBuffer => {
                let span = (src_span.0.min(dst_span.0), src_span.1.max(dst_span.1));
                let both = range("src, dst", span, size, limits)?;
                (both, both)
            }
        };
        // In bytes from the start of the binding, which is at most 2^31 - 4 long.
        let src_byte = starts.0 as u64 * size - src.offset;
        let dst_byte = starts.1 as u64 * size - dst.offset;
        let count: usize = self.dims().iter().map(|dim| dim.extent).product();
        let gapless = self.dims().iter().all(|dim| (dim.src, dim.dst) == (1, 1)) && self.rank <= 1;
        let (geometry, dispatches) = if gapless && src_byte % PACKET == dst_byte % PACKET {
            contiguous(src_byte, dst_byte, count as u64 * size, limits)?
        } else {
            self.strided(src_byte / size, dst_byte / size, count, limits)?
        };
        Ok(Window { src, dst, geometry, dispatches })
    }

    fn strided(
        &self,
        src_start: u64,
        dst_start: u64,
        count: usize,
        limits: Limits,
    ) -> Result<(Geometry, [Option<Dispatch>; 2]), Error> {
        let count = count as u64;
        let grid = grid(count.div_ceil(u64::from(WORKGROUP_SIZE)), limits)?;
        let mut dims = [[1, 0, 0, 0]; MAX_RANK];
        for (slot, dim) in dims.iter_mut().zip(self.dims().iter().rev()) {
            // Modulo 2^32, as the shader adds them up; the sums lie in the binding.
            *slot = [dim.extent as u32, dim.src as u32, dim.dst as u32, 0];
        }
        let geometry = StridedGeometry {
            dims,
            rank: self.rank as u32,
            count: count as u32,
            src_start: src_start as u32,
            dst_start: dst_start as u32,
            row: grid[0],
        };
        let dispatch = Dispatch { entry_point: EntryPoint::Strided, grid };
        Ok((Geometry::Strided(geometry), [Some(dispatch), None]))
    }
}

#[expect(clippy::missing_fields_in_debug, reason = "the rank is the length of dims")]
impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("clamp", &self.clamp)
            .field("placement", &self.placement)
            .field("dims", &self.dims())
            .field("window", &self.window)
            .finish()
    }
}

impl Window {
    pub(crate) fn dispatches(&self) -> impl Iterator<Item = Dispatch> {
        self.dispatches.iter().flatten().copied()
    }

    const fn kernel(&self) -> Kernel {
        match self.geometry {
            Geometry::Contiguous(_) => Kernel::Contiguous,
            Geometry::Strided(_) => Kernel::Strided,
        }
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

/// The binding that reaches the elements `span`, both ends inclusive.
pub(crate) fn range(
    argument: &'static str,
    span: (usize, usize),
    size: u64,
    limits: Limits,
) -> Result<Range, Error> {
    // Vulkan and DX12 cap a binding here.
    let limit = limits.max_binding_size.min((1 << 31) - 4);
    let alignment = u128::from(limits.binding_alignment.max(PACKET));
    let first = span.0 as u128 * u128::from(size);
    let end = ((span.1 as u128 + 1) * u128::from(size)).next_multiple_of(4);
    let offset = first - first % alignment;
    let needed = u64::try_from(end - offset).unwrap_or(u64::MAX);
    match u64::try_from(offset) {
        Ok(offset) if needed <= limit => Ok(Range { offset, size: needed }),
        _ => Err(Error::TooLarge {
            argument,
            needed,
            unit: "bytes in one binding",
            limit_name: "max_storage_buffer_binding_size",
            limit,
        }),
    }
}

/// A near-square grid of at least `workgroups`: one row while they fit, no row longer than needed.
fn grid(workgroups: u64, limits: Limits) -> Result<[u32; 2], Error> {
    let most = u64::from(limits.max_workgroups_per_dimension);
    let rows = if workgroups <= most { 1 } else { workgroups.isqrt().max(workgroups.div_ceil(most.max(1))) };
    let columns = workgroups.div_ceil(rows);
    let rows = workgroups.div_ceil(columns.max(1));
    match (u32::try_from(columns), u32::try_from(rows)) {
        (Ok(columns), Ok(rows)) if columns.max(rows) <= limits.max_workgroups_per_dimension => {
            Ok([columns, rows])
        }
        _ => Err(Error::TooLarge {
            argument: "dst",
            needed: workgroups,
            unit: "workgroups in two dimensions",
            limit_name: "max_compute_workgroups_per_dimension",
            limit: most,
        }),
    }
}

/// `len` bytes from `src` and `dst`, which are at the same distance from a packet boundary.
fn contiguous(
    src: u64,
    dst: u64,
    len: u64,
    limits: Limits,
) -> Result<(Geometry, [Option<Dispatch>; 2]), Error> {
    let end = dst + len;
    let first = dst.div_ceil(PACKET);
    let count = (end / PACKET).saturating_sub(first);
    let per_workgroup = u64::from(WORKGROUP_SIZE * PACKETS_PER_INVOCATION);
    let grid = grid(count.div_ceil(per_workgroup), limits)?;
    let geometry = ContiguousGeometry {
        first: first as u32,
        count: count as u32,
        src_shift: (src / PACKET).wrapping_sub(dst / PACKET) as u32,
        row: grid[0],
        begin: dst as u32,
        end: end as u32,
    };
    let body = Dispatch { entry_point: EntryPoint::Body, grid };
    let edges = Dispatch { entry_point: EntryPoint::Edges, grid: [1, 1] };
    let ragged = !(dst.is_multiple_of(PACKET) && end.is_multiple_of(PACKET));
    Ok((Geometry::Contiguous(geometry), [(count > 0).then_some(body), ragged.then_some(edges)]))
}

#[cfg(test)]
mod tests;
