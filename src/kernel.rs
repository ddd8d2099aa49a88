//! The kernels: which there are, and what the plan and the shader modules ask of each. `block` writes its
//! texts; each other kernel is one module, beside which `shaders/kernel/` has a file of the same name. The other modules are
//! what several kernels share.

#![cfg_attr(
    not(test),
    expect(dead_code, reason = "only tests ask which entry points and constants there are")
)]

mod block;
pub(crate) mod contiguous;
pub(crate) mod division;
pub(crate) mod fill;
pub(crate) mod interleaved;
mod limits;
pub(crate) mod region;
pub(crate) mod row;
pub(crate) mod row_edges;
pub(crate) mod rows;
pub(crate) mod run_edges;
pub(crate) mod strided;
mod tile;
pub(crate) mod walk;
pub(crate) mod words;

use std::{fmt, iter};

use crate::DType;
use crate::arithmetic::{Arithmetic, Operators};
use crate::fragment::{Fragment, fragment};

pub(crate) use block::Block;
#[cfg(test)]
pub(crate) use block::layouts;
pub use limits::Limits;
pub(crate) use region::{Dim, Region};
pub(crate) use tile::{BoundTile, Dispatch, GeometryBytes, Launch, Tile};

/// Bytes in a packet, what the kernels load and store at once where they can: a `vec4<u32>`.
pub(crate) const PACKET: usize = 16;

/// Bytes in a word, the least that a shader can load or store.
pub(crate) const WORD: usize = 4;

/// Invocations in a workgroup of the kernels that take a grid; `WORKGROUP_SIZE` of `params.wgsl`.
pub(crate) const WORKGROUP_SIZE: u32 = 256;

/// What a kernel is chosen for, beside the region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task {
    pub(crate) arithmetic: Arithmetic,
    /// One clamp each; 1 if one serves all elements.
    pub(crate) channels: usize,
    /// [`OneBuffer`](Placement::OneBuffer) or [`TwoBuffers`](Placement::TwoBuffers).
    pub(crate) placement: Placement,
    pub(crate) limits: Limits,
}

impl Task {
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
    /// Why the kernel suits the region, for [`Plan`](crate::Plan)'s `Display`.
    pub(crate) why: &'static str,
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
    const fn all(why: &'static str) -> Self {
        Self { cuts: [None; 2], lead: 0, ends: [WORD as u64; 2], why }
    }
}

/// How a kernel's regions are cut into tiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiling {
    /// The greatest number that [`Definition::multiple`] tells, but for channels that are taken together.
    pub(crate) quantum: usize,
    /// The most elements that the largest grid covers for sure, and that the kernel's numbers can count.
    pub(crate) most: u64,
    /// The most dispatches that a tile takes.
    pub(crate) dispatches: usize,
}

impl Tiling {
    /// Cut anywhere, into tiles of one dispatch with an element for each invocation at least.
    fn of_elements(task: &Task) -> Self {
        let invocations = task.limits.invocations();
        Self { quantum: 1, most: invocations.min(i32::MAX as u64), dispatches: 1 }
    }
}

/// A kernel of which there is one.
pub(crate) trait Claimant: Definition {
    /// Whether it has modules for such clamps.
    fn serves(&self, _arithmetic: Arithmetic, _placement: Placement) -> bool {
        true
    }

    /// What it would take of a region of a task that it serves; `None` if another kernel suits it better.
    fn claim(&self, task: &Task, region: &Region) -> Option<Claim>;
}

/// What each kernel tells.
pub(crate) trait Definition {
    /// Whether it takes channels as elements next to each other; otherwise what it works on at once is of one channel.
    fn takes_lanes(&self) -> bool {
        false
    }

    /// Whether it takes clamps that come to it like this.
    fn serves_operators(&self, operators: Operators) -> bool {
        operators.are_lanes() == self.takes_lanes()
    }

    /// How its regions are cut.
    fn tiling(&self, task: &Task) -> Tiling;

    /// What dimension `d` of a region is cut at multiples of.
    fn multiple(&self, _region: &Region, _d: usize, _task: &Task) -> usize {
        1
    }

