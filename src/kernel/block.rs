//! Blocks: boxes of a region of a few dozen elements, an invocation each. A [`Block`] says what one moves; its text is
//! made of that, straight-line WGSL with the places of all elements as constants.

mod around;
mod arrange;
mod choose;
mod rows;
mod runs;
#[cfg(test)]
mod sample;
mod text;

use std::fmt;

use bytemuck::{Pod, Zeroable};

use super::gather::unit_fragments;
use super::region::{DST, Region, SRC};
use super::tile::{BoundTile, Dispatch, Launch, Loop};
use super::walk::{Rank, Walk};
use super::{
    Definition, PACKET, Placement, Task, Tiling, WORD, WORKGROUP_SIZE, load_fragments, store_fragments,
};
use crate::MAX_RANK;
use crate::arithmetic::{Arithmetic, LANES};
use crate::fragment::{Fragment, fragment};

#[cfg(test)]
pub(crate) use rows::EDGE_INVOCATIONS;
#[cfg(test)]
pub(crate) use sample::layouts;

/// The most dimensions of a block.
const MAX_DIMS: usize = 3;

/// Blocks that a workgroup takes along src's fastest dimension where src and dst are fastest along different ones, 2 to
/// this power; along dst's fastest dimension the others of 256.
const SQUARE_LOG2: u8 = 4;

/// What a block moves, and along which dimensions of a region. Of strides only short ones are in it, and of phases only
/// whether rows begin at packets, so that extents, offsets and long strides change no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Block {
    /// Of an element of src and of dst, in bytes.
    sizes: [u8; 2],
    /// As many as `rank`, outermost first; the others are [`Along::ONCE`].
    dims: [Along; MAX_DIMS],
    rank: u8,
    /// Places of a row of dst before its first element, in a packet of which some stays.
    lead: u8,
    reads: Reads,
    numbers: Numbers,
    shape: Shape,
}

/// A dimension of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Along {
    /// Elements of the block along it.
    extent: u8,
    /// The strides of src and dst.
    strides: [Stride; 2],
    /// The region's dimension, counted from the innermost one, which is 0.
    place: u8,
    /// Whether its indices are channels.
    channels: bool,
}

/// A stride, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stride {
    /// Of up to [`NEAREST`](Stride::NEAREST) elements either way: in the text.
    Near(i8),
    /// In the uniform block.
    Far,
}

/// How src is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Reads {
    /// By packets: all rows of src begin at one.
    Packets,
    /// By words, of elements that are whole words.
    Words,
    /// By words, of smaller elements: a row may begin within one.
    Straddling,
    /// By packets, two for each of dst: those of [`Shape::Rows`].
    Across,
}

/// Which clamp an element has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Numbers {
    /// One clamp serves all elements.
    One,
    /// A block's elements are of one channel.
    Block,
    /// A block's elements are of several channels.
    Each,
}

/// Where blocks lie, and what an invocation and its neighbours take of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Shape {
    /// A block of whole packets of dst; neighbours take the next ones, the nearest first.
    Line,
    /// The same, by squares of blocks: along src's fastest dimension, which is the block's `along_src`-th, and along its last
    /// one, which is dst's.
    Squares { along_src: u8 },
    /// Rows of dst without gaps begin anywhere: some of the whole packets of one. What lies beside these is another
    /// dispatch's.
    Rows,
    /// Runs of dst of several dimensions begin anywhere: [some](runs::UNITS) blocks of one in turn, along the block's `along`-th
    /// dimension; each packet of dst has the end of one and the start of the next. What lies before the first whole packet of
    /// a run and behind the last one is another dispatch's.
    Runs { along: u8 },
    /// One run of pixels on both sides, with a clamp for each channel: whole packets, which begin at any channel, and others
    /// that begin at the same one. What lies beside them is another dispatch's.
    Around,
}

/// An element of a block.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// From the start of its row in src and in dst, in elements. Rows are [`Block::rows`].
    offsets: [i32; 2],
    rows: [usize; 2],
    /// From the block's first channel on.
    channel: u8,
}

