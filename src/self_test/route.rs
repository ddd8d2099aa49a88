//! Layouts of a case's operands. The routes lead to different kinds of kernels.

use crate::kernel::PACKET;
use crate::{DType, Error, Layout};

/// A layout of elements that leads to one kind of kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// A contiguous run on each side, from the start of a packet.
    Run,
    /// Contiguous rows with gaps between them. The rows of src begin at various places of a packet.
    Rows,
    /// Rows that each repeat one element.
    Fill,
    /// Every second element, to reversed order.
    Strided,
    /// Every third element to a run.
    Gathered,
    /// Columns to rows.
    Transposed,
    /// Contiguous groups, each to its own word; the field is the number of elements per group. If dst's elements have
    /// 32 or 64 bits, groups of one element go to every second element of dst.
    Spread(usize),
    /// Pixels to planes. The fields: the number of moved components, the number of components of a pixel, and whether
    /// rows begin within a packet.
    Planes(usize, usize, bool),
    /// Planes to pixels, with the fields of `Planes`.
    Pixels(usize, usize, bool),
    /// `Planes(3, 3, true)` with a clamp per component.
    ClampedPlanes,
    /// `Pixels(3, 3, true)` with a clamp per component.
    ClampedPixels,
    /// Three planes, with a clamp per plane.
    Planar,
    /// Pixels of three components, with a clamp per component.
    Interleaved,
    /// Pixels of six components that begin within a packet, with a clamp per component.
    Around,
    /// A run with numbers on the GPU.
    Slots,
    /// Three planes, with numbers on the GPU per plane.
    SlotsAlong,
    /// Each row of src to several rows of dst.
    Repeated,
}

