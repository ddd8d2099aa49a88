//! Pieces: what an invocation loads, clamps and stores at once. A [`Piece`] describes a box of elements: a few of a run of dst
//! (a stream), or several packets on both sides (a box). Its text is straight-line WGSL, in which the places of elements
//! within the box are constants.

use std::fmt;

use super::region::{DST, Region, SRC};
use super::{PACKET, WORD};

/// The most dimensions of a piece.
pub(super) const MAX_DIMS: usize = 3;

/// Elements that the shaders compute at once.
pub(super) const LANES: usize = 4;

/// The most packets of a box in a round of [`Stores::Exchanged`]: with four, a workgroup exceeds the memory that every
/// device has.
const MOST_OF_ROUND: usize = 3;

/// Describes a piece by its extents and its near strides. The uniform block holds offsets and far strides instead, so few
/// texts serve all tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    /// Bytes per element of src and of dst.
    pub(super) sizes: [u8; 2],
    /// The first `rank` entries are the dimensions, outermost first; the others are [`Along::ONCE`].
    pub(super) dims: [Along; MAX_DIMS],
    pub(super) rank: u8,
    /// Elements of a dst row's first packet before the piece's first element; they keep their bytes. 0 if packets have
    /// no bytes to preserve.
    pub(super) kept_before: u8,
    pub(super) reads: Reads,
    pub(super) stores: Stores,
    pub(super) channels: Channels,
    pub(super) order: Order,
}

/// A dimension of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Along {
    /// Elements of the piece along this dimension.
    pub(super) extent: u8,
    /// The strides of src and dst.
    pub(super) strides: [Stride; 2],
    /// The index of the region's dimension, counted from the innermost dimension, which is 0.
    pub(super) place: u8,
    /// Whether its indices are channels.
    pub(super) channels: bool,
}

/// A stride, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stride {
    /// At most [`NEAREST`](Stride::NEAREST) elements either way: a constant in the text.
    Near(i8),
    /// A number in the uniform block. In a stream, elements are found one by one, along all dimensions of the run.
    Far,
}

/// How src is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reads {
    /// Whole packets, where rows of src begin at packets.
    Packets,
    /// Words, where rows of src begin at words.
    Words,
    /// Words; an element or a group of elements may begin within a word.
    AcrossWords,
    /// Packets, two for each packet of dst, where rows begin anywhere. For streams only.
    AcrossPackets,
}

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stores {
    Packets,
    /// Packets, exchanged among the invocations of a workgroup.
    Exchanged,
    /// Words, of one element or several. Where elements are words in src, neighbouring invocations then load neighbouring
    /// packets; where they are words in dst, the piece need not begin at a packet.
    Words,
}

/// How many clamps the elements of a piece have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Channels {
    /// One clamp serves all elements of the tensor.
    None,
    /// A piece has one channel.
    One,
    /// A piece has several channels.
    Several,
    /// Each element of a stream has the channel that stepping finds.
    Stepped,
}

/// Which pieces an invocation and its neighbours take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Order {
    /// Units of a run of dst, which begins anywhere; neighbours take the next unit.
    Stream,
    /// Boxes in the order of dst.
    Line,
    /// Boxes, in a workgroup a square of them: along the dimension where src is fastest, and along dst's.
    Squares,
}

impl Channels {
    /// Whether the elements of a piece may differ in their clamps.
    pub(super) const fn differ(self) -> bool {
        matches!(self, Self::Several | Self::Stepped)
    }
}

impl Order {
    pub(super) const fn kernel(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Line | Self::Squares => "boxes",
        }
    }
}

impl Along {
    pub(super) const ONCE: Self =
        Self { extent: 1, strides: [Stride::Near(0); 2], place: 0, channels: false };
}

impl Stride {
    /// The longest near stride, in elements.
    pub(super) const NEAREST: usize = 64;

    pub(super) fn of(stride: isize) -> Self {
        if stride.unsigned_abs() <= Self::NEAREST { Self::Near(stride as i8) } else { Self::Far }
    }
}

