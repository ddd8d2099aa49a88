//! Blocks: boxes of a few dozen elements that an invocation loads, clamps and stores. A [`Block`] describes such a box.
//! Its text is straight-line WGSL, in which the places of elements within the box are constants.

mod around;
mod arrange;
mod choose;
mod cost;
mod extents;
mod rows;
mod runs;
#[cfg(test)]
mod sample;
mod text;

use std::fmt;

use bytemuck::{Pod, Zeroable};

use super::region::{DST, Region, SRC};
use super::walk::{BoundTile, Loop, Rank, Walk};
use super::{Dispatch, Launch, PACKET, Task, Tiling, WORD, WORKGROUP_SIZE};
use crate::MAX_RANK;
#[cfg(test)]
use crate::fragment::Mirror;
use crate::fragment::mirrors;

#[cfg(test)]
pub(crate) use rows::EDGE_INVOCATIONS;

/// The most dimensions of a block.
const MAX_DIMS: usize = 3;

/// Log2 of the side of a square of blocks: a workgroup of [`Shape::Squares`] takes 16 by 16 blocks, unless one side of
/// the tile is short.
const SQUARE_LOG2: u8 = 4;

/// Describes a block by its extents, its near strides and whether rows begin at packets. The uniform block holds
/// offsets and far strides instead, so few texts serve all tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Block {
    /// Bytes per element of src and of dst.
    sizes: [u8; 2],
    /// The first `rank` entries are the dimensions, outermost first; the others are [`Along::ONCE`].
    dims: [Along; MAX_DIMS],
    rank: u8,
    /// Elements of a dst row's first packet before the block's first element; they keep their bytes. 0 if packets have
    /// no bytes to preserve.
    kept_before: u8,
    reads: Reads,
    stores: Stores,
    numbers: Numbers,
    shape: Shape,
}

/// A dimension of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Along {
    /// Elements of the block along this dimension.
    extent: u8,
    /// The strides of src and dst.
    strides: [Stride; 2],
    /// The index of the region's dimension, counted from the innermost dimension, which is 0.
    place: u8,
    /// Whether its indices are channels.
    channels: bool,
}

/// A stride, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stride {
    /// At most [`NEAREST`](Stride::NEAREST) elements either way: a constant in the text.
    Near(i8),
    /// A number in the uniform block.
    Far,
}

/// How src is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Reads {
    /// By packets: all rows of a block begin at a packet of src.
    Packets,
    /// By words, for elements of whole words.
    Words,
    /// By words, for smaller elements: a row may begin within a word.
    Straddling,
    /// By packets of src, two for each packet of dst; for [`Shape::Rows`] only.
    Across,
}

/// What a block stores at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stores {
    Packets,
    /// Adjacent packets that the workgroup exchanges, so that neighbouring lanes store neighbouring packets.
    Exchanged,
    /// Words, of four one-byte elements or of one element. Where elements are words in src, neighbouring lanes then load neighbouring
    /// packets; where they are words in dst, words may begin anywhere.
    Words,
}

/// How many clamps the elements of a block have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Numbers {
    /// One clamp serves all elements.
    One,
    /// A block has one channel.
    Block,
    /// A block has several channels.
    Each,
}

/// Where blocks lie, and which blocks an invocation and its neighbours take. A second dispatch takes the elements
/// beside the whole packets of `Rows`, `Runs` and `Around`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shape {
    /// A block fills whole packets or words of dst. Neighbouring invocations take neighbouring blocks: the dimension along which
    /// blocks lie nearest to each other varies fastest.
    Line,
    /// As [`Line`](Shape::Line), but a workgroup takes a square of blocks. Its sides run along src's fastest dimension,
    /// the block's `along_src`-th, and along dst's fastest dimension, the block's last.
    Squares { along_src: u8 },
    /// Contiguous rows of dst that begin anywhere in a packet. A block is some whole packets of a row, or of several
    /// rows with the same source.
    Rows,
    /// Runs: adjacent elements of dst along several dimensions, which begin anywhere in a packet. An invocation takes
    /// [`UNITS`](runs::UNITS) blocks of a run in turn, along the block's `along`-th dimension, or neighbouring invocations
    /// take blocks `beside` each other. Each packet of dst joins the end of a block and the start of the next block.
    Runs { along: u8, beside: bool },
    /// One run of pixels on both sides, with a clamp per channel. The run is cut into rows of whole packets and whole
    /// pixels. A block takes one packet from each of several rows, at the same place, so its packets begin at the same
    /// channel. This may be any channel.
    Around,
}

