//! Grows a box: how many elements an invocation takes along each dimension of a region.

use super::piece::{Along, Channels, LANES, MAX_DIMS, Order, Piece, Reads, Stores, Stride};
use super::region::{DST, Dim, Region, SRC};
use super::thresholds::{LEAST_ALONG, LINE, MOST_BYTES, MOST_OF_EXACT, SPARSEST, WHOLE, is_sparse};
use super::{PACKET, Placement, Task, WORD};
use crate::MAX_RANK;
use crate::arithmetic::AffineStep;

/// A box in the making. At first it fills packets or words of dst with the fewest elements.
#[derive(Clone, Copy)]
pub(super) struct Growth<'a> {
    pub(super) dims: &'a [Dim],
    /// The elements along each dimension.
    pub(super) extents: [usize; MAX_RANK],
    pub(super) sizes: [usize; 2],
    /// The most elements.
    most: usize,
    /// Packets or words.
    pub(super) stores: Stores,
    /// The outermost dimension that fills packets.
    pub(super) d: usize,
    /// Whether packets also have bytes to preserve.
    pub(super) keeps: bool,
    /// Where the first box begins: indices along `d`, and elements of its first packet before it.
    pub(super) ahead: (usize, usize),
}

impl<'a> Growth<'a> {
    pub(super) fn new(task: &Task, region: &'a Region, stores: Stores) -> Option<Self> {
        let (dims, sizes) = (region.dims(), task.arithmetic.sizes());
        let exact = task.arithmetic.step == AffineStep::Exact;
        let most = MOST_BYTES / sizes[SRC].max(sizes[DST]);
        let most = if exact { most.min(MOST_OF_EXACT) } else { most };
        let (extents, ahead) = ([1; MAX_RANK], (0, 0));
        let mut growth = Self { dims, extents, sizes, most, stores, d: 0, keeps: false, ahead };
        let per_store = stores.bytes() / sizes[DST];
        growth.fill_stores(per_store)?;
        let Self { d, keeps, .. } = growth;
        // Packets of dst with bytes to preserve are also loaded, so no other invocation may load or store them.
        let apart = task.placement == Placement::TwoBuffers || task.in_place(region);
        if keeps && !(apart && stores == Stores::Packets && growth.are_apart(d)) {
            return None;
        }
        // Boxes fill whole packets or words of dst. If possible, a cut lets the first box begin at one.
        if !dims[..d].iter().all(|dim| dim.dst.unsigned_abs().is_multiple_of(per_store)) {
            return None;
        }
        let (start, pitch) = (region.starts[DST], dims[d].dst.unsigned_abs());
        // The most elements before the box's first element in its packet; they keep their bytes. A pitch with bytes to
        // preserve exceeds its pixel.
        let leads = if keeps { pitch - growth.pixel_len(d) } else { 0 };
        let begins = |lead: usize| {
            let at = start.checked_sub(lead)?;
            (0..per_store).map(|i| (i, lead)).find(|(i, _)| (at + i * pitch).is_multiple_of(per_store))
        };
        growth.ahead = (0..=leads).find_map(begins)?;
        Some(growth)
    }

    /// Whether src has near strides along all dimensions of the box, at most `most` elements along the innermost.
    pub(super) fn is_near(&self, most: usize) -> bool {
        let taken = self.dims.iter().zip(self.extents).filter(|(_, extent)| *extent > 1);
        let near = |dim: &Dim| dim.src != 0 && Stride::of(dim.src) != Stride::Far;
        let last = self.dims.last().is_some_and(|dim| near(dim) && dim.src.unsigned_abs() <= most);
        last && taken.map(|(dim, _)| dim).all(near)
    }

