//! Assigns kernels and tile sizes to the regions of a plan.

use std::fmt;

use super::window;
use crate::kernel::{Claim, Cut, Kernel, Region, Task, Tile, claims};
use crate::{Error, Limits, MAX_RANK};

/// The most dispatches of a plan. Each window counts as the most dispatches that its kernel may need.
pub(super) const MAX_DISPATCHES: usize = 65_536;

/// A region, its kernel and its tiles.
#[derive(Clone, Copy)]
pub(crate) struct Assignment {
    pub(crate) kernel: Kernel,
    pub(crate) region: Region,
    /// See [`Claim::lead`].
    lead: usize,
    /// The alignment of the ends of a tile's bindings, in bytes.
    pub(crate) ends: [u64; 2],
    /// The extents of a tile, dimension by dimension.
    tile: [usize; MAX_RANK],
}

/// Up to three assignments, which together cover the index space.
#[derive(Clone, Copy, Default)]
pub(super) struct Strategy {
    assignments: [Option<Assignment>; 3],
}

/// The reason why a kernel cannot take a region on a device.
#[derive(Debug)]
pub(super) enum Misfit {
    /// A tile would be smaller than the multiple at which the kernel's tiles are cut. The next claim is tried.
    BelowQuantum,
    /// The error for the caller if no other kernel fits.
    Refused(Error),
}

impl Strategy {
    /// Takes the first of [`claims`] whose tiles fit the device. The parts that a claim cuts off go to further kernels.
    /// The last kernel claims everything in units of one element: if its tiles do not fit, no tiles do.
    ///
    /// # Errors
    ///
    /// The refusal of the last kernel.
    pub(super) fn new(task: &Task, whole: &Region) -> Result<Self, Error> {
        let mut refused = None;
        for (kernel, claim) in claims(task, whole) {
            match Self::of_claim(task, kernel, &claim, whole) {
                Ok(strategy) => return Ok(strategy),
                Err(Misfit::BelowQuantum) => {}
                Err(Misfit::Refused(error)) => refused = Some(error),
            }
        }
        Err(refused.expect("the last kernel claims everything, in units of one element"))
    }

    fn of_claim(task: &Task, kernel: Kernel, claim: &Claim, whole: &Region) -> Result<Self, Misfit> {
        let in_place = task.in_place(whole);
        let mut strategy = Self::default();
        let (first, others) = strategy.assignments.split_at_mut(1);
        let mut others = others.iter_mut();
        let mut main = *whole;
        for Cut { dim, first, extent } in claim.cuts.into_iter().flatten() {
            let end = first + extent;
            for (first, extent) in [(0, first), (end, main.dims()[dim].extent - end)] {
                if extent > 0 {
                    let slot = others.next().expect("a claim leaves two parts at most");
                    *slot = Some(Assignment::of_rest(task, &main.slice(dim, first, extent), in_place)?);
                }
            }
            main = main.slice(dim, first, extent);
        }
        first[0] = Some(Assignment::new(task, kernel, &main, claim, in_place)?);
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
        let limit = MAX_DISPATCHES.saturating_sub(others) / most.kernel.definition().dispatches();
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
        self.assignments.iter().flatten()
    }
}

impl Assignment {
    /// Assigns a leftover region to the first kernel that claims all of it.
    fn of_rest(task: &Task, region: &Region, in_place: bool) -> Result<Self, Misfit> {
        let cuts_nothing = |(_, claim): &(Kernel, Claim)| claim.cuts.iter().all(Option::is_none);
        let mut misfit = None;
        for (kernel, claim) in claims(task, region).filter(cuts_nothing) {
            match Self::new(task, kernel, region, &claim, in_place) {
                Ok(assignment) => return Ok(assignment),
                Err(error) => misfit = Some(error),
            }
        }
        Err(misfit.expect("the last kernel claims everything"))
    }

    fn new(
        task: &Task,
        kernel: Kernel,
        region: &Region,
        claim: &Claim,
        in_place: bool,
    ) -> Result<Self, Misfit> {
        let Claim { lead, ends, .. } = *claim;
        let tile = window::tile(task, kernel, region, (lead, ends), in_place)?;
        Ok(Self { kernel, region: *region, lead, ends, tile })
    }

    /// An upper bound of the number of dispatches.
    fn dispatches(&self) -> usize {
        self.windows().saturating_mul(self.kernel.definition().dispatches())
    }

    fn tiles_along(&self, d: usize) -> usize {
        let extent = self.region.dims()[d].extent + self.lead;
        // A division is slow, and a single tile needs none.
        if extent <= self.tile[d] { 1 } else { extent.div_ceil(self.tile[d]) }
    }

    fn tiles(&self) -> impl Iterator<Item = usize> {
        (0..self.region.dims().len()).map(|d| self.tiles_along(d))
    }

    /// The number of windows; `usize::MAX` if it is greater.
    pub(super) fn windows(&self) -> usize {
        self.tiles().try_fold(1_usize, usize::checked_mul).unwrap_or(usize::MAX)
    }

    /// The caller's axis with the most tiles.
    fn most_cut_axis(&self) -> usize {
        let dims = self.region.dims().iter().zip(self.tiles());
        dims.max_by_key(|(_, tiles)| *tiles).map_or(0, |(dim, _)| dim.axis)
    }

    /// The `n`-th tile in row-major order.
    pub(super) fn tile(&self, mut n: usize) -> Tile {
        let Region { starts, first_channel, .. } = self.region;
        let mut tile = Tile { starts, extents: [1; MAX_RANK], first_channel };
        for (d, dim) in self.region.dims().iter().enumerate().rev() {
            let tiles = self.tiles_along(d);
            let i = n % tiles;
            n /= tiles;
            let first = (i * self.tile[d]).saturating_sub(self.lead);
            let end = ((i + 1) * self.tile[d] - self.lead).min(dim.extent);
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

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elements = self.region.len();
        let s = if elements == 1 { "" } else { "s" };
        write!(f, "{} kernel for {elements} element{s} (", self.kernel)?;
        match self.kernel {
            Kernel::Block(block) => write!(f, "{block})"),
            Kernel::Gather => f.write_str("element by element)"),
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
        let Self { kernel, region, lead, tile, .. } = self;
        f.debug_struct("Assignment")
            .field("kernel", kernel)
            .field("dims", &region.dims())
            .field("tile", &&tile[..region.dims().len()])
            .field("lead", lead)
            .finish_non_exhaustive()
    }
}