    /// What its dispatches are told of one tile.
    fn launch(&self, tile: &BoundTile<'_>) -> Launch;

    /// Its fragments.
    fn fragments(&self, arithmetic: Arithmetic, operators: Operators) -> Vec<Fragment>;

    /// The rest of its text, where it has no file.
    fn text(&self, _arithmetic: Arithmetic, _placement: Placement) -> Option<String> {
        None
    }

    /// Its entry points, with all values of their constants.
    fn entry_points(&self, arithmetic: Arithmetic) -> Vec<EntryPoint>;

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

/// Makes one enum of the kernels, and one of their entry points.
macro_rules! kernels {
    ($($(#[$doc:meta])* $Kernel:ident: $module:ident,)*) => {
        /// How the elements are reached.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Kernel {
            /// Blocks of elements, each by text of its own.
            Block(Block),
            $($(#[$doc])* $Kernel,)*
        }

        /// What a pipeline is made of, beside its module: an entry point, with the values of the overridable constants
        /// that it knows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum EntryPoint {
            /// Blocks of elements.
            Block(block::EntryPoint),
            $($(#[$doc])* $Kernel($module::EntryPoint),)*
            /// Bounds on the GPU, by `resolve.wgsl`.
            Resolve,
        }

        impl Kernel {
            /// Those of which there is one, in the order in which they are asked; the last one takes everything.
            pub(crate) const SINGLE: &[Self] = &[$(Self::$Kernel,)*];

            /// The name of its module, and of its file in `shaders/kernel/`.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    Self::Block(_) => "block",
                    $(Self::$Kernel => stringify!($module),)*
                }
            }

            pub(crate) const fn definition(&self) -> &dyn Definition {
                match self {
                    Self::Block(block) => block,
                    $(Self::$Kernel => &$module::$Kernel,)*
                }
            }

            /// Who claims for a kernel of which there is one.
            pub(crate) const fn claimant(self) -> Option<&'static dyn Claimant> {
                match self {
                    Self::Block(_) => None,
                    $(Self::$Kernel => Some(&$module::$Kernel),)*
                }
            }
        }

        impl EntryPoint {
            /// The name of its function in WGSL.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    Self::Block(entry_point) => entry_point.name(),
                    $(Self::$Kernel(entry_point) => entry_point.name(),)*
                    Self::Resolve => "resolve",
                }
            }

            /// Names and values of its overridable constants, for the driver to fold.
            pub(crate) fn constants(self) -> Vec<(&'static str, f64)> {
                match self {
                    Self::Block(entry_point) => entry_point.constants(),
                    $(Self::$Kernel(entry_point) => entry_point.constants(),)*
                    Self::Resolve => vec![],
                }
            }
        }
    };
}

kernels! {
    /// Packets, src and dst at the same distance from a 16-byte boundary.
    Contiguous: contiguous,
    /// As `Contiguous`, elements next to each other being of different channels.
    Interleaved: interleaved,
    /// Rows of packets without gaps on both sides, at any distance from a packet.
    Rows: rows,
    /// Rows of packets in dst, of one element of src each.
    Fill: fill,
    /// Words of dst that hold several elements, or one at a fixed place.
    Words: words,
    /// Single elements, any layouts.
    Strided: strided,
}

/// What the kernels that serve a task would take of a region, in the order in which they are asked.
pub(crate) fn claims(task: &Task, region: &Region) -> impl Iterator<Item = (Kernel, Claim)> {
    let single = move |kernel: &Kernel| {
        let claimant =
            kernel.claimant().filter(|claimant| claimant.serves(task.arithmetic, task.placement))?;
        Some((*kernel, claimant.claim(task, region)?))
    };
    // Blocks come behind the kernels of one run.
    let (runs, others) = Kernel::SINGLE.split_at(2);
    let block = iter::once_with(move || Block::claim(task, region)).flatten();
    let block = block.map(|(block, claim)| (Kernel::Block(block), claim));
    runs.iter().filter_map(single).chain(block).chain(others.iter().filter_map(single))
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
