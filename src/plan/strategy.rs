//! Assigns kernels and tile sizes to the regions of a plan. One binding per operand must span a tile, and one grid must
//! cover it.

use std::{fmt, iter};

use super::bindings::bind;
use crate::kernel::region::{DST, SRC};
use crate::kernel::{Candidate, Dim, Kernel, Placement, Region, Task, Tile, candidates};
use crate::{Error, Limits, MAX_RANK};

/// The most dispatches of a plan. Each window counts as the most dispatches that its kernel may need.
pub(super) const MAX_DISPATCHES: usize = 65_536;

/// A region, its kernel and its tiles.
#[derive(Clone, Copy)]
pub(crate) struct Assignment {
    pub(crate) kernel: Kernel,
    pub(crate) region: Region,
    /// The alignment of the ends of a tile's bindings, in bytes.
    pub(crate) ends: [u64; 2],
    tiles: Tiles,
}

/// The tiles of a region.
#[derive(Clone, Copy)]
struct Tiles {
    extents: [usize; MAX_RANK],
    /// See [`Tiling::lead`](crate::kernel::Tiling::lead).
    lead: usize,
}

/// Assignments, which together cover the index space.
#[derive(Clone, Default)]
pub(super) struct Strategy {
    assignments: Vec<Assignment>,
}

/// The reason why a kernel cannot take a region on a device.
#[derive(Debug)]
pub(super) enum Misfit {
    /// A tile would be smaller than the multiple at which the kernel's tiles are cut. The next candidate is tried.
    BelowMultiple,
    /// The error for the caller if no other kernel fits.
    Refused(Error),
}

impl Strategy {
    /// Takes the first of the [`candidates`] whose tiles fit the device. The parts that it leaves go to further kernels.
    /// `words` takes everything in units of one element: if its tiles do not fit, no tiles do.
    ///
    /// # Errors
    ///
    /// The last refusal.
    pub(super) fn new(task: &Task, whole: &Region) -> Result<Self, Error> {
        let mut refused = None;
        for candidate in candidates(task, whole) {
            match Self::of(task, &candidate) {
                Ok(strategy) => return Ok(strategy),
                Err(Misfit::BelowMultiple) => {}
                Err(Misfit::Refused(error)) => refused = Some(error),
            }
        }
        Err(refused.expect("`words` takes everything, in units of one element"))
    }

    /// All candidates whose tiles fit the device, in the order in which they are tried.
    pub(super) fn all(task: &Task, whole: &Region) -> Vec<Self> {
        candidates(task, whole).filter_map(|one| Self::of(task, &one).ok()).collect()
    }

    fn of(task: &Task, candidate: &Candidate) -> Result<Self, Misfit> {
        let in_place = task.in_place(&candidate.region);
        let main = Assignment::new(task, candidate, in_place);
        let rest = candidate.rest.iter().map(|part| Assignment::of_rest(task, part, in_place));
        let strategy = Self { assignments: iter::once(main).chain(rest).collect::<Result<_, _>>()? };
        match strategy.dispatches() {
            ..=MAX_DISPATCHES => Ok(strategy),
            _ => Err(Misfit::Refused(strategy.too_many(task))),
        }
    }

    /// An upper bound of the number of dispatches.
    fn dispatches(&self) -> usize {
        self.assignments().fold(0, |total, assignment| total.saturating_add(assignment.dispatches()))
    }

    /// The error names the axis with the most tiles, in the assignment with the most dispatches.
    fn too_many(&self, task: &Task) -> Error {
        let most = self.assignments().max_by_key(|assignment| assignment.dispatches());
        let most = most.expect("something takes too many windows");
        let others = self.dispatches() - most.dispatches();
        let limit = MAX_DISPATCHES.saturating_sub(others) / most.kernel.dispatches();
        let Limits { max_binding_size, max_workgroups_per_dimension, .. } = task.limits;
        Error::Limit {
            argument: "dst",
            needed: most.windows() as u64,
            limit_name: "max_windows",
            limit: limit as u64,
            remedy: format!(
                "axis {} is to blame, with this device's max_storage_buffer_binding_size of {max_binding_size} and \
                 max_compute_workgroups_per_dimension of {max_workgroups_per_dimension}: create the device with its \
                 adapter's limits, split the tensor along the axis, or move neighbours along the axis closer",
                most.most_cut_axis()
            ),
        }
    }

