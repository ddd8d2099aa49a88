//! Chooses the extents of tiles: one binding per operand must span a tile, and one grid must cover it.

use super::strategy::Misfit;
use super::window;
use crate::kernel::region::{DST, SRC};
use crate::kernel::{Dim, Kernel, Placement, Region, Task, Tile, Tiling};
use crate::{Error, Limits, MAX_RANK};

/// Limits of one window, in elements.
#[derive(Clone, Copy)]
struct Room {
    /// The most elements that src and dst may span, from the first to the last element inclusive.
    spans: [usize; 2],
    /// The most elements of a tile.
    count: usize,
}

/// The extents of `kernel`'s tiles in a region, as large as the device's bindings and grids allow.
pub(super) fn tile(
    task: &Task,
    kernel: Kernel,
    region: &Region,
    (lead, ends): (usize, [u64; 2]),
    in_place: bool,
) -> Result<[usize; MAX_RANK], Misfit> {
    let tiling = kernel.definition().tiling(task, region);
    let Tiling { most, .. } = tiling;
    let mut extents = [1; MAX_RANK];
    for (extent, dim) in extents.iter_mut().zip(region.dims()) {
        *extent = dim.extent + lead;
    }
    let whole =
        Tile { starts: region.starts, extents: region.extents(), first_channel: region.first_channel };
    if window::bind(task, region, &whole, ends).is_some() && region.len() as u64 <= most {
        return Ok(extents);
    }
    let room = Room::new(task, &tiling, ends, in_place)?;
    let mut cutter = Cutter { dims: region.dims(), extents };
    while let Some((d, extent)) = cutter.too_long(room) {
        let multiple = kernel.definition().multiple(region, d);
        if extent < multiple {
            return Err(Misfit::BelowQuantum);
        }
        cutter.extents[d] = extent / multiple * multiple;
    }
    Ok(cutter.extents)
}

impl Room {
    fn new(task: &Task, tiling: &Tiling, ends: [u64; 2], in_place: bool) -> Result<Self, Misfit> {
        let limits = &task.limits;
        // Aligning both ends of a binding costs at most these bytes.
        let slack = limits.binding_start().saturating_add(ends[0].max(ends[1]));
        let span = if task.placement == Placement::OneBuffer && !in_place {
            // Half a binding each, so that ranges of src and dst that share words fit into one binding.
            (limits.binding_size() / 2).saturating_sub(slack)
        } else {
            limits.binding_size().saturating_sub(slack)
        };
        let in_quanta = |n: u64| usize::try_from(n).unwrap_or(usize::MAX) / tiling.quantum * tiling.quantum;
        let spans = task.arithmetic.sizes().map(|size| in_quanta(span / size as u64));
        let room = Self { spans, count: in_quanta(tiling.most) };
        let refused =
            |limit_name, needed, limit| Err(Misfit::Refused(Error::device_limit(limit_name, needed, limit)));
        if room.count == 0 {
            let limit = limits.max_workgroups_per_dimension;
            return refused("max_compute_workgroups_per_dimension", u64::from(limit) + 1, limit.into());
        }
        if room.spans.contains(&0) {
            let needed = slack.saturating_mul(4);
            // A larger binding would not help: the alignment is at fault.
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
    /// the dimension with the longest span shrinks. If the tile has too many elements, the outermost one shrinks.
    fn too_long(&self, room: Room) -> Option<(usize, usize)> {
        let stride = |dim: &Dim, side: usize| [dim.src, dim.dst][side].unsigned_abs();
        let dims = || self.dims.iter().zip(self.extents).enumerate();
        for side in [DST, SRC] {
            let room = room.spans[side];
            let span = |(dim, extent): (&Dim, usize)| (extent - 1) * stride(dim, side);
            let total: usize = dims().map(|(_, dim)| span(dim)).sum();
            if total >= room {
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
