//! Grows a box: how many elements an invocation takes along each dimension of a region.

use super::{Along, Block, LANES, MAX_DIMS, Numbers, Reads, Shape, Stores, Stride};
use crate::MAX_RANK;
use crate::arithmetic::{AffineStep, Arithmetic};
use crate::kernel::region::{DST, Dim, Region, SRC};
use crate::kernel::{PACKET, Placement, Task, WORD};

/// The most bytes on one side of a block, except with many channels. Compile time grows faster than the block.
const MOST_BYTES: usize = 256;
/// The most elements of a block, for the same reason.
const MOST_ELEMENTS: usize = 256;

/// The most elements that a block has after [`Chosen::lengthen`] makes it longer.
const LONGEST: usize = 128;
/// Packets that such a block should load and store, so that finding its place costs little in comparison.
const ENOUGH_PACKETS: usize = 12;
/// The same where the stride of src is far: each element along the dimension comes from another row.
const ENOUGH_OF_ROWS: usize = 6;

/// The fewest blocks of a run that begins anywhere in a packet. In a shorter run, the elements beside whole packets cost more
/// than blocks save.
pub(super) const LEAST_BLOCKS: usize = 4;

/// The fewest elements of which blocks may leave some to another dispatch.
pub(super) const LEAST_ELEMENTS: usize = 1024;
/// A block that [`Chosen::lengthen`] makes longer may leave 1 / `LITTLE` of the elements to another dispatch.
const LITTLE: usize = 256;

/// The greatest extent that [`Chosen::widen`] takes whole in one step; along longer dimensions it doubles the block.
const WHOLE: usize = 8;

/// The greatest ratio of a pixel's dst stride to its number of elements, for packets that also have bytes to preserve.
const SPARSEST: usize = 4;

/// A block in the making, with its extents along the region's dimensions.
#[derive(Clone, Copy)]
pub(super) struct Chosen<'a> {
    pub(super) dims: &'a [Dim],
    pub(super) extents: [usize; MAX_RANK],
    pub(super) sizes: [usize; 2],
    most: usize,
}

/// A box that fills packets or words of dst with the fewest elements.
pub(super) struct Filled<'a> {
    /// Packets or words.
    pub(super) stores: Stores,
    pub(super) chosen: Chosen<'a>,
    /// The outermost dimension that it takes.
    pub(super) d: usize,
    /// Whether packets also have bytes to preserve.
    pub(super) keeps: bool,
    /// Where the first block begins: indices along `d`, and elements of its first packet before it. `None` if no cut lets
    /// blocks begin at a packet or word.
    pub(super) ahead: Option<(usize, usize)>,
}

impl<'a> Filled<'a> {
    pub(super) fn new(task: &Task, region: &'a Region, stores: Stores) -> Option<Self> {
        let dims = region.dims();
        if dims.is_empty() {
            return None;
        }
        let per_store = stores.bytes() / task.arithmetic.dtype.size();
        let mut chosen = Chosen {
            dims,
            extents: [1; MAX_RANK],
            sizes: task.arithmetic.sizes(),
            most: most_elements(task.arithmetic),
        };
        let (d, keeps) = chosen.fill_stores(per_store)?;
        // Packets of dst with bytes to preserve are also loaded, so no other invocation may load or store them.
        let apart = task.placement == Placement::TwoBuffers || task.in_place(region);
        if keeps && !(apart && chosen.are_apart(d)) {
            return None;
        }
        // Blocks fill whole packets or words of dst. If possible, a cut lets the first block begin at one.
        let aligned = |dim: &Dim| dim.dst.unsigned_abs().is_multiple_of(per_store);
        let alike = dims.iter().enumerate().all(|(e, dim)| e >= d || aligned(dim));
        let start = region.starts[DST];
        let pitch = dims[d].dst.unsigned_abs();
        // The most elements before the block's first element in its packet; they keep their bytes. A pitch with bytes to
        // preserve exceeds its pixel.
        let leads = if keeps { pitch - chosen.between(d) } else { 0 };
        let begins = |lead: usize| {
            let at = start.checked_sub(lead)?;
            (0..per_store).map(|i| (i, lead)).find(|(i, _)| (at + i * pitch).is_multiple_of(per_store))
        };
        let ahead = (0..=leads).find_map(begins).filter(|_| alike);
        Some(Self { stores, chosen, d, keeps, ahead })
    }
}