impl Reads {
    pub(super) const fn by_words(size: usize) -> Self {
        if size >= WORD { Self::Words } else { Self::AcrossWords }
    }
}

impl Stores {
    /// Bytes of dst that are stored at once.
    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::Packets | Self::Exchanged => PACKET,
            Self::Words => WORD,
        }
    }
}

impl Piece {
    /// A piece with one to [`MAX_DIMS`] dimensions, outermost first.
    pub(super) fn new(
        sizes: [usize; 2],
        dims: &[Along],
        (reads, stores): (Reads, Stores),
        channels: Channels,
        order: Order,
    ) -> Self {
        let mut all = [Along::ONCE; MAX_DIMS];
        all[..dims.len()].copy_from_slice(dims);
        let sizes = sizes.map(|size| size as u8);
        Self { sizes, dims: all, rank: dims.len() as u8, kept_before: 0, reads, stores, channels, order }
    }

    pub(super) fn dims(&self) -> &[Along] {
        &self.dims[..self.rank.into()]
    }

    pub(super) fn len(&self) -> usize {
        self.dims().iter().map(|dim| usize::from(dim.extent)).product()
    }

    /// Bytes per element of one side.
    pub(super) fn size(&self, side: usize) -> usize {
        self.sizes[side].into()
    }

    /// Elements of `size` bytes that are clamped at once.
    pub(super) const fn at_once(size: usize) -> usize {
        if PACKET / size < LANES { PACKET / size } else { LANES }
    }

    /// Elements of dst that are stored at once.
    pub(super) fn per_store(&self) -> usize {
        self.stores.bytes() / self.size(DST)
    }

    /// Packets that an invocation puts into workgroup memory at once: all of a box, or two.
    pub(super) fn round(&self) -> usize {
        let packets = self.len() / self.per_store();
        if packets <= MOST_OF_ROUND { packets } else { 2 }
    }

    pub(super) fn by_packets(&self) -> bool {
        matches!(self.reads, Reads::Packets | Reads::AcrossPackets)
    }

    pub(super) fn channel_dim(&self) -> Option<usize> {
        self.dims().iter().position(|dim| dim.channels)
    }

    /// Whether the elements of a stream are found one by one.
    pub(super) fn steps(&self) -> bool {
        self.order == Order::Stream && self.dims[0].strides[SRC] == Stride::Far
    }

    /// The index of a dimension of the piece in `region`, which has as many dimensions as what the piece takes.
    pub(super) fn dim_of(dim: Along, region: &Region) -> usize {
        region.dims().len() - 1 - usize::from(dim.place)
    }
}

/// Describes a piece for labels, the log and the head of its text: each dimension as `extent (stride in src to stride in
/// dst)`, then how it is loaded and stored.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, dim) in self.dims().iter().enumerate() {
            write!(f, "{}{}", if n == 0 { "" } else { " × " }, dim.extent)?;
            let stride = |side: usize| match dim.strides[side] {
                Stride::Near(stride) => stride.to_string(),
                Stride::Far if self.steps() => "any".to_owned(),
                Stride::Far => "far".to_owned(),
            };
            write!(f, " ({} to {})", stride(SRC), stride(DST))?;
        }
        f.write_str(match self.reads {
            Reads::Packets => ", by packets",
            Reads::Words => ", by words",
            Reads::AcrossWords => ", across words",
            Reads::AcrossPackets => ", across packets",
        })?;
        f.write_str(match self.stores {
            Stores::Packets => "",
            Stores::Exchanged => ", exchanged",
            Stores::Words => ", to words",
        })?;
        f.write_str(if self.order == Order::Squares { ", in squares" } else { "" })?;
        f.write_str(match self.channels {
            Channels::None => "",
            Channels::One => ", a channel each",
            Channels::Several => ", of several channels",
            Channels::Stepped => ", a channel for each element",
        })
    }
}
