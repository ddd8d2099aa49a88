//! The parameters of a clamp, and their place: the uniform block, or a storage buffer for many channels. This is the
//! host's half of `shaders/params/`.

use std::fmt;

use super::bounds;
use super::numbers::StepNumbers;
use super::step::{Arithmetic, Class};
use crate::Clamp;
use crate::fragment::{Mirror, MirrorBytes, Twin};

/// The parameters of one clamp: its bounds and the numbers of its affine step, both at multiples of 16 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Parameters(MirrorBytes<{ Parameters::CAPACITY }>);

impl Parameters {
    /// Enough for the largest bounds with the largest affine step, as a test checks.
    pub(crate) const CAPACITY: usize = 128;

    /// The parameters of `clamp` for modules of `arithmetic`, with the numbers of its affine step.
    pub(crate) fn new(clamp: &Clamp, arithmetic: Arithmetic, numbers: &StepNumbers) -> Self {
        let mut parameters = match arithmetic.class() {
            Class::Integer => MirrorBytes::of(&bounds::IntegerBounds::new(clamp)),
            Class::Integer64 => MirrorBytes::of(&bounds::IntegerBounds64::new(clamp)),
            Class::Float => MirrorBytes::of(&bounds::FloatBounds::new(clamp)),
            Class::Float64 => MirrorBytes::of(&bounds::FloatBounds64::new(clamp)),
            Class::Rounded | Class::Rounded32 => MirrorBytes::of(&bounds::RoundedBounds::new(clamp)),
            Class::Quantized => MirrorBytes::of(&bounds::QuantizedBounds::new(clamp)),
        };
        parameters.pad();
        parameters.push(numbers.as_bytes());
        parameters.pad();
        Self(parameters)
    }

    /// The bytes, a multiple of 16.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The two parts, whose layouts are `twins`, without padding.
    fn parts(&self, twins: [Twin; 2]) -> [&[u8]; 2] {
        let [bounds, affine] = twins.map(|twin| twin.size);
        let (bytes, second) = (self.as_bytes(), bounds.next_multiple_of(16));
        debug_assert_eq!(bytes.len(), second + affine.next_multiple_of(16));
        [&bytes[..bounds], &bytes[second..][..affine]]
    }
}

/// The layouts of bounds and affine step.
pub(crate) const fn twins(arithmetic: Arithmetic) -> [Twin; 2] {
    let bounds = match arithmetic.class() {
        Class::Integer => bounds::IntegerBounds::TWIN,
        Class::Integer64 => bounds::IntegerBounds64::TWIN,
        Class::Float => bounds::FloatBounds::TWIN,
        Class::Float64 => bounds::FloatBounds64::TWIN,
        Class::Rounded | Class::Rounded32 => bounds::RoundedBounds::TWIN,
        Class::Quantized => bounds::QuantizedBounds::TWIN,
    };
    [bounds, StepNumbers::twin(arithmetic)]
}

/// The WGSL that reads a channel's parameters from a table: `read_bounds` and `read_affine` for
/// `params/stored.wgsl`.
pub(crate) fn readers(arithmetic: Arithmetic) -> String {
    let Entries { affine, .. } = Entries::of(arithmetic, ParameterPlace::Stored, 1);
    let firsts = [0, affine / WORD];
    let reader = |((twin, first), [name, ty]): ((Twin, u64), [&str; 2])| {
        let expression = twin.of_words(ty, first as usize, |n| format!("number(channel, {n}u)"));
        format!("\nfn read_{name}(channel: u32) -> {ty} {{\n    return {expression};\n}}\n")
    };
    let parts = [["bounds", "Bounds"], ["affine", "Affine"]];
    twins(arithmetic).into_iter().zip(firsts).zip(parts).map(reader).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ParameterPlace {
    /// One clamp for all elements, in the uniform block.
    One,
    /// Several channels, in the uniform block.
    Block,
    /// More channels, in a storage buffer.
    Stored,
}

impl ParameterPlace {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 3] = [Self::One, Self::Block, Self::Stored];

    /// The place for `channels` channels; 1 means one clamp for all elements. `most`: the most channels in the uniform
    /// block, at most those that [fit](Self::in_block).
    pub(crate) const fn of(channels: usize, most: usize) -> Self {
        match channels {
            0 | 1 => Self::One,
            _ if channels <= most => Self::Block,
            _ => Self::Stored,
        }
    }

    /// The number of clamps that fit into a uniform block: `MAX_CHANNELS` in `shaders/params/block.wgsl`.
    pub(crate) const fn in_block(self) -> usize {
        match self {
            Self::One => 1,
            Self::Block => 100,
            Self::Stored => 0,
        }
    }

    /// Whether a storage buffer is bound besides src and dst.
    pub(crate) const fn are_stored(self) -> bool {
        matches!(self, Self::Stored)
    }
}