impl Route {
    /// All routes.
    pub const ALL: &'static [Self] = &[
        Self::Run,
        Self::Planar,
        Self::Interleaved,
        Self::Rows,
        Self::Fill,
        Self::Strided,
        Self::Gathered,
        Self::Transposed,
        Self::Spread(1),
        Self::Spread(2),
        Self::Spread(3),
        Self::Planes(3, 3, false),
        Self::Planes(3, 3, true),
        Self::Planes(3, 4, false),
        Self::Planes(4, 4, true),
        Self::Planes(2, 2, false),
        Self::Pixels(3, 3, false),
        Self::Pixels(3, 3, true),
        Self::Pixels(3, 4, false),
        Self::Pixels(4, 4, true),
        Self::Pixels(2, 2, true),
        Self::ClampedPlanes,
        Self::ClampedPixels,
        Self::Slots,
        Self::SlotsAlong,
        Self::Repeated,
        Self::Around,
    ];

    /// Whether the route suits the destination's dtype: a group must leave room in its word.
    #[must_use]
    pub const fn suits(self, dtype: DType) -> bool {
        match self {
            Self::Spread(length @ 2..) => length * dtype.size() < 4,
            _ => true,
        }
    }

    /// Whether the route converts pictures between pixels and planes.
    #[must_use]
    pub const fn is_picture(self) -> bool {
        matches!(self, Self::Planes(..) | Self::Pixels(..) | Self::ClampedPlanes | Self::ClampedPixels)
    }

    /// Whether numbers are on the GPU.
    #[must_use]
    pub const fn has_slots(self) -> bool {
        matches!(self, Self::Slots | Self::SlotsAlong)
    }

    /// The axis of the channels and the number of channels; `None` if one clamp serves all elements.
    #[must_use]
    pub const fn channels(self) -> Option<(usize, usize)> {
        match self {
            Self::Planar | Self::Interleaved | Self::SlotsAlong => Some((1, 3)),
            Self::Around => Some((1, 6)),
            Self::ClampedPlanes | Self::ClampedPixels => Some((0, 3)),
            _ => None,
        }
    }

    /// The placements of the operands that the route is tested in.
    #[must_use]
    pub const fn sharings(self, source: DType, dtype: DType) -> &'static [Sharing] {
        match self {
            // These routes are tested in two buffers only. `Pixels(3, 4, _)` has gaps in dst; a box preserves gaps
            // only in two buffers or in place.
            Self::Fill | Self::Pixels(3, 4, _) => &[Sharing::Apart],
            Self::Planes(..)
            | Self::Pixels(..)
            | Self::ClampedPlanes
            | Self::ClampedPixels
            | Self::Transposed
            | Self::Repeated => &[Sharing::Apart, Sharing::Behind],
            _ if source.size() == dtype.size() => &[Sharing::Apart, Sharing::Behind, Sharing::Same],
            _ => &[Sharing::Apart, Sharing::Behind],
        }
    }

    /// The bytes of a source. If `elements` do not all fit, every n-th one is taken; if there is room for more, they
    /// repeat. Gaps hold the first element.
    #[must_use]
    pub fn source(src: &Layout, dtype: DType, elements: &[u64]) -> Vec<u8> {
        let size = dtype.size();
        let mut addresses: Vec<usize> = src.addresses().collect();
        addresses.sort_unstable();
        addresses.dedup();
        let element = |bytes: &mut [u8], bits: u64| bytes.copy_from_slice(&bits.to_le_bytes()[..size]);
        let mut bytes = vec![0; src.required_bytes(dtype) as usize];
        bytes.chunks_exact_mut(size).for_each(|bytes| element(bytes, elements[0]));
        let every = elements.len().div_ceil(addresses.len().max(1));
        for (address, &bits) in addresses.into_iter().zip(elements.iter().step_by(every).cycle()) {
            element(&mut bytes[address * size..][..size], bits);
        }
        bytes
    }

    /// The name in a report.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Run => "a run",
            Self::Rows => "rows",
            Self::Fill => "one element to each row",
            Self::Strided => "every second element, reversed",
            Self::Gathered => "every third element to a run",
            Self::Transposed => "columns to rows",
            Self::Spread(_) => "groups to words",
            Self::Planes(_, _, false) => "pixels to planes",
            Self::Planes(_, _, true) => "pixels to planes, off packets",
            Self::Pixels(_, _, false) => "planes to pixels",
            Self::Pixels(_, _, true) => "planes to pixels, off packets",
            Self::ClampedPlanes => "pixels to planes, off packets, a clamp per component",
            Self::ClampedPixels => "planes to pixels, off packets, a clamp per component",
            Self::Planar => "planes, a clamp per plane",
            Self::Interleaved => "pixels, a clamp per component",
            Self::Around => "pixels, off packets, a clamp per component",
            Self::Slots => "a run, numbers on the GPU",
            Self::SlotsAlong => "planes, numbers on the GPU per plane",
            Self::Repeated => "each row to several",
        }
    }

    /// The layouts of src and dst for about `n` elements in a placement.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the platform cannot count the elements.
    pub fn placed(
        self,
        n: usize,
        sharing: Sharing,
        [source, dtype]: [DType; 2],
    ) -> Result<(Layout, Layout), Error> {
        let (src, dst) = self.layouts(n, dtype)?;
        Ok(match sharing {
            Sharing::Apart => (src, dst),
            // Elements of src may repeat; elements of dst may not.
            Sharing::Same => (dst, dst),
            // src takes odd addresses and dst even ones, so they interleave.
            Sharing::Behind if self == Self::Strided && source.size() == dtype.size() => (src, dst),
            Sharing::Behind => {
                // dst moves by whole packets.
                let bytes = src.required_bytes(source).next_multiple_of(PACKET as u64);
                let behind = bytes as usize / dtype.size();
                (src, Layout::strided(dst.shape(), dst.strides(), dst.offset() + behind)?)
            }
        })
    }

    /// The layouts of src and dst for about `n` elements in two buffers.
    fn layouts(self, n: usize, dtype: DType) -> Result<(Layout, Layout), Error> {
        let packed = |shape: &[usize]| Layout::packed(shape);
        let rows = n.div_ceil(141).max(2);
        let line = |count: usize, stride: isize, offset: usize| Layout::strided(&[count], &[stride], offset);
        // Two rows of pixels with `of` components each, and planes for `count` of the components. `off`: rows begin
        // within a packet.
        let picture = |count: usize, of: usize, off: bool| {
            let width = n.div_ceil(count).next_multiple_of(64) / 2 + if off { 37 } else { 64 };
            let pad = if off { 3 } else { 0 };
            let (pixel_row, plane_row) = (width * of + pad, width + pad);
            let strides = |strides: [usize; 3]| strides.map(usize::cast_signed);
            let pixels = Layout::strided(&[count, 2, width], &strides([1, pixel_row, of]), usize::from(off))?;
            let planes = strides([2 * plane_row + pad, plane_row, 1]);
            Ok((pixels, Layout::strided(&[count, 2, width], &planes, if off { 5 } else { 0 })?))
        };
        Ok(match self {
            Self::Run | Self::Slots => (packed(&[n])?, packed(&[n])?),
            Self::Rows => (packed(&[rows, 143])?.slice(1, 0..141)?, packed(&[rows, 144])?.slice(1, 0..141)?),
            Self::Fill => {
                let rows = n.min(5000);
                (packed(&[rows, 1])?.broadcast_to(&[rows, 163])?, packed(&[rows, 167])?.slice(1, 0..163)?)
            }
            Self::Repeated => {
                // Each row has whole packets and goes to 16 rows: an invocation stores to eight of them. dst is 16 times
                // as large as src, so `n` is capped, and src lacks some 16-bit values.
                let rows = n.min(32_768).div_ceil(192);
                (packed(&[rows, 1, 192])?.broadcast_to(&[rows, 16, 192])?, packed(&[rows, 16, 192])?)
            }
            Self::Strided => (line(n, 2, 1)?, line(n, -2, 2 * n)?),
            Self::Gathered => (line(n, 3, 1)?, line(n, 1, 3)?),
            Self::Transposed => {
                let columns = n.div_ceil(192).next_multiple_of(16).max(64);
                (packed(&[columns, 192])?.permute(&[1, 0])?, packed(&[192, columns])?)
            }
            Self::Spread(taken) => {
                let lanes = (4 / dtype.size()).max(2);
                let groups = n.div_ceil(taken);
                (packed(&[groups, taken])?, packed(&[groups, lanes])?.slice(1, 0..taken)?)
            }
            Self::Planes(count, of, off) => picture(count, of, off)?,
            Self::ClampedPlanes => picture(3, 3, true)?,
            Self::ClampedPixels => {
                let (pixels, planes) = picture(3, 3, true)?;
                (planes, pixels)
            }
            Self::Pixels(count, of, off) => {
                let (pixels, planes) = picture(count, of, off)?;
                (planes, pixels)
            }
            Self::Planar | Self::SlotsAlong => {
                let layout = packed(&[2, 3, n.div_ceil(2)])?;
                (layout, layout)
            }
            Self::Interleaved => {
                // Starts at an odd element and fills all packets of an invocation. Each source value meets the clamp of
                // every component.
                let pixels = n.next_multiple_of(16).max(3 * 1024) + 1;
                let layout = Layout::strided(&[pixels, 3], &[3, 1], 5)?;
                (layout, layout)
            }
            Self::Around => {
                // Each source value meets half of the clamps.
                let layout = Layout::strided(&[n.div_ceil(2) + 1, 6], &[6, 1], 5)?;
                (layout, layout)
            }
        })
    }
}

/// The placement of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Two buffers.
    Apart,
    /// One buffer, with dst in the gaps of src or behind src.
    Behind,
    /// In place: src and dst have the same addresses.
    Same,
}
