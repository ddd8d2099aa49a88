//! Blocks: boxes of a region of a few dozen elements, an invocation each. A [`Block`] says what one moves; its text is
//! made of that, straight-line WGSL with the places of all elements as constants.

mod choose;
#[cfg(test)]
mod sample;
mod text;

use std::fmt;

use bytemuck::{Pod, Zeroable};

use super::region::{DST, Region, SRC};
use super::tile::{BoundTile, Launch, Loop};
use super::walk::{Rank, Walk};
use super::{Definition, PACKET, Placement, Task, Tiling, WORD, WORKGROUP_SIZE};
use crate::arithmetic::{Arithmetic, Operators};
use crate::fragment::{Fragment, fragment};

/// The most dimensions of a block.
const MAX_DIMS: usize = 3;

/// Blocks that a workgroup takes along src's fastest dimension where src and dst are fastest along different ones, 2 to
/// this power; along dst's fastest dimension the others of 256.
const SQUARE_LOG2: u8 = 4;

/// What a block moves. Of strides only short ones are in it, and of phases only whether src begins at packets, so that
/// extents, offsets and long strides change no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Block {
    /// Of an element of src and of dst, in bytes.
    sizes: [u8; 2],
    /// As many as `rank`, outermost first; the others are [`Along::ONCE`].
    dims: [Along; MAX_DIMS],
    rank: u8,
    reads: Reads,
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
            let mut offsets = [0; 2];
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
    fn dim_of(dim: &Along, region: &Region) -> usize {
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
        match self.numbers {
            Numbers::One => Ok(()),
            Numbers::Block => f.write_str(", a channel each"),
            Numbers::Each => f.write_str(", of several channels"),
        }
    }
}

/// Mirrors `Geometry` in the text of blocks.
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
    pub(crate) rank: Rank,
    /// `SQUARES`, of blocks along src's fastest dimension in a workgroup: 2 to this power. `None` for [`Order::Line`].
    pub(crate) squares_log2: Option<u8>,
}

impl EntryPoint {
    pub(super) const NAME: &str = "block";

    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        let squares = self.squares_log2.map(|log2| ("SQUARES", f64::from(1_u32 << log2)));
        [self.rank.constant()].into_iter().chain(squares).collect()
    }
}

impl Definition for Block {
    fn serves_operators(&self, operators: Operators) -> bool {
        !operators.are_lanes() && (operators == Operators::One) == (self.numbers == Numbers::One)
    }

    fn tiling(&self, task: &Task) -> Tiling {
        let least = match self.order {
            Order::Line => task.limits.invocations(),
            // A tile may be as narrow as one block in each workgroup.
            Order::Squares { .. } => task.limits.workgroups(),
        };
        let quantum = self.dims().iter().map(|dim| usize::from(dim.extent)).max().unwrap_or(1);
        Tiling { quantum, most: least.saturating_mul(self.len() as u64).min(i32::MAX as u64), dispatches: 1 }
    }

    fn multiple(&self, region: &Region, d: usize, _: &Task) -> usize {
        let of_block = self.dims().iter().find(|dim| Self::dim_of(dim, region) == d);
        match of_block {
            Some(dim) => dim.extent.into(),
            None => 1,
        }
    }

    fn launch(&self, tile: &BoundTile<'_>) -> Launch {
        let rank = tile.region.dims().len();
        let mut geometry = Geometry::zeroed();
        // Blocks along each dimension of the region, and from one to the next.
        let mut loops: Vec<Loop> = Vec::with_capacity(rank);
        for (d, dim) in tile.region.dims().iter().enumerate() {
            let mut along = Loop::of(dim, tile.tile.extents[d]);
            if let Some(n) = self.dims().iter().position(|dim| Self::dim_of(dim, tile.region) == d) {
                let extent = usize::from(self.dims[n].extent);
                geometry.src_pitch[n] = dim.src as u32;
                geometry.dst_pitch[n] = dim.dst as u32;
                along.extent /= extent as u64;
                along.src = along.src.wrapping_mul(extent.cast_signed());
                along.dst = along.dst.wrapping_mul(extent.cast_signed());
            }
            loops.push(along);
        }
        let Order::Squares { along_src } = self.order else {
            let distance = |along: &Loop| match along.src.unsigned_abs() {
                0 => along.dst.unsigned_abs(),
                src => src.min(along.dst.unsigned_abs()),
            };
            loops.retain(|along| along.extent > 1);
            loops.sort_by_key(distance);
            let (mut walk, rank) = Walk::over(tile, loops);
            let grid = walk.grid(tile);
            geometry.walk = walk;
            let entry_point = EntryPoint { rank, squares_log2: None };
            return Launch::single(&geometry, super::EntryPoint::Block(entry_point), grid);
        };
        let ends = [self.dims[usize::from(along_src)], self.dims[usize::from(self.rank) - 1]];
        let ends = ends.map(|dim| Self::dim_of(&dim, tile.region));
        let blocks = ends.map(|d| loops[d].extent);
        // Nearly as wide as high, unless one side is short: what is outside is wasted.
        let workgroup = u64::from(WORKGROUP_SIZE);
        let short = 1 << SQUARE_LOG2;
        let wide = match blocks {
            [blocks, _] if blocks < short => blocks.next_power_of_two(),
            [_, blocks] if blocks < short => workgroup / blocks.next_power_of_two(),
            _ => short,
        };
        let squares = [0, 1].map(|n| {
            let across = [wide, workgroup / wide][n];
            let along = loops[ends[n]];
            Loop {
                extent: blocks[n].div_ceil(across),
                src: along.src.wrapping_mul(across.cast_signed() as isize),
                dst: along.dst.wrapping_mul(across.cast_signed() as isize),
                ..along
            }
        });
        geometry.blocks = [blocks[0] as u32, blocks[1] as u32, 0, 0];
        let [first, second] = ends.map(|d| loops[d]);
        geometry.steps = [first.src, first.dst, second.src, second.dst].map(|step| step as u32);
        let others = (0..rank).rev().filter(|d| !ends.contains(d)).map(|d| loops[d]);
        let others = others.filter(|along| along.extent > 1);
        let (mut walk, rank) = Walk::over(tile, squares.into_iter().chain(others));
        let grid = tile.grid(walk.count.into());
        walk.grid_width = grid[0];
        geometry.walk = walk;
        let entry_point = EntryPoint { rank, squares_log2: Some(wide.trailing_zeros() as u8) };
        Launch::single(&geometry, super::EntryPoint::Block(entry_point), grid)
    }

    fn fragments(&self, arithmetic: Arithmetic, _: Operators) -> Vec<Fragment> {
        let mut fragments = vec![fragment!("kernel/walk"), fragment!("kernel/divide")];
        if self.reads == Reads::Straddling {
            fragments.push(fragment!("kernel/straddling"));
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
        let of_rank =
            |rank| squares.iter().map(move |&squares_log2| EntryPoint { rank, squares_log2 });
        Rank::ALL.into_iter().flat_map(of_rank).map(super::EntryPoint::Block).collect()
    }

    #[cfg(test)]
    fn twin(&self) -> super::Twin {
        super::twin!("Geometry", Geometry: walk src_pitch dst_pitch steps blocks)
    }
}
