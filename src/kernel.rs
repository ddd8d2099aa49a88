//! The kernels `block` and `gather`, and what the plan and the shader modules ask of them. The other submodules serve
//! both kernels.

mod block;
mod candidates;
mod cost;
pub(crate) mod gather;
mod limits;
pub(crate) mod region;
pub(crate) mod walk;

use std::fmt;

use bytemuck::Pod;

use crate::arithmetic::{Arithmetic, ParameterPlace, Shortcuts, SlotReads, StepNumbers, TableOrder};
use crate::fragment::{Fragment, MirrorBytes, fragment};
use crate::{Clamp, MAX_RANK};

pub(crate) use block::Block;
#[cfg(test)]
pub(crate) use block::EDGE_INVOCATIONS;
pub(crate) use candidates::{Candidate, Candidates};
pub use limits::{Lanes, Limits};
pub(crate) use region::{Dim, Region, Tile};
pub(crate) use walk::BoundTile;

/// Bytes in a packet: a `vec4<u32>`, which the kernels load and store at once where they can.
pub(crate) const PACKET: usize = 16;

/// Bytes in a word, the smallest load or store of a shader.
pub(crate) const WORD: usize = 4;

/// The most channels that lanes in step look up in the uniform block.
const FEW: usize = 8;

/// Invocations in a workgroup; `WORKGROUP_SIZE` of `grid.wgsl`.
pub(crate) const WORKGROUP_SIZE: u32 = 256;

/// The work that a kernel is chosen for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) arithmetic: Arithmetic,
    pub(crate) shortcuts: Shortcuts,
    /// The number of channels, each with its own clamp; 1 if one clamp serves all elements.
    pub(crate) channels: usize,
    /// [`OneBuffer`](Placement::OneBuffer) or [`TwoBuffers`](Placement::TwoBuffers). In one buffer, the plan may still
    /// bind a window in [`TwoRanges`](Placement::TwoRanges).
    pub(crate) placement: Placement,
    pub(crate) limits: Limits,
}

impl Task {
    /// The task with the shortest arithmetic that serves all `clamps`; `None` if there is no clamp. `found` gets the numbers
    /// of their steps, see [`Arithmetic::of`].
    pub(crate) fn of(
        clamps: &[Clamp],
        channels: usize,
        placement: Placement,
        limits: Limits,
        found: impl FnMut(usize, StepNumbers),
    ) -> Option<Self> {
        let arithmetic = Arithmetic::of(clamps, limits.f64_arithmetic, found)?;
        let shortcuts = Shortcuts::of(arithmetic, clamps);
        Some(Self { arithmetic, shortcuts, channels, placement, limits })
    }

    pub(crate) const fn parameter_place(&self) -> ParameterPlace {
        // A GPU reads a uniform array one address at a time where the indices of lanes differ. On an H200, 64 channels of
        // I32 took as long as 20 copies; a table in storage was four times as fast.
        // On lavapipe, 64 channels from a table in storage took up to 2.8 times as long (16 MiB, 2026-11-27).
        let most = match self.limits.lanes {
            Lanes::InStep => FEW,
            Lanes::InSequence => ParameterPlace::Block.in_block(),
        };
        ParameterPlace::of(self.channels, most)
    }

    /// The order of channels' parameters in a storage buffer. `IN_SEQUENCE` tells the shader.
    pub(crate) const fn table_order(&self) -> TableOrder {
        match self.limits.lanes {
            Lanes::InStep => TableOrder::ByNumber,
            Lanes::InSequence => TableOrder::ByChannel,
        }
    }

    /// Whether the device's own instructions convert F16. In sequence, integers are faster: the device's
    /// instructions reached 0.81 to 0.91 of their speed on lavapipe (16 MiB, 2026-11-26).
    pub(crate) fn converts_f16_by_device(&self) -> bool {
        let in_step = matches!(self.limits.lanes, Lanes::InStep);
        in_step && self.limits.f16_conversions && self.arithmetic.converts_f16()
    }

    /// Elements of dst in a packet.
    const fn per_packet(&self) -> usize {
        PACKET / self.arithmetic.dtype.size()
    }

