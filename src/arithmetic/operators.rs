//! Where the numbers of one clamp, or of one for each channel, lie: in the uniform block, or in a storage buffer
//! where that does not hold them. The host's half of `shaders/params/`.

use std::fmt;

use super::{AffineStep, Arithmetic, Class, Fixed, OperatorBlock};
use crate::fragment::{Fragment, fragment};
use crate::{Clamp, Clamps};

/// How the numbers of a clamp, or of several, come to a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operators {
    /// One clamp for all elements, in the uniform block.
    One,
    /// One for each of up to eight channels, in the uniform block.
    Few,
    /// One for each of up to a hundred channels, in the uniform block.
    Many,
    /// One for each of more channels, in a storage buffer.
    Stored,
    /// As `Few`, for groups of four elements that have a clamp each.
    FewLanes,
    /// As `Many`, for up to sixty groups of four elements that have a clamp each.
    ManyLanes,
    /// As `Stored`, for groups of four elements that have a clamp each.
    StoredLanes,
}

/// Elements that are worked on at once.
pub(crate) const LANES: usize = 4;

/// Groups of a packet behind its first one. As many are repeated behind the last, so that a packet's follow one
/// another.
const BEYOND: usize = 3;

impl Operators {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 7] =
        [Self::One, Self::Few, Self::Many, Self::Stored, Self::FewLanes, Self::ManyLanes, Self::StoredLanes];

    /// For so many channels, 1 for one clamp; `lanes`: whether elements next to each other are of different channels.
    pub(crate) const fn of(channels: usize, lanes: bool) -> Self {
        match (channels, if lanes { groups(channels) + BEYOND } else { channels }, lanes) {
            (0 | 1, ..) => Self::One,
            (_, ..=8, true) => Self::FewLanes,
            (_, ..=60, true) => Self::ManyLanes,
            (_, _, true) => Self::StoredLanes,
            (_, ..=8, false) => Self::Few,
            (_, ..=100, false) => Self::Many,
            (_, _, false) => Self::Stored,
        }
    }

    /// How many operators the uniform block has room for, as in `shaders/params/`.
    pub(crate) const fn in_block(self) -> usize {
        match self {
            Self::One => 1,
            Self::Few | Self::FewLanes => 8,
            Self::Many => 100,
            Self::ManyLanes => 60,
            Self::Stored | Self::StoredLanes => 0,
        }
    }

    /// Whether a storage buffer is bound beside src and dst.
    pub(crate) const fn are_stored(self) -> bool {
        matches!(self, Self::Stored | Self::StoredLanes)
    }

    /// Whether four elements that are worked on at once have a clamp each.
    pub(crate) const fn are_lanes(self) -> bool {
        matches!(self, Self::FewLanes | Self::ManyLanes | Self::StoredLanes)
    }

    /// How many entries the table of so many channels has.
    const fn count(self, channels: usize) -> usize {
        if self.are_lanes() { groups(channels) + BEYOND } else { channels }
    }

    pub(crate) fn fragments(self) -> Vec<Fragment> {
        let (channel, table) = (fragment!("params/channel"), fragment!("params/table"));
        match self {
            Self::One => vec![fragment!("params/one")],
            Self::Few | Self::FewLanes => vec![channel, table, fragment!("params/few")],
            Self::Many => vec![channel, table, fragment!("params/many")],
            Self::ManyLanes => vec![channel, table, fragment!("params/many_lanes")],
            Self::Stored | Self::StoredLanes => vec![channel, fragment!("params/stored")],
        }
    }
}

/// For labels and the log: nothing for one clamp.
impl fmt::Display for Operators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "",
            Self::Few => "few channels, ",
            Self::Many => "many channels, ",
            Self::Stored => "stored channels, ",
            Self::FewLanes => "few interleaved channels, ",
            Self::ManyLanes => "many interleaved channels, ",
            Self::StoredLanes => "stored interleaved channels, ",
        })
    }
}

/// Groups of four elements until the channels begin with a group again.
pub(crate) const fn groups(channels: usize) -> usize {
    let (mut a, mut b) = (channels, LANES);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    channels / a
}

/// The operator's part of uniform blocks, the same for all windows of a kernel.
pub(crate) enum OperatorBytes {
    One(OperatorBlock),
    Several { operators: Operators, bytes: Vec<u8> },
}

impl OperatorBytes {
    /// Of one clamp.
    pub(crate) fn one(clamp: &Clamp, arithmetic: Arithmetic, fixed: Option<&Fixed>) -> Self {
        Self::One(OperatorBlock::new(clamp, arithmetic, fixed))
    }