/// A row of a block on one side: how many of the long strides lead to it, dimension by dimension.
type Row = [u8; MAX_DIMS];

impl Along {
    const ONCE: Self = Self { extent: 1, strides: [Stride::Near(0); 2], place: 0, channels: false };
}

impl Stride {
    /// The longest that is part of the text.
    const NEAREST: usize = 64;

    fn of(stride: isize) -> Self {
        if stride.unsigned_abs() <= Self::NEAREST { Self::Near(stride as i8) } else { Self::Far }
    }
}

impl Reads {
    /// By words, of elements of so many bytes.
    const fn by_words(size: usize) -> Self {
        if size >= WORD { Self::Words } else { Self::Straddling }
    }
}

impl Block {
    fn dims(&self) -> &[Along] {
        &self.dims[..self.rank.into()]
    }

    /// Elements of the block.
    fn len(&self) -> usize {
        self.dims().iter().map(|dim| usize::from(dim.extent)).product()
    }

    /// Of an element of one side, in bytes.
    fn size(&self, side: usize) -> usize {
        self.sizes[side].into()
    }

    /// Elements that are clamped at once, where they have so many bytes.
    const fn at_once(size: usize) -> usize {
        if PACKET / size < LANES { PACKET / size } else { LANES }
    }

    /// Elements of dst in a packet.
    fn per_packet(&self) -> usize {
        PACKET / self.size(DST)
    }

    /// The rows of one side, each of which a long stride, or none, leads to.
    fn rows(&self, side: usize) -> Vec<Row> {
        let mut rows = vec![Row::default()];
        for (d, dim) in self.dims().iter().enumerate() {
            if dim.strides[side] == Stride::Far {
                let along = |row: &Row| {
                    let mut row = *row;
                    (0..dim.extent).map(move |i| {
                        row[d] = i;
                        row
                    })
                };
                rows = rows.iter().flat_map(along).collect();
            }
        }
        rows
    }

    /// The elements, those next to each other in dst one after the other, row by row.
    fn elements(&self) -> Vec<Element> {
        let rows = [SRC, DST].map(|side| self.rows(side));
        let mut elements = Vec::with_capacity(self.len());
        let mut index = [0; MAX_DIMS];
        loop {
            let mut offsets = [0, self.lead.into()];
            let mut row = [Row::default(); 2];
            for (d, dim) in self.dims().iter().enumerate() {
                for side in [SRC, DST] {
                    match dim.strides[side] {
                        Stride::Near(stride) => offsets[side] += i32::from(stride) * i32::from(index[d]),
                        Stride::Far => row[side][d] = index[d],
                    }
                }
            }
            let number = |side: usize| {
                rows[side].iter().position(|other| *other == row[side]).expect("all rows are listed")
            };
            let channel = self.channel_dim().map_or(0, |d| index[d]);
            elements.push(Element { offsets, rows: [number(SRC), number(DST)], channel });
            let Some(d) = (0..self.dims().len()).rev().find(|&d| index[d] + 1 < self.dims[d].extent) else {
                break;
            };
            index[d] += 1;
            index[d + 1..].fill(0);
        }
        elements.sort_by_key(|element| (element.rows[DST], element.offsets[DST]));
        elements
    }

    /// Whether src is loaded by packets.
    fn by_packets(&self) -> bool {
        matches!(self.reads, Reads::Packets | Reads::Across)
    }

    /// The dimension of the block whose indices are channels.
    fn channel_dim(&self) -> Option<usize> {
        self.dims().iter().position(|dim| dim.channels)
    }

    /// Whether what lies beside whole packets is another dispatch's.
    fn leaves_edges(&self) -> bool {
        !matches!(self.shape, Shape::Line | Shape::Squares { .. })
    }

    /// What the region is cut at multiples of along a dimension of the block: whole blocks, or whole packets of rows.
    fn cut_at(&self, dim: Along) -> usize {
        let of_row = self.shape == Shape::Rows && dim.strides[DST] != Stride::Far;
        if of_row { self.per_packet() } else { dim.extent.into() }
    }

