//! The kernels: blocks, each by a text of its own, and one that gathers what no block suits; and what the plan and the shader
//! modules ask of either. The other modules are what both share.

mod block;
mod division;
pub(crate) mod gather;
mod limits;
pub(crate) mod region;
mod tile;
pub(crate) mod walk;

use std::fmt;

use crate::arithmetic::{AffineStep, Arithmetic, ParameterPlace, Reads, Shortcuts};
use crate::fragment::{Fragment, fragment};
use crate::{Clamp, DType};

pub(crate) use block::Block;
#[cfg(test)]
pub(crate) use block::{EDGE_INVOCATIONS, layouts};
pub use limits::Limits;
pub(crate) use region::{Dim, Region};
pub(crate) use tile::{BoundTile, Dispatch, GeometryBytes, Launch, Tile};

/// Bytes in a packet, what the kernels load and store at once where they can: a `vec4<u32>`.
pub(crate) const PACKET: usize = 16;

/// Bytes in a word, the least that a shader can load or store.
pub(crate) const WORD: usize = 4;

/// Invocations in a workgroup of the kernels that take a grid; `WORKGROUP_SIZE` of `params.wgsl`.
pub(crate) const WORKGROUP_SIZE: u32 = 256;

/// What there is to do with each element of a region: what its kernel is chosen for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) arithmetic: Arithmetic,
    pub(crate) shortcuts: Shortcuts,
    /// Numbers of their own each; 1 if one clamp serves all elements.
    pub(crate) channels: usize,
    /// [`OneBuffer`](Placement::OneBuffer) or [`TwoBuffers`](Placement::TwoBuffers).
    pub(crate) placement: Placement,
    pub(crate) limits: Limits,
}

impl Task {
    /// The shortest arithmetic that serves all `clamps`, one for each channel or one for all elements; `None` if there
    /// is none.
    pub(crate) fn of(
        clamps: &[Clamp],
        channels: usize,
        placement: Placement,
        limits: Limits,
    ) -> Option<Self> {
        let arithmetic = Arithmetic::new(clamps.first()?, AffineStep::of(clamps, limits.f64_arithmetic));
        let shortcuts = Shortcuts::of(arithmetic, clamps);
        Some(Self { arithmetic, shortcuts, channels, placement, limits })
    }

    /// How the numbers of the clamps come to the kernel.
    pub(crate) const fn parameter_place(&self) -> ParameterPlace {
        ParameterPlace::of(self.channels)
    }

    /// Elements of dst in a packet.
    const fn per_packet(&self) -> usize {
        PACKET / self.arithmetic.dtype.size()
    }

    /// Elements of dst in a word, of which one that is larger is 1.
    const fn per_word(&self) -> usize {
        per_word(self.arithmetic.dtype)
    }

    /// Whether a region of the task is clamped in place.
    pub(crate) fn in_place(&self, region: &Region) -> bool {
        self.placement != Placement::TwoBuffers && self.arithmetic.one_size().is_some() && region.in_place()
    }
}

/// Elements in a word, of which one that is larger is 1.
const fn per_word(dtype: DType) -> usize {
    WORD.div_ceil(dtype.size())
}

/// What a kernel would take of a region: all of it, or what is left when some of its dimensions are cut.
#[derive(Clone, Copy)]
pub(crate) struct Claim {
    /// One after the other. What lies before and behind each is left to kernels that cut nothing; there are two such
    /// parts at most.
    pub(crate) cuts: [Option<Cut>; 2],
    /// Elements between the preceding 16-byte boundary and the start, subtracted from the first tile.
    pub(crate) lead: usize,
    /// The ends of the bindings of src and dst are multiples of so many bytes. More than a word is for claims behind
    /// which so much is left.
    pub(crate) ends: [u64; 2],
}

/// A range of the indices of one dimension of a region.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) dim: usize,
    pub(crate) first: usize,
    pub(crate) extent: usize,
}

impl Claim {
    /// The whole region.
    const fn all() -> Self {
        Self { cuts: [None; 2], lead: 0, ends: [WORD as u64; 2] }
    }
}

/// How a kernel's regions are cut into tiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    /// The greatest number that [`Definition::multiple`] tells, but for channels that are taken together.
    pub(crate) quantum: usize,
    /// The most elements that the largest grid covers for sure, and that the kernel's numbers can count.
    pub(crate) most: u64,
}

impl Tiling {
    /// Cut anywhere, into tiles with an element for each invocation at least.
    fn of_elements(task: &Task) -> Self {
        let invocations = task.limits.invocations();
        Self { quantum: 1, most: invocations.min(i32::MAX as u64) }
    }
}

