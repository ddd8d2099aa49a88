//! The kernels `stream`, `boxes` and `words`, and what the plan and the shader modules ask of them. The other submodules
//! serve all kernels.

mod boxes;
mod choose;
mod grow;
mod limits;
mod piece;
pub(crate) mod region;
pub(crate) mod run;
#[cfg(test)]
mod sample;
mod stream;
mod text;
mod thresholds;
pub(crate) mod walk;
mod words;

use std::{array, fmt};

use bytemuck::Pod;

use crate::arithmetic::{Arithmetic, ParameterPlace, Shortcuts, StepNumbers};
use crate::fragment::{Fragment, MirrorBytes};
use crate::{Clamp, MAX_RANK};

pub(crate) use choose::{Candidate, candidates};
pub use limits::Limits;
pub(crate) use piece::Piece;
pub(crate) use region::{Dim, Region, Tile};
#[cfg(test)]
pub(crate) use sample::samples;
pub(crate) use walk::BoundTile;

/// Bytes in a packet: a `vec4<u32>`, which the kernels load and store at once where they can.
pub(crate) const PACKET: usize = 16;

/// Bytes in a word, the smallest load or store of a shader.
pub(crate) const WORD: usize = 4;

/// Invocations in a workgroup; `WORKGROUP_SIZE` of `grid.wgsl`.
pub(crate) const WORKGROUP_SIZE: u32 = 256;

/// The work that a kernel is chosen for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) arithmetic: Arithmetic,
    pub(crate) shortcuts: Shortcuts,
    /// The number of channels, each with its own clamp; 1 if one clamp serves all elements.
    pub(crate) channels: usize,
    /// Where the clamps' numbers lie.
    pub(crate) place: ParameterPlace,
    /// [`OneBuffer`](Placement::OneBuffer) or [`TwoBuffers`](Placement::TwoBuffers). In one buffer, the plan may still
    /// bind a window in [`TwoRanges`](Placement::TwoRanges).
    pub(crate) placement: Placement,
    pub(crate) limits: Limits,
}

impl Task {
    /// The task with the shortest arithmetic that serves all `clamps`; `None` if there is no clamp. `found` gets the numbers
    /// that a search finds for their steps, see [`Arithmetic::of`].
    pub(crate) fn of(
        clamps: &[Clamp],
        channels: usize,
        placement: Placement,
        limits: Limits,
        found: impl FnMut(usize, StepNumbers),
    ) -> Option<Self> {
        let arithmetic = Arithmetic::of(clamps, limits.f64_arithmetic, found)?;
        let shortcuts = Shortcuts::of(arithmetic, clamps);
        let has_slots = clamps.iter().any(|clamp| clamp.number_on_gpu().is_some());
        let place = if channels > 1 || has_slots { ParameterPlace::Table } else { ParameterPlace::Block };
        Some(Self { arithmetic, shortcuts, channels, place, placement, limits })
    }

    /// Whether the device's own instructions convert F16. On a CPU, integers are faster: the device's instructions reached
    /// 0.81 to 0.91 of their speed on lavapipe (16 MiB, 2026-11-26).
    pub(crate) fn converts_f16_by_device(&self) -> bool {
        !self.limits.cpu && self.limits.f16_conversions && self.arithmetic.converts_f16()
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

/// How a kernel's region is cut into tiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    /// The most elements of a tile. The largest grid covers them, and the kernel's integers can count them.
    pub(crate) most: u64,
    /// Tiles are cut along each dimension at multiples of this number, counted from `lead` elements before the region.
    pub(crate) multiples: [usize; MAX_RANK],
    /// Elements of dst from the preceding boundary of a packet or a word to the region's start, or 0. Along the innermost
    /// dimension, the first tile is shorter by this number, so that the other tiles start at such a boundary.
    pub(crate) lead: usize,
}

impl Tiling {
    /// Tiles of up to `most` elements, cut anywhere.
    fn of_elements(most: u64) -> Self {
        Self { most: most.min(i32::MAX as u64), multiples: [1; MAX_RANK], lead: 0 }
    }
}

/// One `dispatch_workgroups`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dispatch {
    pub(crate) kernel: Kernel,
    pub(crate) entry_point: EntryPoint,
    /// Workgroups along x and y.
    pub(crate) grid: [u32; 2],
}

