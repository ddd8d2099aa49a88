//! Blocks: boxes of a region of a few dozen elements, an invocation each. A [`Block`] says what one moves; its text is
//! made of that, straight-line WGSL with the places of all elements as constants.

mod arrange;
mod choose;
#[cfg(test)]
mod sample;
mod text;

use std::fmt;

use bytemuck::{Pod, Zeroable};

use super::division::Division;
use super::region::{DST, Region, SRC};
use super::tile::{BoundTile, Dispatch, Launch, Loop};
use super::walk::{Rank, Walk};
use super::{
    Definition, PACKET, Placement, Task, Tiling, WORD, WORKGROUP_SIZE, load_fragments, store_fragments,
};
use crate::MAX_RANK;
use crate::arithmetic::{Arithmetic, LANES, Operators};
use crate::fragment::{Fragment, fragment};

#[cfg(test)]
pub(crate) use sample::layouts;

/// Blocks of a run that an invocation takes where rows of dst begin anywhere; it computes one more, of which it stores the
/// end.
const UNITS: u64 = 16;

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
    writes: Writes,
    numbers: Numbers,
    order: Order,
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
}

/// How dst is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Writes {
    /// Whole packets, where all rows of dst begin at one.
    Packets,
    /// Rows of dst begin anywhere. An invocation takes [`UNITS`] blocks of a run, one after the other, along the block's
    /// `along`-th dimension; each packet of dst has the end of one and the start of the next. What lies before the first
    /// whole packet of a run and behind the last one is another dispatch's.
    Joined { along: u8 },
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

/// Which blocks neighbouring invocations take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Order {
    /// Those next to each other, the nearest ones first.
    Line,
    /// Squares of blocks: along src's fastest dimension, which is the block's `along_src`-th, and along its last one,
    /// which is dst's.
    Squares { along_src: u8 },
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

    /// The dimension of the block whose indices are channels.
    fn channel_dim(&self) -> Option<usize> {
        self.dims().iter().position(|dim| dim.channels)
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
        })?;
        if let Writes::Joined { .. } = self.writes {
            f.write_str(", to anywhere")?;
        }
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
pub(crate) enum EntryPoint {
    /// The blocks. `SQUARES`, of blocks along src's fastest dimension in a workgroup, is 2 to `squares_log2`; `None` for
    /// [`Order::Line`].
    Block { rank: Rank, squares_log2: Option<u8> },
    /// What lies before and behind the whole packets of [`Writes::Joined`].
    Edges { rank: Rank },
}

impl EntryPoint {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Block { .. } => "block",
            Self::Edges { .. } => "block_edges",
        }
    }

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Block { rank, squares_log2: Some(log2) } => {
                vec![rank.constant(), ("SQUARES", f64::from(1_u32 << log2))]
            }
            Self::Block { rank, squares_log2: None } | Self::Edges { rank } => vec![rank.constant()],
        }
    }
}

impl Definition for Block {
    fn serves_operators(&self, operators: Operators) -> bool {
        !operators.are_lanes() && (operators == Operators::One) == (self.numbers == Numbers::One)
    }

    fn tiling(&self, task: &Task) -> Tiling {
        let elements = self.len() as u64;
        let (most, dispatches) = match (self.writes, self.order) {
            // A run may be as short as one block, with an invocation for each element of its edges.
            (Writes::Joined { .. }, _) => {
                (task.limits.invocations().saturating_mul(elements / self.edge_elements() as u64), 2)
            }
            (_, Order::Line) => (task.limits.invocations().saturating_mul(elements), 1),
            // A tile may be as narrow as one block in each workgroup.
            (_, Order::Squares { .. }) => (task.limits.workgroups().saturating_mul(elements), 1),
        };
        let quantum = self.dims().iter().map(|dim| usize::from(dim.extent)).max().unwrap_or(1);
        Tiling { quantum, most: most.min(i32::MAX as u64), dispatches }
    }