    pub(super) fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Takes the fewest elements that fill whole packets or words of dst, along dst's innermost dimension or the innermost two.
    fn fill_stores(&mut self, per_store: usize) -> Option<()> {
        let last = self.dims.len().checked_sub(1)?;
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
                (self.extents[last], self.d, self.keeps) = (extent, d, keeps);
                self.extents[d] = pixels;
                return Some(());
            }
        }
        (self.extents[last], self.d) = (per_store, last);
        (self.dims[last].dst == 1 && self.dims[last].extent >= per_store).then_some(())
    }

    /// Whether each dst stride from `d` outwards is at least the span inside it: then boxes share no packet.
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

    /// Whether the box has, or can still take, several elements along dimension `d`.
    fn takes(&self, d: usize) -> bool {
        self.extents[d] > 1 || self.extents.iter().filter(|extent| **extent > 1).count() < MAX_DIMS
    }

    /// Elements of the region per index of dimension `d`.
    pub(super) fn pixel_len(&self, d: usize) -> usize {
        self.dims[d + 1..].iter().map(|dim| dim.extent).product()
    }

    /// Packets of src that hold the elements of a box, if its rows begin at packets.
    fn src_packets(&self) -> usize {
        let (rows, bytes) = self.src_rows();
        rows * bytes.div_ceil(PACKET)
    }

    /// Number of rows of src in the box, and the bytes that each row spans.
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

    /// Bytes of src that are loaded for a box.
    fn loaded(&self) -> usize {
        let (rows, bytes) = self.src_rows();
        // Where neighbouring boxes load neighbouring bytes, a box needs as many as become a packet of dst.
        let beside = self.dims[self.d].src.unsigned_abs() == 1;
        let least =
            if beside { (PACKET * self.sizes[SRC] / self.sizes[DST]).clamp(WORD, PACKET) } else { PACKET };
        // A single element, for which nothing is known of its neighbours, asks for them.
        rows * bytes.next_multiple_of(if rows == 1 && self.len() > 1 { WORD } else { least })
    }

    /// Adds neighbours in src while the box [is sparse](is_sparse).
    pub(super) fn widen(&mut self) {
        while is_sparse(self.len() * self.sizes[SRC], self.loaded()) {
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

    /// Shortens the box along dimensions other than [`d`](Self::d) until its extents divide the region's; if `but_one`, except
    /// along the first that needs it, which is returned.
    pub(super) fn divide_others(&mut self, but_one: bool) -> Option<usize> {
        let mut kept = None;
        for e in (0..self.dims.len()).filter(|&e| e != self.d) {
            let extent = self.dims[e].extent;
            if but_one && kept.is_none() && !extent.is_multiple_of(self.extents[e]) {
                kept = Some(e);
                continue;
            }
            while !extent.is_multiple_of(self.extents[e]) {
                self.extents[e] /= 2;
            }
        }
        kept
    }

    pub(super) fn channels(&self, task: &Task) -> Channels {
        match self.channel_dim() {
            _ if task.channels == 1 => Channels::None,
            Some(d) if self.extents[d] > 1 => Channels::Several,
            _ => Channels::One,
        }
    }

    /// The box for `main`, the region without the parts cut off.
    pub(super) fn piece(&self, main: &Region, channels: Channels, past: bool) -> Piece {
        let mut dims = [Along::ONCE; MAX_DIMS];
        let mut rank = 0;
        for (d, dim) in self.dims.iter().enumerate() {
            if self.extents[d] > 1 {
                // There is room, because dimensions grow only if the box `takes` them. The extent fits, because a box of
                // more than a packet has several dimensions.
                dims[rank] = Along {
                    extent: self.extents[d] as u8,
                    strides: [Stride::of(dim.src), Stride::of(dim.dst)],
                    place: (self.dims.len() - 1 - d) as u8,
                    channels: dim.channels && channels != Channels::None,
                };
                rank += 1;
            }
        }
        let squares = self.stores == Stores::Packets && self.in_squares(main);
        let order = if squares { Order::Squares } else { Order::Line };
        Piece::new(self.sizes, &dims[..rank], (self.reads(main, past), self.stores), channels, order)
    }

    /// Whether src is fastest along another dimension than dst, and neighbours along dst lie at least a line apart in src,
    /// neighbours along src less.
    fn in_squares(&self, main: &Region) -> bool {
        let Some([src, dst]) = fastest(main, &self.extents) else { return false };
        let step =
            |d: usize| main.dims()[d].src.unsigned_abs().saturating_mul(self.extents[d] * self.sizes[SRC]);
        let boxes = main.dims()[src].extent / self.extents[src];
        src != dst && boxes >= LEAST_ALONG && step(dst) >= LINE && step(src) < LINE
    }

    /// Elements along [`d`](Self::d) that span a packet of src; `None` if src does not run upwards.
    pub(super) fn packet_past(&self) -> Option<usize> {
        let stride = usize::try_from(self.dims[self.d].src).ok().filter(|stride| *stride > 0)?;
        Some(PACKET.div_ceil(stride.saturating_mul(self.sizes[SRC])))
    }

    /// By packets if all rows of src begin at packets, end in the last word of one, and use at least half of its bytes. `past`:
    /// rows may end in any word of a packet, because what follows may be loaded.
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

/// The most pixels of a box that share look-ups of channels. More would lie in more rows; with few elements per packet, these
/// rows cost as much time as the saved look-ups.
pub(super) fn most_shared(task: &Task) -> usize {
    let per_packet = task.per_packet();
    let most = if per_packet > LANES { 4 * LANES } else { 2 * LANES };
    let exact = task.arithmetic.step == AffineStep::Exact;
    if exact { (MOST_OF_EXACT / per_packet).clamp(2, most) } else { most }
}

const fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Of the dimensions of a region with several boxes: where src is fastest, and where dst is.
pub(super) fn fastest(region: &Region, extents: &[usize; MAX_RANK]) -> Option<[usize; 2]> {
    let several = || (0..region.dims().len()).filter(|&d| region.dims()[d].extent > extents[d]);
    let along = |d: &usize| [region.dims()[*d].src, region.dims()[*d].dst].map(isize::unsigned_abs);
    let by = |side: usize| move |d: &usize| along(d)[side].saturating_mul(extents[*d]);
    let src = several().filter(|&d| region.dims()[d].src != 0).min_by_key(by(SRC))?;
    Some([src, several().min_by_key(by(DST))?])
}