/// What each kernel tells.
pub(crate) trait Definition {
    /// How its regions are cut.
    fn tiling(&self, task: &Task, region: &Region) -> Tiling;

    /// The most dispatches that a tile takes.
    fn dispatches(&self) -> usize;

    /// What dimension `d` of a region is cut at multiples of.
    fn multiple(&self, _region: &Region, _d: usize) -> usize {
        1
    }

    /// What its dispatches are told of one tile.
    fn launch(&self, tile: &BoundTile<'_>) -> Launch;

    /// Its fragments.
    fn fragments(&self, arithmetic: Arithmetic) -> Vec<Fragment>;

    /// The rest of its text, where it has no file.
    fn text(&self, _arithmetic: Arithmetic, _placement: Placement) -> Option<String> {
        None
    }

    /// Its entry points, with all values of their constants.
    #[cfg(any(test, fuzzing))]
    fn entry_points(&self) -> Vec<EntryPoint>;

    /// Where the members of its `Geometry` lie, for the test that compares them with those in WGSL.
    #[cfg(test)]
    fn twin(&self) -> Twin;
}

/// A struct that has a twin in WGSL: its name there, its members but for padding, and its size in bytes.
#[cfg(test)]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Twin {
    pub(crate) name: &'static str,
    pub(crate) members: Vec<(&'static str, usize)>,
    pub(crate) size: usize,
}

/// The [`Twin`] of a struct.
#[cfg(test)]
macro_rules! twin {
    ($name:literal, $t:ty: $($member:ident)*) => {
        $crate::kernel::Twin {
            name: $name,
            members: vec![$((stringify!($member), std::mem::offset_of!($t, $member))),*],
            size: size_of::<$t>(),
        }
    };
}

#[cfg(test)]
pub(crate) use twin;

/// How the elements are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// Blocks of elements, each by text of its own.
    Block(Block),
    /// Any layouts, element by element.
    Gather,
}

/// What a pipeline is made of, beside its module: an entry point, with the values of the overridable constants that it
/// knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EntryPoint {
    Block(block::EntryPoint),
    Gather(gather::EntryPoint),
    /// Numbers on the GPU, by `resolve.wgsl`.
    Resolve(Reads),
}

impl Kernel {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Block(_) => "block",
            Self::Gather => "gather",
        }
    }

    pub(crate) const fn definition(&self) -> &dyn Definition {
        match self {
            Self::Block(block) => block,
            Self::Gather => &gather::Gather,
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

/// What the kernels would take of a region, in the order in which they are asked; the last one takes all of it.
pub(crate) fn claims(task: &Task, region: &Region) -> impl Iterator<Item = (Kernel, Claim)> {
    let blocks = Block::claims(task, region).map(|(block, claim)| (Kernel::Block(block), claim));
    blocks.chain([(Kernel::Gather, Claim::all())])
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
    /// In one buffer, within bindings of their own that share no word.
    TwoRanges,
    /// In two buffers.
    TwoBuffers,
}

impl Placement {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 3] = [Self::OneBuffer, Self::TwoRanges, Self::TwoBuffers];
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

/// How single elements are loaded.
fn load_fragments(arithmetic: Arithmetic) -> Vec<Fragment> {
    let [src, dst] = arithmetic.sizes();
    let load = match src {
        1 => fragment!("access/load8"),
        2 => fragment!("access/load16"),
        4 => fragment!("access/load32"),
        _ => return vec![fragment!("access/load64")],
    };
    // With both sides in one buffer it is one array, of atomic words or of others.
    vec![load, if dst < WORD { fragment!("access/contended") } else { fragment!("access/plain") }]
}

/// How single elements are stored.
fn store_fragments(arithmetic: Arithmetic) -> Vec<Fragment> {
    match arithmetic.dtype.size() {
        size @ (1 | 2) => vec![fragment!("access/store_packed"), size_fragment(size)],
        4 => vec![fragment!("access/store32")],
        _ => vec![fragment!("access/store64")],
    }
}

/// The sizes of an element of dst, in bytes, and of a unit.
fn size_fragment(size: usize) -> Fragment {
    match size {
        1 => fragment!("access/to8"),
        2 => fragment!("access/to16"),
        4 => fragment!("access/to32"),
        _ => fragment!("access/to64"),
    }
}

/// A constant that is true or false.
fn flag(name: &'static str, value: bool) -> (&'static str, f64) {
    (name, f64::from(u8::from(value)))
}