    fn multiple(&self, region: &Region, d: usize, _: &Task) -> usize {
        let of_block = self.dims().iter().find(|dim| Self::dim_of(**dim, region) == d);
        match of_block {
            Some(dim) => dim.extent.into(),
            None => 1,
        }
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
        match (self.writes, self.order) {
            (Writes::Joined { along }, _) => {
                let along = Self::dim_of(self.dims[usize::from(along)], tile.region);
                self.launch_joined(tile, geometry, loops, along)
            }
            (_, Order::Line) => Self::launch_line(tile, geometry, loops),
            (_, Order::Squares { along_src }) => {
                let ends = [self.dims[usize::from(along_src)], self.dims[usize::from(self.rank) - 1]];
                Self::launch_squares(tile, geometry, loops, ends.map(|dim| Self::dim_of(dim, tile.region)))
            }
        }
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        let mut fragments =
            vec![fragment!("kernel/block"), fragment!("kernel/walk"), fragment!("kernel/divide")];
        fragments.push(match (self.writes, self.order) {
            (Writes::Joined { .. }, _) => fragment!("kernel/block_run"),
            (_, Order::Line) => fragment!("kernel/block_line"),
            (_, Order::Squares { .. }) => fragment!("kernel/block_square"),
        });
        if self.reads == Reads::Straddling {
            fragments.push(fragment!("kernel/straddling"));
        }
        if let Writes::Joined { .. } = self.writes {
            fragments.push(fragment!("kernel/across"));
            fragments.extend(load_fragments(arithmetic));
            fragments.extend(store_fragments(arithmetic));
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

    fn entry_points(&self, _: Arithmetic) -> Vec<super::EntryPoint> {
        let squares: Vec<_> = match self.order {
            Order::Line => vec![None],
            Order::Squares { .. } => (0..=8).map(Some).collect(),
        };
        let mut all = Vec::new();
        for rank in Rank::ALL {
            all.extend(squares.iter().map(|&squares_log2| EntryPoint::Block { rank, squares_log2 }));
            if let Writes::Joined { .. } = self.writes {
                all.push(EntryPoint::Edges { rank });
            }
        }
        all.into_iter().map(super::EntryPoint::Block).collect()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
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
        let entry_point = EntryPoint::Block { rank, squares_log2: None };
        Launch::single(&geometry, super::EntryPoint::Block(entry_point), grid)
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
        let entry_point = EntryPoint::Block { rank, squares_log2: Some(wide.trailing_zeros() as u8) };
        Launch::single(&geometry, super::EntryPoint::Block(entry_point), grid)
    }

    /// Runs along dimension `along`, in segments of [`UNITS`] blocks, and what is left at the ends of runs.
    fn launch_joined(
        &self,
        tile: &BoundTile<'_>,
        mut geometry: Geometry,
        loops: &mut [Loop],
        along: usize,
    ) -> Launch {
        let blocks = std::mem::replace(&mut loops[along], Loop::ONCE);
        loops.sort_unstable_by_key(Loop::distance);
        // The last loop is that over segments, so that all before it is what a run is found by.
        let segments = blocks.in_steps(UNITS);
        let (mut walk, rank) = Walk::over(tile, rounds(loops).chain([segments]));
        let runs = walk.count / segments.extent as u32;
        let grid = walk.grid(tile);
        let edge_grid = tile.grid_of(u64::from(runs) * self.edge_elements() as u64);
        let Division { multiplier, shift } = Division::by(runs);
        geometry.walk = walk;
        geometry.blocks = [blocks.extent as u32, multiplier, shift, runs];
        geometry.steps = [blocks.src as u32, blocks.dst as u32, edge_grid[0], 0];
        let dispatch =
            |entry_point, grid| Some(Dispatch { entry_point: super::EntryPoint::Block(entry_point), grid });
        let block = EntryPoint::Block { rank, squares_log2: None };
        Launch::new(&geometry, [dispatch(block, grid), dispatch(EntryPoint::Edges { rank }, edge_grid), None])
    }

    /// The elements that whole packets may leave of the runs of a block: a packet of each.
    fn edge_elements(&self) -> usize {
        let far = self.dims().iter().filter(|dim| dim.strides[DST] == Stride::Far);
        far.map(|dim| usize::from(dim.extent)).product::<usize>() * self.per_packet()
    }
}