    /// Whether a region of the task is clamped in place.
    pub(crate) fn in_place(&self, region: &Region) -> bool {
        self.placement != Placement::TwoBuffers && self.arithmetic.one_size().is_some() && region.in_place()
    }
}

/// The part of a region that a kernel would take: the whole region, or the part that the cuts keep.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Applied in order. The parts cut off, at most two, go to kernels whose claims have no cuts.
    pub(crate) cuts: [Option<Cut>; 2],
    /// For src and dst: the alignment of a binding's end, in bytes. It may exceed a word only if elements follow the
    /// claimed part, because a binding must not end behind its buffer.
    pub(crate) ends: [u64; 2],
}

/// Keeps a range of the indices of one dimension of a region.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) dim: usize,
    pub(crate) first: usize,
    pub(crate) extent: usize,
}

impl Claim {
    pub(crate) const fn all() -> Self {
        Self { cuts: [None; 2], ends: [WORD as u64; 2] }
    }

    /// The number of parts of a region that the cuts leave to other kernels.
    pub(crate) fn parts(&self, region: &Region) -> usize {
        let left = |cut: &Cut| {
            let behind = cut.first + cut.extent < region.dims()[cut.dim].extent;
            usize::from(cut.first > 0) + usize::from(behind)
        };
        self.cuts.iter().flatten().map(left).sum()
    }

    /// The part of a region that the cuts keep. A cut to one index drops its dimension, so no further cut may name a
    /// dimension behind it.
    pub(crate) fn main(&self, region: &Region) -> Region {
        let cuts = self.cuts.iter().flatten();
        cuts.fold(*region, |main, cut| main.slice(cut.dim, cut.first, cut.extent))
    }
}

/// How a kernel's region is cut into tiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    /// The most elements of a tile. The largest grid covers them, and the kernel's integers can count them.
    pub(crate) most: u64,
    /// Tiles are cut along each dimension at multiples of this number, counted from `lead` elements before the region.
    pub(crate) multiples: [usize; MAX_RANK],
    /// Elements of dst from the preceding packet boundary to the region's start, or 0. Along the innermost dimension, the
    /// first tile is shorter by this number, so that the other tiles start at packet boundaries.
    pub(crate) lead: usize,
}

impl Tiling {
    /// Tiles of up to `most` elements, cut anywhere.
    fn of_elements(most: u64) -> Self {
        Self { most: most.min(i32::MAX as u64), multiples: [1; MAX_RANK], lead: 0 }
    }
}

/// One `dispatch_workgroups`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dispatch {
    pub(crate) entry_point: EntryPoint,
    /// Workgroups along x and y.
    pub(crate) grid: [u32; 2],
}

/// A kernel's geometry and dispatches for one tile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) geometry: GeometryBytes,
    dispatches: [Option<Dispatch>; 2],
}

impl Launch {
    /// Holds `dispatches` in the order in which they are recorded; `None` is a dispatch with nothing to do.
    fn new(geometry: &impl Pod, dispatches: [Option<Dispatch>; 2]) -> Self {
        Self { geometry: GeometryBytes::of(geometry), dispatches }
    }

    pub(crate) fn dispatches(&self) -> impl Iterator<Item = Dispatch> {
        self.dispatches.into_iter().flatten()
    }
}

/// The bytes of a kernel's `Geometry`, the part of the uniform block that says where the elements are. A test checks that the
/// largest one fits.
pub(crate) type GeometryBytes = MirrorBytes<256>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// Moves boxes of elements; its text is generated.
    Block(Block),
    /// Takes any layouts, element by element.
    Gather,
}

/// An entry point, with the values of its own overridable constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EntryPoint {
    Block(block::EntryPoint),
    Gather(gather::EntryPoint),
    /// Reads numbers on the GPU (`resolve.wgsl`).
    Resolve(SlotReads),
}