    /// A dimension of the block in a region.
    fn dim_of(dim: Along, region: &Region) -> usize {
        region.dims().len() - 1 - usize::from(dim.place)
    }
}

/// What a block is, for labels, the log and the head of its text.
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
        f.write_str(match self.shape {
            Shape::Line | Shape::Squares { .. } => "",
            Shape::Rows => ", in rows",
            Shape::Runs { .. } => ", to anywhere",
            Shape::Around => ", from any channel on",
        })?;
        match self.numbers {
            Numbers::One => Ok(()),
            Numbers::Block => f.write_str(", a channel each"),
            Numbers::Each => f.write_str(", of several channels"),
        }
    }
}

/// Mirrors `Geometry` in `kernel/block.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Geometry {
    pub(crate) walk: Walk,
    pub(crate) src_pitch: [u32; 4],
    pub(crate) dst_pitch: [u32; 4],
    pub(crate) steps: [u32; 4],
    pub(crate) blocks: [u32; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EntryPoint {
    /// Of the blocks, or of what lies beside whole packets.
    part: Part,
    /// `None` for [`Shape::Around`], which has no walk.
    rank: Option<Rank>,
    /// `SQUARES`, of blocks along src's fastest dimension in a workgroup, is 2 to this; of [`Shape::Squares`] alone.
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

    /// A dispatch of so many workgroups.
    fn on(self, grid: [u32; 2]) -> Dispatch {
        Dispatch { entry_point: super::EntryPoint::Block(self), grid }
    }
}

impl Definition for Block {
    fn tiling(&self, task: &Task, region: &Region) -> Tiling {
        let elements = self.len() as u64;
        let invocations = task.limits.invocations();
        let most = match self.shape {
            Shape::Line => invocations.saturating_mul(elements),
            // A tile may be as narrow as one block in each workgroup.
            Shape::Squares { .. } => task.limits.workgroups().saturating_mul(elements),
            Shape::Rows if region.dims().len() == 1 => invocations.saturating_mul(elements),
            // A row may be as short as one element.
            Shape::Rows => invocations / rows::EDGE_INVOCATIONS,
            // A run may be as short as one block, with an invocation for each element of its edges.
            Shape::Runs { .. } => invocations.saturating_mul(elements / self.edge_elements() as u64),
            // A run may be of one row.
            Shape::Around => invocations.saturating_mul(self.per_packet() as u64),
        };
        let quantum = match self.shape {
            Shape::Around => 1,
            _ => self.dims().iter().map(|dim| self.cut_at(*dim)).max().unwrap_or(1),
        };
        Tiling { quantum, most: most.min(i32::MAX as u64) }
    }

    fn dispatches(&self) -> usize {
        if self.leaves_edges() { 2 } else { 1 }
    }

    fn multiple(&self, region: &Region, d: usize) -> usize {
        if self.shape == Shape::Around {
            // All channels of some pixels.
            return if region.dims()[d].channels { region.dims()[d].extent } else { 1 };
        }
        let of_block = self.dims().iter().find(|dim| Self::dim_of(**dim, region) == d);
        of_block.map_or(1, |dim| self.cut_at(*dim))
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let rank = tile.region.dims().len();
        let mut geometry = Geometry::zeroed();
        // Blocks along each dimension of the region, and from one to the next.
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
            Shape::Line => Self::launch_line(tile, geometry, loops),
            Shape::Squares { along_src } => {
                let ends = [self.dims[usize::from(along_src)], self.dims[usize::from(self.rank) - 1]];
                Self::launch_squares(tile, geometry, loops, ends.map(|dim| Self::dim_of(dim, tile.region)))
            }
            Shape::Rows => self.launch_rows(tile, geometry, loops),
            Shape::Runs { along } => {
                let along = Self::dim_of(self.dims[usize::from(along)], tile.region);
                self.launch_runs(tile, geometry, loops, along)
            }
            Shape::Around => self.launch_around(tile),
        }
    }

    fn fragments(&self, arithmetic: Arithmetic) -> Vec<Fragment> {
        let mut fragments = vec![fragment!("kernel/divide")];
        if self.shape != Shape::Around {
            fragments.extend([fragment!("kernel/block"), fragment!("kernel/walk")]);
        }
        fragments.push(match self.shape {
            Shape::Line => fragment!("kernel/block_line"),
            Shape::Squares { .. } => fragment!("kernel/block_squares"),
            Shape::Rows => fragment!("kernel/block_rows"),
            Shape::Runs { .. } => fragment!("kernel/block_runs"),
            Shape::Around => fragment!("kernel/block_around"),
        });
        if self.reads == Reads::Straddling {
            fragments.push(fragment!("kernel/straddling"));
        }
        if self.reads == Reads::Across || matches!(self.shape, Shape::Runs { .. }) {
            fragments.push(fragment!("kernel/across"));
        }
        match self.shape {
            Shape::Line | Shape::Squares { .. } => {}
            Shape::Rows => fragments.extend(unit_fragments(arithmetic)),
            Shape::Runs { .. } | Shape::Around => {
                fragments.extend(load_fragments(arithmetic));
                fragments.extend(store_fragments(arithmetic));
            }
        }
        if self.takes_packets(arithmetic) || self.size(DST) > WORD {
            fragments.push(arithmetic.packet_fragment());
        } else {
            fragments.extend(match self.size(DST) {
                1 => Some(fragment!("packet/of_quads8")),
                2 => Some(fragment!("packet/of_quads16")),
                _ => None,
            });
        }
        fragments
    }

    fn text(&self, arithmetic: Arithmetic, placement: Placement) -> Option<String> {
        Some(self.wgsl(arithmetic, placement))
    }

    #[cfg(any(test, fuzzing))]
    fn entry_points(&self) -> Vec<super::EntryPoint> {
        let ranks = if self.shape == Shape::Around { vec![None] } else { Rank::ALL.map(Some).to_vec() };
        let of_rank = |rank| match self.shape {
            Shape::Line => vec![EntryPoint::of(Part::Blocks, rank)],
            Shape::Squares { .. } => {
                let of = |log2| EntryPoint { part: Part::Blocks, rank, squares_log2: Some(log2) };
                (0..=8).map(of).collect()
            }
            _ => [Part::Blocks, Part::Edges].map(|part| EntryPoint::of(part, rank)).to_vec(),
        };
        ranks.into_iter().flat_map(of_rank).map(super::EntryPoint::Block).collect()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        if self.shape == Shape::Around {
            return around::Geometry::twin();
        }
        super::twin!("Geometry", Geometry: walk src_pitch dst_pitch steps blocks)
    }
}