    /// Of one clamp for each channel, last first if `reversed`. The lanes of the first group are the channels from
    /// `first` on.
    pub(crate) fn several(
        clamps: Clamps<'_>,
        arithmetic: Arithmetic,
        operators: Operators,
        reversed: bool,
        first: usize,
    ) -> Self {
        let clamps = clamps.as_slice();
        let block = |channel: usize| {
            let clamp = &clamps[if reversed { clamps.len() - 1 - channel } else { channel }];
            let find = |affine| Fixed::find(arithmetic.source, arithmetic.dtype, affine, clamp.rounding());
            let fixed = clamp.affine().filter(|_| arithmetic.step == AffineStep::Fixed).and_then(find);
            OperatorBlock::new(clamp, arithmetic, fixed.as_ref())
        };
        let blocks: Vec<_> = (0..clamps.len()).map(block).collect();
        let alignment = Alignment::of(arithmetic, operators);
        let count = operators.count(blocks.len());
        let mut bytes = Vec::with_capacity(alignment.size(&blocks[0], operators) * count);
        for n in 0..count {
            if operators.are_lanes() {
                let lane = |lane| blocks[(first + LANES * n + lane) % blocks.len()];
                alignment.push(&mut bytes, &std::array::from_fn::<_, LANES, _>(lane));
            } else {
                alignment.push(&mut bytes, &blocks[n..=n]);
            }
        }
        let each = bytes.len() / count;
        bytes.resize(bytes.len().max(each * operators.in_block()), 0);
        Self::Several { operators, bytes }
    }

    /// The length of [`stored`](Self::stored) for so many channels with clamps like this one; 0 where there is none.
    pub(crate) fn stored_size(
        clamp: &Clamp,
        arithmetic: Arithmetic,
        operators: Operators,
        channels: usize,
    ) -> u64 {
        if !operators.are_stored() {
            return 0;
        }
        let block = OperatorBlock::new(clamp, arithmetic, None);
        let each = Alignment::of(arithmetic, operators).size(&block, operators);
        (each as u64).saturating_mul(operators.count(channels) as u64)
    }

    /// What comes before the geometry in a uniform block.
    pub(crate) fn in_block(&self) -> &[u8] {
        match self {
            Self::One(block) => block.as_bytes(),
            Self::Several { operators, .. } if operators.are_stored() => &[],
            Self::Several { bytes, .. } => bytes,
        }
    }

    /// What a storage buffer holds.
    pub(crate) fn stored(&self) -> Option<&[u8]> {
        match self {
            Self::Several { operators, bytes } if operators.are_stored() => Some(bytes),
            _ => None,
        }
    }
}

/// What the two parts of an operator begin at multiples of, in bytes.
struct Alignment {
    parts: [usize; 2],
}

impl Alignment {
    /// Those of `Operator` in `shaders/params/`: 16 bytes in a uniform block, what the members need in a storage
    /// buffer.
    const fn of(arithmetic: Arithmetic, operators: Operators) -> Self {
        if !operators.are_stored() || operators.are_lanes() {
            return Self { parts: [16; 2] };
        }
        let class = arithmetic.class();
        let bounds = match class {
            Class::Integer | Class::Float | Class::Rounded => 4,
            Class::Integer64 | Class::Float64 => 8,
        };
        let affine = match (arithmetic.step, class) {
            (AffineStep::None, _) | (AffineStep::Exact, Class::Integer64 | Class::Float64) => 16,
            (AffineStep::Exact, Class::Integer) | (AffineStep::Fast, Class::Float64) => 8,
            _ => 4,
        };
        Self { parts: [bounds, affine] }
    }

    /// The size of an operator made of blocks like this one, in bytes.
    fn size(&self, block: &OperatorBlock, operators: Operators) -> usize {
        let mut bytes = Vec::new();
        self.push(&mut bytes, &[*block; LANES][..if operators.are_lanes() { LANES } else { 1 }]);
        bytes.len()
    }

    /// Adds an operator, of one block or of four as one, each of whose numbers is then four.
    fn push(&self, bytes: &mut Vec<u8>, lanes: &[OperatorBlock]) {
        let [bounds, affine] = self.parts;
        for (part, alignment) in [(0, bounds.max(affine)), (1, affine)] {
            bytes.resize(bytes.len().next_multiple_of(alignment), 0);
            for word in (0..lanes[0].parts()[part].len()).step_by(4) {
                for lane in lanes {
                    bytes.extend_from_slice(&lane.parts()[part][word..word + 4]);
                }
            }
        }
        bytes.resize(bytes.len().next_multiple_of(bounds.max(affine)), 0);
    }
}