/// A kernel's geometry and dispatches for one tile.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) geometry: GeometryBytes,
    pub(crate) dispatches: Vec<Dispatch>,
}

impl Launch {
    fn new(geometry: &impl Pod, dispatches: Vec<Dispatch>) -> Self {
        Self { geometry: GeometryBytes::of(geometry), dispatches }
    }
}

/// The bytes of a kernel's `Geometry`, the part of the uniform block that says where the elements are. A test checks that the
/// largest one fits.
pub(crate) type GeometryBytes = MirrorBytes<448>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// `stream` and `boxes`: moves pieces of several elements; its text is generated.
    Piece(Piece),
    /// Takes any layouts, element by element.
    Words,
}

/// An entry point, with the values of its own overridable constants, for the driver to fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntryPoint {
    /// The name of its function in WGSL.
    pub(crate) name: &'static str,
    constants: [Option<Constant>; MOST_CONSTANTS],
}

/// The name and the value of an overridable constant; 0 and 1 are a flag's values.
pub(crate) type Constant = (&'static str, u32);

/// The most constants of an entry point.
const MOST_CONSTANTS: usize = 5;

impl Kernel {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Piece(piece) => piece.order.kernel(),
            Self::Words => "words",
        }
    }

    const fn is_stream(self) -> bool {
        matches!(self, Self::Piece(Piece { order: piece::Order::Stream, .. }))
    }

    /// How a region is cut into tiles.
    pub(crate) fn tiling(&self, task: &Task, region: &Region) -> Tiling {
        match self {
            Self::Piece(piece) if self.is_stream() => piece.stream_tiling(task, region),
            Self::Piece(piece) => piece.boxes_tiling(task, region),
            // An invocation takes at least one element.
            Self::Words => Tiling::of_elements(task.limits.invocations()),
        }
    }

    /// The most dispatches that a tile takes.
    pub(crate) const fn dispatches(&self) -> usize {
        if self.is_stream() { 2 } else { 1 }
    }

    /// The geometry and the dispatches for one tile.
    pub(crate) fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        match self {
            Self::Piece(piece) if self.is_stream() => piece.launch_stream(tile),
            Self::Piece(piece) => piece.launch_boxes(tile),
            Self::Words => words::launch(tile),
        }
    }

    /// The fragments (WGSL files) of its modules.
    pub(crate) fn fragments(&self, arithmetic: Arithmetic) -> Vec<Fragment> {
        match self {
            Self::Piece(piece) => piece.fragments(arithmetic),
            Self::Words => words::fragments(arithmetic),
        }
    }

    /// The generated part of its modules, for a GPU or a CPU.
    pub(crate) fn text(&self, arithmetic: Arithmetic, placement: Placement, cpu: bool) -> String {
        match self {
            Self::Piece(piece) => piece.text(arithmetic, placement, cpu),
            Self::Words => words::text(cpu),
        }
    }

    /// The layout of its `Geometry`.
    #[cfg(test)]
    pub(crate) fn twin(&self) -> crate::fragment::Twin {
        use crate::fragment::Mirror;
        match self {
            Self::Piece(_) if !self.is_stream() => boxes::Geometry::TWIN,
            Self::Piece(_) | Self::Words => run::Geometry::TWIN,
        }
    }
}

impl EntryPoint {
    pub(crate) fn new(name: &'static str, constants: &[Constant]) -> Self {
        assert!(constants.len() <= MOST_CONSTANTS, "an entry point has few constants");
        Self { name, constants: array::from_fn(|n| constants.get(n).copied()) }
    }

    pub(crate) fn constants(self) -> impl Iterator<Item = (&'static str, f64)> {
        self.constants.into_iter().flatten().map(|(name, value)| (name, value.into()))
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
