//! The place of parameters: the uniform block, or a storage buffer for many channels. The host's half of
//! `shaders/params/`.

use std::fmt;

use super::{Arithmetic, Parameters};
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
        let mut bytes = Vec::new();
        for channel in 0..clamps.len() {
            let clamp = &clamps[if reversed { clamps.len() - 1 - channel } else { channel }];
            Entries::push(&mut bytes, &Parameters::new(clamp, arithmetic), place);
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
        let mut one = Vec::new();
        let affine = Self::push(&mut one, &Parameters::new(clamp, arithmetic), place);
        Self { size: one.len() as u64, affine: affine as u64 }
    }

    /// Appends the parameters of a channel, and returns the offset of the affine step's numbers. Parts are aligned as
    /// in `shaders/params/`: to 16 bytes in a uniform block, to their members in a storage buffer.
    fn push(bytes: &mut Vec<u8>, parameters: &Parameters, place: ParameterPlace) -> usize {
        let [bounds, affine] =
            parameters.twins.map(|twin| if place.are_stored() { twin.alignment() } else { 16 });
        let whole = bounds.max(affine);
        let mut offset = 0;
        for (part, alignment) in parameters.parts().into_iter().zip([whole, affine]) {
            bytes.resize(bytes.len().next_multiple_of(alignment), 0);
            offset = bytes.len();
            bytes.extend_from_slice(part);
        }
        bytes.resize(bytes.len().next_multiple_of(whole), 0);
        offset
    }
}
