//! Any layouts: elements one by one, several of them along the first dimension per invocation.

use bytemuck::{Pod, Zeroable};

use super::region::Region;
use super::tile::{BoundTile, Launch};
use super::walk::{First, Items, Rank, Walk};
use super::{Claim, Claimant, Definition, Task, Tiling, load_fragments, store_fragments};
use crate::arithmetic::{Arithmetic, Operators};
use crate::fragment::{Fragment, fragment};

/// Mirrors `Geometry` in `kernel/strided.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) walk: Walk,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntryPoint {
    pub(crate) rank: Rank,
    pub(crate) items: Items,
}

impl EntryPoint {
    #[expect(clippy::unused_self, reason = "as those of the other kernels")]
    pub(super) const fn name(self) -> &'static str {
        "strided"
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        [&[self.rank.constant()][..], &First::Items(self.items).constants()].concat()
    }
}

pub(super) struct Strided;

impl Claimant for Strided {
    fn claim(&self, _: &Task, _: &Region) -> Option<Claim> {
        Some(Claim::all("no faster kernel suits these strides"))
    }
}

impl Definition for Strided {
    fn tiling(&self, task: &Task) -> Tiling {
        Tiling::of_elements(task)
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let (mut walk, rank, items) = Walk::over_items(tile, 0);
        let grid = walk.grid(tile);
        let entry_point = super::EntryPoint::Strided(EntryPoint { rank, items });
        Launch::single(&Geometry { walk }, entry_point, grid)
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        let mut fragments = vec![
            fragment!("kernel/strided"),
            fragment!("kernel/walk"),
            fragment!("kernel/divide"),
            fragment!("kernel/items"),
        ];
        fragments.extend(load_fragments(arithmetic));
        fragments.extend(store_fragments(arithmetic));
        fragments
    }

    fn entry_points(&self, arithmetic: Arithmetic) -> Vec<super::EntryPoint> {
        let dtype = arithmetic.dtype;
        let of_rank = |rank| Items::all(dtype).into_iter().map(move |items| EntryPoint { rank, items });
        Rank::ALL.into_iter().flat_map(of_rank).map(super::EntryPoint::Strided).collect()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: walk)
    }
}