impl Along {
    const ONCE: Self = Self { extent: 1, strides: [Stride::Near(0); 2], place: 0, channels: false };
}

impl Stride {
    /// The longest near stride, in elements.
    const NEAREST: usize = 64;

    fn of(stride: isize) -> Self {
        if stride.unsigned_abs() <= Self::NEAREST { Self::Near(stride as i8) } else { Self::Far }
    }
}

impl Reads {
    const fn by_words(size: usize) -> Self {
        if size >= WORD { Self::Words } else { Self::Straddling }
    }
}

impl Stores {
    /// Bytes of dst that are stored at once.
    const fn bytes(self) -> usize {
        match self {
            Self::Packets | Self::Exchanged => PACKET,
            Self::Words => WORD,
        }
    }
}

impl Block {
    /// A block with one to [`MAX_DIMS`] dimensions, outermost first.
    fn new(sizes: [usize; 2], dims: &[Along], reads: Reads, numbers: Numbers, shape: Shape) -> Self {
        let mut all = [Along::ONCE; MAX_DIMS];
        all[..dims.len()].copy_from_slice(dims);
        let sizes = sizes.map(|size| size as u8);
        let (rank, stores) = (dims.len() as u8, Stores::Packets);
        Self { sizes, dims: all, rank, kept_before: 0, reads, stores, numbers, shape }
    }

    fn dims(&self) -> &[Along] {
        &self.dims[..self.rank.into()]
    }

    fn len(&self) -> usize {
        self.dims().iter().map(|dim| usize::from(dim.extent)).product()
    }

    /// Bytes per element of one side.
    fn size(&self, side: usize) -> usize {
        self.sizes[side].into()
    }

    /// Elements of `size` bytes that are clamped at once.
    const fn at_once(size: usize) -> usize {
        if PACKET / size < LANES { PACKET / size } else { LANES }
    }

    /// Elements of dst that are stored at once.
    fn per_store(&self) -> usize {
        self.stores.bytes() / self.size(DST)
    }

    /// Packets that an invocation puts into workgroup memory at once: all of a block, or two.
    fn round(&self) -> usize {
        let packets = self.len() / self.per_store();
        if packets <= MOST_OF_ROUND { packets } else { 2 }
    }

    fn by_packets(&self) -> bool {
        matches!(self.reads, Reads::Packets | Reads::Across)
    }

    fn channel_dim(&self) -> Option<usize> {
        self.dims().iter().position(|dim| dim.channels)
    }

    /// Whether a second dispatch takes the elements beside whole packets.
    pub(super) const fn leaves_edges(&self) -> bool {
        !matches!(self.shape, Shape::Line | Shape::Squares { .. })
    }

    /// The index of a dimension of the block in `region`, which has as many dimensions as the claimed region.
    fn dim_of(dim: Along, region: &Region) -> usize {
        region.dims().len() - 1 - usize::from(dim.place)
    }
}

/// Describes a block for labels, the log and the head of its text: each dimension as `extent (stride in src to stride in dst)`, then
/// what differs from packets in a line. "Across words" is [`Reads::Straddling`], "to anywhere" is [`Shape::Runs`], "from any channel
/// on" is [`Shape::Around`].
impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, dim) in self.dims().iter().enumerate() {
            write!(f, "{}{}", if n == 0 { "" } else { " × " }, dim.extent)?;
            let stride = |side: usize| match dim.strides[side] {
                Stride::Near(stride) => stride.to_string(),
                Stride::Far => "far".to_owned(),
            };
            write!(f, " ({} to {})", stride(SRC), stride(DST))?;
        }
        f.write_str(match self.reads {
            Reads::Packets => ", by packets",
            Reads::Words => ", by words",
            Reads::Straddling => ", across words",
            Reads::Across => ", across packets",
        })?;
        f.write_str(match self.stores {
            Stores::Packets => "",
            Stores::Exchanged => ", exchanged",
            Stores::Words => ", to words",
        })?;
        f.write_str(match self.shape {
            Shape::Line | Shape::Squares { .. } => "",
            Shape::Rows => ", in rows",
            Shape::Runs { beside: false, .. } => ", to anywhere",
            Shape::Runs { beside: true, .. } => ", to anywhere, beside each other",
            Shape::Around => ", from any channel on",
        })?;
        match self.numbers {
            Numbers::One => Ok(()),
            Numbers::Block => f.write_str(", a channel each"),
            Numbers::Each => f.write_str(", of several channels"),
        }
    }
}

