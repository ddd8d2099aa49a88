//! The place of parameters: the uniform block, or a storage buffer for many channels. The host's half of
//! `shaders/params/`.

use std::fmt;

use super::{AffineStep, Arithmetic, Class, Parameters};
use crate::Clamp;
use crate::fragment::{Fragment, fragment};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ParameterPlace {
    /// One clamp for all elements, in the uniform block.
    One,
    /// Up to eight channels, in the uniform block.
    Few,
    /// Up to a hundred channels, in the uniform block.
    Many,
    /// More channels, in a storage buffer.
    Stored,
}

/// Elements that the shaders compute at once.
pub(crate) const LANES: usize = 4;

impl ParameterPlace {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 4] = [Self::One, Self::Few, Self::Many, Self::Stored];

    /// The place for `channels` channels; 1 means one clamp for all elements.
    pub(crate) const fn of(channels: usize) -> Self {
        match channels {
            0 | 1 => Self::One,
            2..=8 => Self::Few,
            9..=100 => Self::Many,
            _ => Self::Stored,
        }
    }

    /// The clamps that fit into a uniform block: `MAX_CHANNELS` in `shaders/params/`.
    pub(crate) const fn in_block(self) -> usize {
        match self {
            Self::One => 1,
            Self::Few => 8,
            Self::Many => 100,
            Self::Stored => 0,
        }
    }

    /// Whether a storage buffer is bound besides src and dst.
    pub(crate) const fn are_stored(self) -> bool {
        matches!(self, Self::Stored)
    }

    pub(crate) fn fragments(self) -> Vec<Fragment> {
        let (channel, table) = (fragment!("params/channel"), fragment!("params/table"));
        match self {
            Self::One => vec![fragment!("params/one")],
            Self::Few => vec![channel, table, fragment!("params/few")],
            Self::Many => vec![channel, table, fragment!("params/many")],
            Self::Stored => vec![channel, fragment!("params/stored")],
        }
    }
}

/// Text for labels and the log; empty for one clamp.
impl fmt::Display for ParameterPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "",
            Self::Few => "few channels, ",
            Self::Many => "many channels, ",
            Self::Stored => "stored channels, ",
        })
    }
}

/// The bytes of parameters, the same for all windows of a plan.
pub(crate) enum ParameterBytes {
    One(Parameters),
    Several { place: ParameterPlace, bytes: Vec<u8> },
}

impl ParameterBytes {
    /// The bytes of one clamp per channel, or of one clamp repeated for `channels` channels. If `reversed`, the last
    /// channel comes first.
    pub(crate) fn new(
        clamps: &[Clamp],
        channels: usize,
        arithmetic: Arithmetic,
        place: ParameterPlace,
        reversed: bool,
    ) -> Self {
        if place == ParameterPlace::One {
            return Self::One(Parameters::new(&clamps[0], arithmetic));
        }
        let alignment = Alignment::of(arithmetic, place);
        let mut bytes = Vec::new();
        for channel in 0..clamps.len() {
            let clamp = &clamps[if reversed { clamps.len() - 1 - channel } else { channel }];
            alignment.push(&mut bytes, &Parameters::new(clamp, arithmetic));
        }
        let each = bytes.len() / clamps.len();
        // Channels that differ only in numbers on the GPU start with the same parameters.
        if clamps.len() == 1 {
            bytes = bytes.repeat(channels);
        }
        bytes.resize(bytes.len().max(each * place.in_block()), 0);
        Self::Several { place, bytes }
    }

    /// The size of [`stored`](Self::stored) for `channels` clamps like `clamp`, in bytes; 0 if uniform blocks hold the
    /// parameters.
    pub(crate) fn stored_size(
        clamp: &Clamp,
        arithmetic: Arithmetic,
        place: ParameterPlace,
        channels: usize,
    ) -> u64 {
        if !place.are_stored() {
            return 0;
        }
        Entries::of(clamp, arithmetic, place).size.saturating_mul(channels as u64)
    }

    /// The bytes before the geometry in a uniform block.
    pub(crate) fn in_block(&self) -> &[u8] {
        match self {
            Self::One(block) => block.as_bytes(),
            Self::Several { place, .. } if place.are_stored() => &[],
            Self::Several { bytes, .. } => bytes,
        }
    }

    /// The bytes of the storage buffer, if any.
    pub(crate) fn stored(&self) -> Option<&[u8]> {
        match self {
            Self::Several { place, bytes } if place.are_stored() => Some(bytes),
            _ => None,
        }
    }
}

/// The layout of consecutive channels' parameters in a block or a storage buffer, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entries {
    /// The stride between channels.
    pub(crate) size: u64,
    /// The offset of the affine step's numbers in a channel's parameters.
    pub(crate) affine: u64,
}

impl Entries {
    /// The layout for clamps like `clamp`.
    pub(crate) fn of(clamp: &Clamp, arithmetic: Arithmetic, place: ParameterPlace) -> Self {
        let parameters = Parameters::new(clamp, arithmetic);
        let alignment = Alignment::of(arithmetic, place);
        let mut one = Vec::new();
        alignment.push(&mut one, &parameters);
        let [bounds, _] = parameters.parts();
        let affine = bounds.len().next_multiple_of(alignment.parts[1]);
        Self { size: one.len() as u64, affine: affine as u64 }
    }
}

/// The alignments of the two parts of a clamp's parameters, in bytes.
struct Alignment {
    parts: [usize; 2],
}

impl Alignment {
    /// The alignments of `Parameters` in `shaders/params/`: 16 bytes in a uniform block, the members' own in a storage
    /// buffer.
    const fn of(arithmetic: Arithmetic, place: ParameterPlace) -> Self {
        if !place.are_stored() {
            return Self { parts: [16; 2] };
        }
        let class = arithmetic.class();
        let bounds = match class {
            Class::Integer | Class::Float | Class::Rounded | Class::Rounded32 => 4,
            Class::Integer64 | Class::Float64 => 8,
        };
        let affine = match (arithmetic.step, class) {
            (AffineStep::None, _) | (AffineStep::Exact, Class::Integer64 | Class::Float64) => 16,
            (AffineStep::Exact, Class::Integer) | (AffineStep::Fast, Class::Float64) => 8,
            _ => 4,
        };
        Self { parts: [bounds, affine] }
    }

    fn push(&self, bytes: &mut Vec<u8>, block: &Parameters) {
        let [bounds, affine] = self.parts;
        let whole = bounds.max(affine);
        for (part, alignment) in block.parts().into_iter().zip([whole, affine]) {
            bytes.resize(bytes.len().next_multiple_of(alignment), 0);
            bytes.extend_from_slice(part);
        }
        bytes.resize(bytes.len().next_multiple_of(whole), 0);
    }
}