/// The loops that are more than one round.
fn rounds(loops: &[Loop]) -> impl Iterator<Item = Loop> {
    loops.iter().copied().filter(|along| along.extent > 1)
}

impl Block {
    /// Blocks one after the other.
    fn launch_line(tile: &BoundTile<'_>, mut geometry: Geometry, loops: &mut [Loop]) -> Launch {
        loops.sort_unstable_by_key(Loop::distance);
        let (mut walk, rank) = Walk::over(tile, rounds(loops));
        let grid = walk.grid(tile);
        geometry.walk = walk;
        Launch::new(&geometry, [Some(EntryPoint::of(Part::Blocks, Some(rank)).on(grid)), None])
    }

    /// Squares of blocks, along these two dimensions.
    fn launch_squares(
        tile: &BoundTile<'_>,
        mut geometry: Geometry,
        loops: &mut [Loop],
        ends: [usize; 2],
    ) -> Launch {
        let [first, second] = ends.map(|d| loops[d]);
        let blocks = [first.extent, second.extent];
        // Nearly as wide as high, unless one side is short: what is outside is wasted.
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
        let grid = tile.grid(walk.count.into());
        walk.grid_width = grid[0];
        geometry.walk = walk;
        let squares_log2 = Some(wide.trailing_zeros() as u8);
        let blocks = EntryPoint { part: Part::Blocks, rank: Some(rank), squares_log2 };
        Launch::new(&geometry, [Some(blocks.on(grid)), None])
    }
}