/// Text for labels and the log; empty for one clamp.
impl fmt::Display for ParameterPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::One => "",
            Self::Block => "several channels, ",
            Self::Stored => "stored channels, ",
        })
    }
}

/// The bytes of parameters, the same for all windows of a plan.
pub(crate) enum ParameterBytes {
    One(Parameters),
    /// For each channel in turn.
    Several(Vec<u8>),
    /// A table, and what goes into uniform blocks instead.
    Stored {
        block: [u8; 16],
        table: Vec<u8>,
    },
}

impl ParameterBytes {
    /// The bytes of one clamp per channel, or of one clamp repeated for `channels` channels, with the numbers of each clamp. If
    /// `reversed`, the last channel comes first.
    pub(crate) fn new(
        (clamps, numbers): (&[Clamp], &[StepNumbers]),
        channels: usize,
        arithmetic: Arithmetic,
        place: ParameterPlace,
        reversed: bool,
    ) -> Self {
        let of_clamp = |n: usize| Parameters::new(&clamps[n], arithmetic, &numbers[n]);
        if place == ParameterPlace::One {
            return Self::One(of_clamp(0));
        }
        let entries = Entries::of(arithmetic, place, channels);
        let mut bytes =
            vec![0; (entries.bytes(channels) as usize).max(entries.bytes(place.in_block()) as usize)];
        // Channels that differ only in numbers on the GPU start with the same parameters.
        let same = (clamps.len() == 1).then(|| of_clamp(0));
        for channel in 0..channels {
            let own = || of_clamp(if reversed { clamps.len() - 1 - channel } else { channel });
            entries.write(&mut bytes, channel, &same.unwrap_or_else(own), twins(arithmetic));
        }
        if !place.are_stored() {
            return Self::Several(bytes);
        }
        let mut block = [0; 16];
        block[..4].copy_from_slice(&(channels as u32).to_le_bytes());
        Self::Stored { block, table: bytes }
    }

    /// The size of [`stored`](Self::stored), in bytes; 0 if uniform blocks hold the parameters.
    pub(crate) fn stored_size(arithmetic: Arithmetic, place: ParameterPlace, channels: usize) -> u64 {
        let entries = Entries::of(arithmetic, place, channels);
        if place.are_stored() { entries.bytes(channels) } else { 0 }
    }

    /// The bytes before the geometry in a uniform block.
    pub(crate) fn in_block(&self) -> &[u8] {
        match self {
            Self::One(block) => block.as_bytes(),
            Self::Several(bytes) => bytes,
            Self::Stored { block, .. } => block,
        }
    }

    /// The bytes of the storage buffer, if any.
    pub(crate) fn stored(&self) -> Option<&[u8]> {
        match self {
            Self::Stored { table, .. } => Some(table),
            _ => None,
        }
    }
}

/// The layout of channels' parameters in a block or a storage buffer, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entries {
    /// The offset of the affine step's numbers in a channel's parameters.
    pub(crate) affine: u64,
    /// The parameters of a channel.
    size: u64,
    /// The stride between channels.
    pub(crate) of_channel: u64,
    /// The stride between the words of a channel.
    pub(crate) of_word: u64,
}

impl Entries {
    /// Parts are aligned to 16 bytes in a uniform block, to the alignment of their members in a table. A table has each word of all
    /// channels, then the next word: neighbouring invocations that need neighbouring channels load neighbouring words.
    pub(crate) fn of(arithmetic: Arithmetic, place: ParameterPlace, channels: usize) -> Self {
        let [bounds, affine] = twins(arithmetic);
        let alignment = |twin: Twin| if place.are_stored() { twin.alignment() } else { 16 };
        let offset = bounds.size.next_multiple_of(alignment(affine));
        let size = (offset + affine.size).next_multiple_of(alignment(bounds).max(alignment(affine))) as u64;
        let (of_channel, of_word) =
            if place.are_stored() { (WORD, WORD.saturating_mul(channels as u64)) } else { (size, WORD) };
        Self { affine: offset as u64, size, of_channel, of_word }
    }

    /// The bytes of `channels` channels.
    fn bytes(&self, channels: usize) -> u64 {
        self.size.saturating_mul(channels as u64)
    }

    /// Writes the parameters of a channel.
    fn write(&self, bytes: &mut [u8], channel: usize, parameters: &Parameters, twins: [Twin; 2]) {
        let start = channel as u64 * self.of_channel;
        for (part, offset) in parameters.parts(twins).into_iter().zip([0, self.affine]) {
            for (n, word) in (offset / WORD..).zip(part.chunks(4)) {
                bytes[(start + n * self.of_word) as usize..][..4].copy_from_slice(word);
            }
        }
    }
}

/// Bytes of a word.
const WORD: u64 = 4;