    pub(super) fn assignments(&self) -> impl Iterator<Item = &Assignment> {
        self.assignments.iter()
    }
}

impl Assignment {
    /// Assigns a leftover region to the first candidate that takes all of it and fits the device.
    fn of_rest(task: &Task, region: &Region, in_place: bool) -> Result<Self, Misfit> {
        let mut misfit = None;
        for candidate in candidates(task, region).filter(|candidate| candidate.rest.is_empty()) {
            match Self::new(task, &candidate, in_place) {
                Ok(assignment) => return Ok(assignment),
                Err(error) => misfit = Some(error),
            }
        }
        Err(misfit.expect("`words` takes everything"))
    }

    /// Assigns what a candidate takes, without its rest.
    fn new(task: &Task, candidate: &Candidate, in_place: bool) -> Result<Self, Misfit> {
        let Candidate { kernel, region, ends, .. } = *candidate;
        Ok(Self { kernel, region, ends, tiles: Tiles::new(task, kernel, &region, ends, in_place)? })
    }

    /// An upper bound of the number of dispatches.
    fn dispatches(&self) -> usize {
        self.windows().saturating_mul(self.kernel.dispatches())
    }

    /// Elements by which the first tile is shorter along dimension `d`.
    fn lead(&self, d: usize) -> usize {
        if d + 1 == self.region.dims().len() { self.tiles.lead } else { 0 }
    }

    fn tiles_along(&self, d: usize) -> usize {
        let (extent, of_tile) = (self.region.dims()[d].extent + self.lead(d), self.tiles.extents[d]);
        // A division is slow, and a single tile needs none.
        if extent <= of_tile { 1 } else { extent.div_ceil(of_tile) }
    }

    /// The number of tiles along each dimension.
    fn counts(&self) -> impl Iterator<Item = usize> {
        (0..self.region.dims().len()).map(|d| self.tiles_along(d))
    }

    /// The number of windows; `usize::MAX` if it is greater.
    pub(super) fn windows(&self) -> usize {
        self.counts().try_fold(1_usize, usize::checked_mul).unwrap_or(usize::MAX)
    }

    /// The caller's axis with the most tiles.
    fn most_cut_axis(&self) -> usize {
        let dims = self.region.dims().iter().zip(self.counts());
        dims.max_by_key(|(_, tiles)| *tiles).map_or(0, |(dim, _)| dim.axis)
    }

    /// The `n`-th tile in row-major order.
    pub(super) fn nth_tile(&self, mut n: usize) -> Tile {
        let Region { starts, first_channel, .. } = self.region;
        let mut tile = Tile { starts, extents: [1; MAX_RANK], first_channel };
        for (d, dim) in self.region.dims().iter().enumerate().rev() {
            let tiles = self.tiles_along(d);
            let i = n % tiles;
            n /= tiles;
            let (of_tile, lead) = (self.tiles.extents[d], self.lead(d));
            let first = (i * of_tile).saturating_sub(lead);
            // A tile is longer than `lead`, which is shorter than a packet.
            let end = ((i + 1) * of_tile - lead).min(dim.extent);
            tile.extents[d] = end - first;
            if dim.channels {
                tile.first_channel += first;
            }
            // The results are addresses of elements, so intermediate values may wrap.
            for (start, stride) in tile.starts.iter_mut().zip([dim.src, dim.dst]) {
                *start = start.wrapping_add_signed(stride.wrapping_mul(first.cast_signed()));
            }
        }
        tile
    }
}

/// Limits of one window, in elements.
#[derive(Clone, Copy)]
struct Room {
    /// The most elements that src and dst may span, from the first to the last element inclusive.
    spans: [usize; 2],
    /// The most elements of a tile.
    count: usize,
}