impl Chosen<'_> {
    pub(super) fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Takes the fewest elements that fill whole packets or words of dst, along dst's innermost dimension or the innermost two.
    /// Returns the outermost dimension that it takes, and whether the packets also have bytes to preserve.
    fn fill_stores(&mut self, per_store: usize) -> Option<(usize, bool)> {
        let last = self.dims.len() - 1;
        // The elements of a pixel (adjacent in dst), and the dimension that leads from one pixel to the next.
        let (d, extent) = match self.dims[last].dst {
            1 => (last.checked_sub(1), self.dims[last].extent),
            _ => (Some(last), 1),
        };
        if let Some(d) = d {
            let pitch = self.dims[d].dst.unsigned_abs();
            let keeps = pitch > extent && !(pitch | extent).is_multiple_of(per_store);
            let pixels = per_store / gcd(per_store, pitch);
            let near = match (keeps, pitch == extent) {
                (true, _) => pitch <= SPARSEST * extent,
                (false, next) => next && !extent.is_multiple_of(per_store),
            };
            if near
                && pitch <= Stride::NEAREST
                && pixels * extent <= self.most
                && pixels <= self.dims[d].extent
            {
                self.extents[last] = extent;
                self.extents[d] = pixels;
                return Some((d, keeps));
            }
        }
        self.extents[last] = per_store;
        (self.dims[last].dst == 1 && self.dims[last].extent >= per_store).then_some((last, false))
    }

    /// Whether each dst stride from `d` outwards is at least the span inside it: then blocks share no packet.
    fn are_apart(&self, d: usize) -> bool {
        let mut span = 0;
        self.dims[..=d].iter().rev().all(|dim| {
            let stride = dim.dst.unsigned_abs();
            let apart = stride >= span;
            span = span.max(stride).saturating_add(stride.saturating_mul(dim.extent - 1));
            apart
        })
    }

    fn channel_dim(&self) -> Option<usize> {
        self.dims.iter().position(|dim| dim.channels)
    }

    /// Whether the block has, or can still take, several elements along dimension `d`.
    fn takes(&self, d: usize) -> bool {
        self.extents[d] > 1 || self.extents.iter().filter(|extent| **extent > 1).count() < MAX_DIMS
    }

    /// Elements of the region per index of dimension `d`.
    pub(super) fn between(&self, d: usize) -> usize {
        self.dims[d + 1..].iter().map(|dim| dim.extent).product()
    }

    /// Packets of src that hold the elements of a block, if its rows begin at packets.
    fn src_packets(&self) -> usize {
        let (rows, bytes) = self.src_rows();
        rows * bytes.div_ceil(PACKET)
    }

    /// Number of rows of src in the block, and the bytes that each row spans.
    fn src_rows(&self) -> (usize, usize) {
        let (mut rows, mut run) = (1, 1);
        for (dim, extent) in self.dims.iter().zip(self.extents) {
            let stride = dim.src.unsigned_abs();
            if stride.saturating_mul(self.sizes[SRC]) < PACKET {
                run += stride * (extent - 1);
            } else {
                rows *= extent;
            }
        }
        (rows, run * self.sizes[SRC])
    }

    /// Bytes of src that are loaded for a block.
    fn loaded(&self) -> usize {
        let (rows, bytes) = self.src_rows();
        // A single element, for which nothing is known of its neighbours, asks for them.
        rows * bytes.next_multiple_of(if rows == 1 && self.len() > 1 { WORD } else { PACKET })
    }

    /// Adds neighbours in src while the block uses less than three quarters of the bytes that it loads.
    pub(super) fn widen(&mut self) {
        while 4 * self.len() * self.sizes[SRC] < 3 * self.loaded() {
            let near = |d: &usize| {
                let (dim, extent) = (self.dims[*d], self.extents[*d]);
                let room = self.takes(*d) && 2 * extent <= dim.extent;
                room && dim.src != 0 && matches!(Stride::of(dim.src), Stride::Near(_))
            };
            let nearest = (0..self.dims.len()).filter(near).min_by_key(|d| self.dims[*d].src.unsigned_abs());
            let Some(d) = nearest else { break };
            let (extent, before) = (self.extents[d], [self.len(), self.loaded()]);
            let whole = extent == 1 && self.dims[d].extent <= WHOLE;
            self.extents[d] = if whole { self.dims[d].extent } else { 2 * extent };
            let uses_more = self.len() * before[1] > before[0] * self.loaded();
            if self.len() > self.most || !uses_more {
                self.extents[d] = extent;
                break;
            }
        }
    }

    /// Lengthens a block with several channels until it has enough elements of each channel to clamp them together.
    pub(super) fn lengthen_for_channels(&mut self, d: usize, task: &Task) {
        let Some(channels) = self.channel_dim() else { return };
        // A block whose packets run along the channels looks up many clamps.
        let (enough, most) = if d == channels {
            (most_rows(task.per_packet()), most_gathered(task.arithmetic))
        } else {
            (LANES, self.most.max(LANES * self.extents[channels]))
        };
        while self.extents[channels] > 1
            && self.len() / self.extents[channels] < enough
            && 2 * self.len() <= most
        {
            let along = if d == channels { d.checked_sub(1) } else { Some(d) };
            let along = along
                .filter(|&along| self.takes(along) && 2 * self.extents[along] <= self.dims[along].extent);
            let Some(along) = along else { break };
            self.extents[along] *= 2;
        }
    }

    /// Doubles a block with a channel of its own along `d` if that leaves no elements: a look-up then serves two packets.
    pub(super) fn double_for_channel(&mut self, d: usize) {
        let has_one = self.channel_dim().is_some_and(|channels| channels != d && self.extents[channels] == 1);
        let longer = 2 * self.extents[d];
        if has_one
            && self.takes(d)
            && 2 * self.len() <= self.most
            && self.dims[d].extent.is_multiple_of(longer)
        {
            self.extents[d] = longer;
        }
    }

    /// Shortens the block along dimensions other than `d` until its extents divide the region's, except along at most
    /// `but` dimensions.
    pub(super) fn divide_others(&mut self, d: usize, but: usize) {
        let mut left = 0;
        for e in (0..self.dims.len()).filter(|&e| e != d) {
            let extent = self.dims[e].extent;
            if !extent.is_multiple_of(self.extents[e]) && left < but {
                left += 1;
            } else {
                while !extent.is_multiple_of(self.extents[e]) {
                    self.extents[e] /= 2;
                }
            }
        }
    }

    /// Makes a short block longer along `d`, then along the outer dimension with the smallest src stride, until it has
    /// enough packets and ends at a packet of src. `in_runs`: an invocation takes several blocks.
    pub(super) fn lengthen(&mut self, d: usize, in_runs: bool) {
        while self.lengthen_along(d, in_runs) {}
        // Short rows are taken whole, several at a time.
        let longer = self.len() / self.extents[d] * self.dims[d].extent;
        let is_row = matches!(Stride::of(self.dims[d].src), Stride::Near(_)) && !in_runs;
        let fits = self.takes(d) && longer <= self.most.min(LONGEST);
        if is_row && fits && self.dims[d].extent.is_multiple_of(self.extents[d]) {
            self.extents[d] = self.dims[d].extent;
        }
        let nearest = |e: &usize| self.dims[*e].src.unsigned_abs();
        let whole = self.extents[d] == self.dims[d].extent;
        let others = (0..d).filter(|&e| whole && !self.dims[e].channels || self.extents[e] > 1);
        if let Some(e) = others.min_by_key(nearest) {
            while self.lengthen_along(e, false) {}
        }
    }

    fn lengthen_along(&mut self, d: usize, in_runs: bool) -> bool {
        let total: usize = self.dims.iter().map(|dim| dim.extent).product();
        let dim = self.dims[d];
        let longer = 2 * self.extents[d];
        let packets = self.src_packets() + self.len() * self.sizes[DST] / PACKET;
        // A longer block may leave more elements to another dispatch.
        let left = total / dim.extent * (dim.extent % longer);
        let is_little = left <= total / dim.extent * (dim.extent % self.extents[d])
            || total >= LEAST_ELEMENTS && left <= total / LITTLE;
        let enough = if Stride::of(dim.src) == Stride::Far { ENOUGH_OF_ROWS } else { ENOUGH_PACKETS };
        let most = if in_runs { dim.extent / LEAST_BLOCKS } else { dim.extent };
        let short = packets < enough || self.ends_within_packet(d);
        let longer_is_better =
            self.takes(d) && short && is_little && 2 * self.len() <= self.most.min(LONGEST) && longer <= most;
        if longer_is_better {
            self.extents[d] = longer;
        }
        longer_is_better
    }

    /// Whether two neighbouring blocks along dimension `d` share a packet of src.
    fn ends_within_packet(&self, d: usize) -> bool {
        let Stride::Near(stride) = Stride::of(self.dims[d].src) else { return false };
        let bytes = usize::from(stride.unsigned_abs()) * self.extents[d] * self.sizes[SRC];
        !bytes.is_multiple_of(PACKET)
    }

    pub(super) fn numbers(&self, task: &Task) -> Numbers {
        match self.channel_dim() {
            _ if task.channels == 1 => Numbers::One,
            Some(d) if self.extents[d] > 1 => Numbers::Each,
            _ => Numbers::Block,
        }
    }

    /// The block for `main`, the region without the parts cut off. `run`: the outermost dimension of runs that begin
    /// anywhere in a packet of dst.
    pub(super) fn block(
        &self,
        main: &Region,
        numbers: Numbers,
        run: Option<usize>,
        squares: bool,
        past: bool,
    ) -> Block {
        let mut dims = [Along::ONCE; MAX_DIMS];
        let mut rank = 0;
        let mut shape = Shape::Line;
        for (d, dim) in self.dims.iter().enumerate() {
            if run == Some(d) {
                shape = Shape::Runs { along: rank as u8, beside: false };
            }
            if self.extents[d] > 1 {
                // Each run has its own offset in a packet. A far stride between runs lets the text store each by itself.
                let apart = run.is_some_and(|run| d < run);
                // There is room, because dimensions grow only if the block `takes` them. The extent fits, because a block of
                // more than `LONGEST` elements has several dimensions.
                dims[rank] = Along {
                    extent: self.extents[d] as u8,
                    strides: [Stride::of(dim.src), if apart { Stride::Far } else { Stride::of(dim.dst) }],
                    place: (self.dims.len() - 1 - d) as u8,
                    channels: dim.channels && numbers != Numbers::One,
                };
                rank += 1;
            }
        }
        // Squares: src and dst are fastest along different dimensions, both with more than one block.
        let fastest = (0..self.dims.len()).filter(|&d| self.dims[d].src != 0);
        let fastest = fastest.min_by_key(|&d| self.dims[d].src.unsigned_abs()).unwrap_or_default();
        let last = self.dims.len() - 1;
        let tiled = self.extents[fastest] > 1
            && self.extents[last] > 1
            && fastest + 1 < self.dims.len()
            && Stride::of(self.dims[last].src) == Stride::Far
            && [fastest, last].iter().all(|&d| main.dims()[d].extent > self.extents[d]);
        let before = self.extents[..fastest].iter().filter(|extent| **extent > 1).count();
        if tiled && run.is_none() && squares {
            shape = Shape::Squares { along_src: before as u8 };
        }
        Block::new(self.sizes, &dims[..rank], self.reads(main, past), numbers, shape)
    }

    /// Elements along dimension `d` that reach a packet far in src; `None` if the last of them is not the last in src.
    pub(super) fn packet_past(&self, d: usize) -> Option<usize> {
        let stride = usize::try_from(self.dims[d].src).ok().filter(|stride| *stride > 0)?;
        Some(PACKET.div_ceil(stride.saturating_mul(self.sizes[SRC])))
    }

    /// By packets if all rows of src begin and end at packet boundaries and use at least half of their bytes. `past`: what
    /// follows a row up to the packet's end may be loaded.
    fn reads(&self, main: &Region, past: bool) -> Reads {
        let size = self.sizes[SRC];
        let reach = |dim: &Dim, extent: usize| dim.src.wrapping_mul((extent - 1).cast_signed());
        let (mut lowest, mut highest) = (0_isize, 0_isize);
        let mut aligned = true;
        // Wrapping keeps a number of bytes modulo a packet.
        let on_packets = |elements: isize| elements.unsigned_abs().wrapping_mul(size).is_multiple_of(PACKET);
        for (d, dim) in main.dims().iter().enumerate() {
            let extent = self.extents[d];
            match Stride::of(dim.src) {
                Stride::Near(_) => {
                    lowest += reach(dim, extent).min(0);
                    highest += reach(dim, extent).max(0);
                }
                Stride::Far => aligned &= on_packets(dim.src),
            }
            aligned &= dim.extent == extent || on_packets(dim.src.wrapping_mul(extent.cast_signed()));
        }
        aligned &= on_packets(main.starts[SRC].cast_signed().wrapping_add(lowest));
        let end = if past { PACKET } else { WORD };
        let row = ((highest - lowest + 1).unsigned_abs() * size).next_multiple_of(end);
        let used = 2 * self.len() * size >= self.src_packets() * PACKET;
        if aligned && row.is_multiple_of(PACKET) && used { Reads::Packets } else { Reads::by_words(size) }
    }
}

/// The most elements of a block that has a few elements of each of many channels.
pub(super) fn most_gathered(arithmetic: Arithmetic) -> usize {
    let longest = if arithmetic.step == AffineStep::Exact { LONGEST / 4 } else { LONGEST };
    most_elements(arithmetic).max(longest)
}

/// The most elements of each channel in such a block. More elements would share a look-up of parameters, but they lie
/// in more rows. With few elements per packet, these rows cost as much time as the saved look-ups.
pub(super) const fn most_rows(per_packet: usize) -> usize {
    if per_packet > LANES { 4 * LANES } else { 2 * LANES }
}

/// The most elements of a block; fewer for exact steps, which are long and called often.
fn most_elements(arithmetic: Arithmetic) -> usize {
    let most = (MOST_BYTES / arithmetic.sizes()[SRC].max(arithmetic.sizes()[DST])).min(MOST_ELEMENTS);
    if arithmetic.step == AffineStep::Exact { most.min(MOST_ELEMENTS / 4) } else { most }
}

pub(super) fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
