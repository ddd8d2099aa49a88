//! The parameters of a clamp, and their place: the uniform block, or a storage buffer for many channels. This is the
//! host's half of `shaders/params/`.

use std::fmt;

use super::step::{self, AffineStep, Arithmetic, Class};
use super::{bounds, float, integer};
use super::{fixed::Fixed, halves::Halves, thirds::Thirds};
use crate::Clamp;
use crate::fragment::{Mirror, Twin, mirrors};

mirrors! {
    /// Mirrors `Affine` in `affine/none.wgsl`.
    struct NoStep {
        unused: [u32; 4],
    }
}

/// The parameters of one clamp: its bounds and the numbers of its affine step, both at multiples of 16 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Parameters {
    bytes: [u8; Self::CAPACITY],
    len: usize,
    /// The layouts of the two parts.
    twins: [Twin; 2],
}

impl Parameters {
    /// Enough for the largest bounds with the largest affine step, as a test checks.
    pub(crate) const CAPACITY: usize = 128;

    /// The parameters of `clamp` for modules of `arithmetic`. If `clamp` has no affine step but another channel has
    /// one, the step's numbers keep every element unchanged.
    pub(crate) fn new(clamp: &Clamp, arithmetic: Arithmetic) -> Self {
        let mut parameters = Self { bytes: [0; Self::CAPACITY], len: 0, twins: [NoStep::TWIN; 2] };
        let class = arithmetic.class();
        match class {
            Class::Integer => parameters.push(&bounds::IntegerBounds::new(clamp)),
            Class::Integer64 => parameters.push(&bounds::IntegerBounds64::new(clamp)),
            Class::Float => parameters.push(&bounds::FloatBounds::new(clamp)),
            Class::Float64 => parameters.push(&bounds::FloatBounds64::new(clamp)),
            Class::Rounded | Class::Rounded32 => parameters.push(&bounds::RoundedBounds::new(clamp)),
        }
        parameters.push_affine(clamp, arithmetic);
        parameters
    }

    fn push_affine(&mut self, clamp: &Clamp, arithmetic: Arithmetic) {
        let Arithmetic { source, dtype, step, .. } = arithmetic;
        // The numbers depend on the clamp's own rounding; `arithmetic.rounding` only selects fragments.
        let (affine, rounding) = (clamp.affine(), clamp.rounding());
        let of_step = step::step_dtype(arithmetic);
        // A step with numbers on the GPU also starts as the identity; the shader `resolve` overwrites it.
        let some = affine.unwrap_or(step::UNCHANGED);
        match (step, arithmetic.class()) {
            (AffineStep::None, _) => self.push(&NoStep { unused: [0; 4] }),
            (AffineStep::Fixed, _) => {
                self.push(&Fixed::find(source, dtype, some, rounding).expect(FOUND));
            }
            (AffineStep::Halves, _) => {
                self.push(&Halves::find(source, dtype, some, rounding).expect(FOUND));
            }
            (AffineStep::Thirds, _) => {
                self.push(&Thirds::find(source, dtype, some, rounding).expect(FOUND));
            }
            (AffineStep::Exact, Class::Integer) => {
                self.push(&integer::Integer::new(source, dtype, some, rounding));
            }
            (_, Class::Integer | Class::Integer64) => {
                self.push(&integer::Integer64::new(dtype, some, rounding));
            }
            (AffineStep::Fast, Class::Float64) => self.push(&float::FloatFast64::new(some)),
            (AffineStep::Exact, Class::Float64) => self.push(&float::FloatExact64::new(some)),
            (AffineStep::Fast, _) => self.push(&match affine {
                Some(affine) => float::FloatFast::new(of_step, affine),
                None => float::FloatFast::unchanged(of_step),
            }),
            (AffineStep::Exact, _) => self.push(&float::FloatExact::new(of_step, some)),
        }
    }

    fn push<T: Mirror>(&mut self, part: &T) {
        self.twins[usize::from(self.len > 0)] = T::TWIN;
        self.bytes[self.len..][..T::TWIN.size].copy_from_slice(bytemuck::bytes_of(part));
        self.len = (self.len + T::TWIN.size).next_multiple_of(16);
    }

    /// The bytes, a multiple of 16.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The layouts of bounds and affine step.
    #[cfg(test)]
    pub(crate) const fn twins(&self) -> [Twin; 2] {
        self.twins
    }

    /// The two parts without padding.
    fn parts(&self) -> [&[u8]; 2] {
        let [bounds, affine] = self.twins.map(|twin| twin.size);
        [&self.bytes[..bounds], &self.bytes[bounds.next_multiple_of(16)..][..affine]]
    }
}

/// The message if a fixed-point step has no numbers; `AffineStep::of` never chooses such a step.
const FOUND: &str = "a fixed-point step is chosen only if it has numbers";

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

impl ParameterPlace {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 4] = [Self::One, Self::Few, Self::Many, Self::Stored];

    /// The place for `channels` channels; 1 means one clamp for all elements. `most`: the most channels in the uniform
    /// block, at least those of [`Few`](Self::Few).
    pub(crate) const fn of(channels: usize, most: usize) -> Self {
        match channels {
            0 | 1 => Self::One,
            2..=8 => Self::Few,
            _ if channels <= most => Self::Many,
            _ => Self::Stored,
        }
    }

    /// The number of clamps that fit into a uniform block: `MAX_CHANNELS` in `shaders/params/`.
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
        Self::of_parameters(&Parameters::new(clamp, arithmetic), place)
    }

    /// Parts are aligned as in `shaders/params/`: to 16 bytes in a uniform block, to the alignment of their members in a
    /// storage buffer.
    fn of_parameters(parameters: &Parameters, place: ParameterPlace) -> Self {
        let [bounds, affine] = parameters.twins;
        let alignment = |twin: Twin| if place.are_stored() { twin.alignment() } else { 16 };
        let offset = bounds.size.next_multiple_of(alignment(affine));
        let size = (offset + affine.size).next_multiple_of(alignment(bounds).max(alignment(affine)));
        Self { size: size as u64, affine: offset as u64 }
    }

    /// Appends the parameters of a channel.
    fn push(bytes: &mut Vec<u8>, parameters: &Parameters, place: ParameterPlace) {
        let (start, Self { size, affine }) = (bytes.len(), Self::of_parameters(parameters, place));
        for (part, end) in parameters.parts().into_iter().zip([affine, size]) {
            bytes.extend_from_slice(part);
            bytes.resize(start + end as usize, 0);
        }
    }
}