impl Tiles {
    /// The tiles of `kernel`, as large as the device's bindings and grids allow.
    fn new(
        task: &Task,
        kernel: Kernel,
        region: &Region,
        ends: [u64; 2],
        in_place: bool,
    ) -> Result<Self, Misfit> {
        let tiling = kernel.tiling(task, region);
        let lead = tiling.lead;
        let mut extents = region.extents();
        if let Some(d) = region.dims().len().checked_sub(1) {
            extents[d] += lead;
        }
        if bind(task, region, &region.whole(), ends).is_some() && region.len() as u64 <= tiling.most {
            return Ok(Self { extents, lead });
        }
        let room = Room::new(task, tiling.most, ends, in_place)?;
        let mut cutter = Cutter { dims: region.dims(), extents };
        while let Some((d, extent)) = cutter.too_long(room) {
            let multiple = tiling.multiples[d];
            if extent < multiple {
                return Err(Misfit::BelowMultiple);
            }
            cutter.extents[d] = extent / multiple * multiple;
        }
        Ok(Self { extents: cutter.extents, lead })
    }
}

impl Room {
    fn new(task: &Task, most: u64, ends: [u64; 2], in_place: bool) -> Result<Self, Misfit> {
        let limits = &task.limits;
        // Aligning both ends of a binding adds at most this many bytes.
        let slack = limits.binding_start().saturating_add(ends[0].max(ends[1]));
        let span = if task.placement == Placement::OneBuffer && !in_place {
            // Each side may span half a binding, so that ranges of src and dst that share words fit into one.
            (limits.binding_size() / 2).saturating_sub(slack)
        } else {
            limits.binding_size().saturating_sub(slack)
        };
        let in_elements = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let spans = task.arithmetic.sizes().map(|size| in_elements(span / size as u64));
        let room = Self { spans, count: in_elements(most) };
        let refused =
            |limit_name, needed, limit| Err(Misfit::Refused(Error::device_limit(limit_name, needed, limit)));
        if room.count == 0 {
            let limit = limits.max_workgroups_per_dimension;
            return refused("max_compute_workgroups_per_dimension", u64::from(limit) + 1, limit.into());
        }
        if room.spans.contains(&0) {
            let needed = slack.saturating_mul(4);
            // A larger limit would not help, since `binding_size` has a cap: the alignment is at fault.
            if needed <= limits.max_binding_size {
                let (name, alignment) = ("min_storage_buffer_offset_alignment", limits.binding_alignment);
                return refused(name, Limits::default().binding_alignment, alignment);
            }
            return refused("max_storage_buffer_binding_size", needed, limits.max_binding_size);
        }
        Ok(room)
    }
}

/// A tile that shrinks until it fits.
struct Cutter<'a> {
    dims: &'a [Dim],
    extents: [usize; MAX_RANK],
}

impl Cutter<'_> {
    /// The dimension to shrink, and its new extent, at least 1; `None` if the tile fits. If an operand spans too much,
    /// the dimension with the longest span shrinks. If the tile has too many elements, the outermost dimension
    /// shrinks.
    fn too_long(&self, room: Room) -> Option<(usize, usize)> {
        let stride = |dim: &Dim, side: usize| [dim.src, dim.dst][side].unsigned_abs();
        let dims = || self.dims.iter().zip(self.extents).enumerate();
        for side in [DST, SRC] {
            let room = room.spans[side];
            let span = |(dim, extent): (&Dim, usize)| (extent - 1) * stride(dim, side);
            let total: usize = dims().map(|(_, dim)| span(dim)).sum();
            if total >= room {
                // The longest span is not 0, so neither is its stride.
                let (d, dim) = dims().max_by_key(|&(_, dim)| span(dim))?;
                let others = total - span(dim);
                return Some((d, 1 + (room - 1).saturating_sub(others) / stride(dim.0, side)));
            }
        }
        let count: usize = dims().map(|(_, (_, extent))| extent).product();
        if count > room.count {
            let (d, (_, extent)) = dims().find(|(_, (_, extent))| *extent > 1)?;
            return Some((d, (room.count / (count / extent)).max(1)));
        }
        None
    }
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elements = self.region.len();
        let s = if elements == 1 { "" } else { "s" };
        write!(f, "{} kernel for {elements} element{s} (", self.kernel)?;
        match self.kernel {
            Kernel::Piece(piece) => write!(f, "{piece})"),
            Kernel::Words => f.write_str("element by element)"),
        }
    }
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.assignments()).finish()
    }
}

impl fmt::Debug for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, region, tiles: Tiles { extents, lead }, .. } = self;
        f.debug_struct("Assignment")
            .field("kernel", kernel)
            .field("dims", &region.dims())
            .field("tile", &&extents[..region.dims().len()])
            .field("lead", lead)
            .finish_non_exhaustive()
    }
}