impl Kernel {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Block(_) => "block",
            Self::Gather => "gather",
        }
    }

    /// How a region is cut into tiles.
    pub(crate) fn tiling(&self, task: &Task, region: &Region) -> Tiling {
        match self {
            Self::Block(block) => block.tiling(task, region),
            // An invocation takes at least one element.
            Self::Gather => Tiling::of_elements(task.limits.invocations()),
        }
    }

    /// The most dispatches that a tile takes.
    pub(crate) const fn dispatches(&self) -> usize {
        match self {
            Self::Block(block) if block.leaves_edges() => 2,
            Self::Block(_) | Self::Gather => 1,
        }
    }

    /// The geometry and the dispatches for one tile.
    pub(crate) fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        match self {
            Self::Block(block) => block.launch(tile),
            Self::Gather => gather::launch(tile),
        }
    }

    /// The fragments (WGSL files) of its modules.
    pub(crate) fn fragments(&self, arithmetic: Arithmetic) -> Vec<Fragment> {
        match self {
            Self::Block(block) => block.fragments(arithmetic),
            Self::Gather => gather::fragments(arithmetic),
        }
    }

    /// The generated part of its modules, if any.
    pub(crate) fn text(&self, arithmetic: Arithmetic, placement: Placement) -> Option<String> {
        match self {
            Self::Block(block) => Some(block.text(arithmetic, placement)),
            Self::Gather => None,
        }
    }

    /// Its entry points, with all values of their constants.
    #[cfg(test)]
    pub(crate) fn entry_points(&self) -> Vec<EntryPoint> {
        match self {
            Self::Block(block) => block.entry_points().into_iter().map(EntryPoint::Block).collect(),
            Self::Gather => gather::EntryPoint::all().into_iter().map(EntryPoint::Gather).collect(),
        }
    }

    /// The layout of its `Geometry`.
    #[cfg(test)]
    pub(crate) fn twin(&self) -> crate::fragment::Twin {
        match self {
            Self::Block(block) => block.twin(),
            Self::Gather => gather::twin(),
        }
    }
}

impl EntryPoint {
    /// The name of its function in WGSL.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Block(entry_point) => entry_point.name(),
            Self::Gather(_) => "gather",
            Self::Resolve(_) => "resolve",
        }
    }

    /// Names and values of its overridable constants, for the driver to fold.
    pub(crate) fn constants(self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Block(entry_point) => entry_point.constants(),
            Self::Gather(entry_point) => entry_point.constants(),
            Self::Resolve(reads) => reads.constants(),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How src and dst are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Placement {
    /// In one buffer, within one binding.
    OneBuffer,
    /// In one buffer, in two bindings that share no word.
    TwoRanges,
    /// In two buffers.
    TwoBuffers,
}

impl Placement {
    /// In the order of the variants.
    pub(crate) const ALL: [Self; 3] = [Self::OneBuffer, Self::TwoRanges, Self::TwoBuffers];

    /// The placement that a clamp is planned for.
    pub(crate) const fn of(in_one_buffer: bool) -> Self {
        if in_one_buffer { Self::OneBuffer } else { Self::TwoBuffers }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OneBuffer => "one buffer",
            Self::TwoRanges => "two ranges of one buffer",
            Self::TwoBuffers => "two buffers",
        })
    }
}

/// The fragments that load single elements.
fn load_fragments(arithmetic: Arithmetic) -> Vec<Fragment> {
    let [src, dst] = arithmetic.sizes();
    let load = match src {
        1 => fragment!("access/load8"),
        2 => fragment!("access/load16"),
        4 => fragment!("access/load32"),
        _ => return vec![fragment!("access/load64")],
    };
    // Atomics change a word that holds several elements of dst. If src lies in the same binding, atomics load it too.
    vec![load, if dst < WORD { fragment!("access/contended") } else { fragment!("access/plain") }]
}

/// The fragments that store single elements.
fn store_fragments(arithmetic: Arithmetic) -> Vec<Fragment> {
    match arithmetic.dtype.size() {
        size @ (1 | 2) => vec![fragment!("access/store_packed"), size_fragment(size)],
        4 => vec![fragment!("access/store32")],
        _ => vec![fragment!("access/store64")],
    }
}

/// The fragment with the sizes of an element of dst and of a unit (the larger of a word and an element).
fn size_fragment(size: usize) -> Fragment {
    match size {
        1 => fragment!("access/to8"),
        2 => fragment!("access/to16"),
        4 => fragment!("access/to32"),
        _ => fragment!("access/to64"),
    }
}

/// A boolean constant.
fn flag(name: &'static str, value: bool) -> (&'static str, f64) {
    (name, f64::from(u8::from(value)))
}