/// The most packets of a block in a round of [`Stores::Exchanged`]: with four, a workgroup exceeds the memory that every
/// device has.
const MOST_OF_ROUND: usize = 3;

/// Elements that the shaders compute at once.
const LANES: usize = 4;

mirrors! {
    /// Mirrors `Geometry` in `kernel/block.wgsl`.
    struct Geometry {
        walk: Walk,
        src_pitch: [u32; 4],
        dst_pitch: [u32; 4],
        steps: [u32; 4],
        blocks: [u32; 4],
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntryPoint {
    /// Selects the blocks or the elements beside whole packets.
    part: Part,
    /// `None` for [`Shape::Around`], which has no walk.
    rank: Option<Rank>,
    /// Log2 of the constant `SQUARES`: a workgroup's blocks along src's fastest dimension. For [`Shape::Squares`] only.
    squares_log2: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Blocks,
    Edges,
}

impl EntryPoint {
    const fn of(part: Part, rank: Option<Rank>) -> Self {
        Self { part, rank, squares_log2: None }
    }

    pub(super) const fn name(self) -> &'static str {
        match self.part {
            Part::Blocks => "block",
            Part::Edges => "block_edges",
        }
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        let squares = self.squares_log2.map(|log2| ("SQUARES", f64::from(1_u32 << log2)));
        self.rank.map(Rank::constant).into_iter().chain(squares).collect()
    }
}

/// A launch with these grids for blocks and for edges; `None` if there are none.
fn launch_of(
    geometry: &impl Pod,
    rank: Option<Rank>,
    blocks: Option<[u32; 2]>,
    edges: Option<[u32; 2]>,
) -> Launch {
    let dispatch = |(part, grid): (Part, Option<[u32; 2]>)| {
        let entry_point = super::EntryPoint::Block(EntryPoint::of(part, rank));
        grid.map(|grid| Dispatch { entry_point, grid })
    };
    Launch::new(geometry, [(Part::Blocks, blocks), (Part::Edges, edges)].map(dispatch))
}

impl Block {
    pub(super) fn tiling(&self, task: &Task, region: &Region) -> Tiling {
        let elements = self.len() as u64;
        let invocations = task.limits.invocations();
        let most = match self.shape {
            Shape::Line => invocations.saturating_mul(elements),
            // A workgroup may have only one block, in a narrow tile.
            Shape::Squares { .. } => task.limits.workgroups().saturating_mul(elements),
            Shape::Rows if region.dims().len() == 1 => invocations.saturating_mul(elements),
            // A row may be as short as one element, and its edges take `EDGE_INVOCATIONS`.
            Shape::Rows => invocations / rows::EDGE_INVOCATIONS,
            // A run may be as short as one block, which takes up to two invocations. Each element of its edges takes one.
            Shape::Runs { .. } => (invocations / 2).saturating_mul(elements / self.edge_elements() as u64),
            // If a run has one row, a block has one packet.
            Shape::Around => invocations.saturating_mul(self.per_store() as u64),
        };
        let mut tiling = Tiling::of_elements(most);
        for dim in self.dims() {
            let d = Self::dim_of(*dim, region);
            tiling.multiples[d] = match self.shape {
                // A tile has all channels of its pixels.
                Shape::Around if dim.channels => task.channels,
                Shape::Around => 1,
                // A row is cut at any number of packets' elements.
                Shape::Rows if dim.strides[DST] != Stride::Far => self.per_store(),
                _ => dim.extent.into(),
            };
        }
        if self.shape == Shape::Rows && region.dims().len() == 1 {
            tiling.lead = region.starts[DST] % self.per_store();
        }
        tiling
    }

    pub(super) fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let rank = tile.region.dims().len();
        let mut geometry = Geometry::zeroed();
        // Number of blocks along each dimension of the region, and strides from one block to the next.
        let mut all = [Loop::ONCE; MAX_RANK];
        let loops = &mut all[..rank];
        for (d, (along, dim)) in loops.iter_mut().zip(tile.region.dims()).enumerate() {
            *along = Loop::of(dim, tile.tile.extents[d]);
            if let Some(n) = self.dims().iter().position(|dim| Self::dim_of(*dim, tile.region) == d) {
                let extent = usize::from(self.dims[n].extent);
                geometry.src_pitch[n] = dim.src as u32;
                geometry.dst_pitch[n] = dim.dst as u32;
                *along = along.in_steps(extent as u64);
            }
        }
        match self.shape {
            Shape::Line => self.launch_line(tile, geometry, loops),
            Shape::Squares { along_src } => {
                let ends = [self.dims[usize::from(along_src)], self.dims[usize::from(self.rank) - 1]];
                Self::launch_squares(tile, geometry, loops, ends.map(|dim| Self::dim_of(dim, tile.region)))
            }
            Shape::Rows => self.launch_rows(tile, geometry, loops),
            Shape::Runs { along, beside } => {
                let along = Self::dim_of(self.dims[usize::from(along)], tile.region);
                self.launch_runs(tile, geometry, loops, (along, beside))
            }
            Shape::Around => self.launch_around(tile),
        }
    }

    #[cfg(test)]
    pub(super) fn entry_points(&self) -> Vec<EntryPoint> {
        let ranks = if self.shape == Shape::Around { vec![None] } else { Rank::ALL.map(Some).to_vec() };
        let of_rank = |rank| match self.shape {
            Shape::Line => vec![EntryPoint::of(Part::Blocks, rank)],
            Shape::Squares { .. } => {
                let of = |log2| EntryPoint { part: Part::Blocks, rank, squares_log2: Some(log2) };
                (0..=8).map(of).collect()
            }
            _ => [Part::Blocks, Part::Edges].map(|part| EntryPoint::of(part, rank)).to_vec(),
        };
        ranks.into_iter().flat_map(of_rank).collect()
    }

    #[cfg(test)]
    pub(super) fn twin(&self) -> crate::fragment::Twin {
        if self.shape == Shape::Around { around::Geometry::TWIN } else { Geometry::TWIN }
    }
}

