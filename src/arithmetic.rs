//! The numbers that the shaders compute with: bounds as keys, scale and bias as integers or floats. Each struct mirrors
//! one in `shaders/`: same member names, order and offsets. A test in `shader/tests.rs` compares them.

mod bounds;
mod fixed;
mod float;
mod halves;
mod integer;
mod line;
mod parameters;
mod shortcuts;
mod slots;
mod step;
mod thirds;

pub(crate) use parameters::{Entries, LANES, ParameterBytes, ParameterPlace};
pub(crate) use shortcuts::Shortcuts;
pub(crate) use slots::{MAX_SLOTS, NUMBERS, ResolveParams, Slot, SlotReads, Target};
pub(crate) use step::{AffineStep, Arithmetic, Class};

use crate::Clamp;
use crate::fragment::{Mirror, Twin, mirrors};
use fixed::Fixed;
use halves::Halves;
use thirds::Thirds;

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
    /// Enough for the largest class with the largest step; a test checks that.
    pub(crate) const CAPACITY: usize = 128;

    /// The parameters of `clamp` for modules of `arithmetic`. If the module has an affine step for another channel and
    /// `clamp` has none, the step's numbers keep every element unchanged.
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
        // The clamp's own rounding: `arithmetic.rounding` only chooses the text.
        let (affine, rounding) = (clamp.affine(), clamp.rounding());
        let of_step = step::step_dtype(arithmetic);
        // A step with numbers on the GPU also starts as the identity; `resolve` overwrites it.
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
const FOUND: &str = "the step is chosen where there are numbers";

/// The words of a number, low word first, as in the shaders.
fn low_first<const N: usize>(number: i128) -> [u32; N] {
    std::array::from_fn(|i| (number >> (32 * i)) as u32)
}

#[cfg(test)]
mod tests;