/// The loops with an extent above 1.
fn repeated(loops: &[Loop]) -> impl Iterator<Item = Loop> {
    loops.iter().copied().filter(|along| along.extent > 1)
}

impl Block {
    fn launch_line(&self, tile: &BoundTile<'_>, mut geometry: Geometry, loops: &mut [Loop]) -> Launch {
        self.sort(loops, tile.task.limits.lanes);
        let (mut walk, rank) = Walk::over(tile, repeated(loops));
        let grid = walk.grid(tile);
        geometry.walk = walk;
        launch_of(&geometry, Some(rank), Some(grid), None)
    }

    /// Launches squares of blocks along the dimensions `ends`: src's fastest and dst's fastest.
    fn launch_squares(
        tile: &BoundTile<'_>,
        mut geometry: Geometry,
        loops: &mut [Loop],
        ends: [usize; 2],
    ) -> Launch {
        let [first, second] = ends.map(|d| loops[d]);
        let blocks = [first.extent, second.extent];
        // A square, unless the tile has few blocks along one side: invocations outside the tile are wasted.
        let workgroup = u64::from(WORKGROUP_SIZE);
        let short = 1 << SQUARE_LOG2;
        let wide = match blocks {
            [blocks, _] if blocks < short => blocks.next_power_of_two(),
            [_, blocks] if blocks < short => workgroup / blocks.next_power_of_two(),
            _ => short,
        };
        geometry.blocks = [blocks[0] as u32, blocks[1] as u32, 0, 0];
        geometry.steps = [first.src, first.dst, second.src, second.dst].map(|step| step as u32);
        let squares = [first.in_steps(wide), second.in_steps(workgroup / wide)];
        let others =
            loops.iter().enumerate().rev().filter(|(d, _)| !ends.contains(d)).map(|(_, along)| *along);
        let others = others.filter(|along| along.extent > 1);
        let (mut walk, rank) = Walk::over(tile, squares.into_iter().chain(others));
        let grid = tile.task.limits.grid(walk.count.into());
        walk.grid_width = grid[0];
        geometry.walk = walk;
        let squares_log2 = Some(wide.trailing_zeros() as u8);
        let blocks = EntryPoint { part: Part::Blocks, rank: Some(rank), squares_log2 };
        let dispatch = Dispatch { entry_point: super::EntryPoint::Block(blocks), grid };
        Launch::new(&geometry, [Some(dispatch), None])
    }
}
