//! The numbers that the shaders compute with: bounds as keys (integers that order elements by value), scale and bias as
//! integers or floats. A struct that `mirrors!` declares has a twin in `shaders/`: same member names, order and
//! offsets. A test in `shader/tests.rs` compares them.

mod bounds;
mod fixed;
mod float;
mod halves;
mod integer;
mod line;
mod numbers;
mod parameters;
mod parts;
mod quantized;
mod slots;
mod step;

pub(crate) use numbers::StepNumbers;
#[cfg(test)]
pub(crate) use parameters::twins;
pub(crate) use parameters::{Entries, ParameterBytes, ParameterPlace, Parameters, readers};
pub(crate) use slots::{MAX_SLOTS, NUMBERS, ResolveParams, Slot, SlotReads, Target};
pub(crate) use step::{AffineStep, Arithmetic, Class, Form, Shortcuts};

/// The 32-bit words of a number, low word first, as in the shaders.
fn low_first<const N: usize>(number: i128) -> [u32; N] {
    std::array::from_fn(|i| (number >> (32 * i)) as u32)
}

#[cfg(test)]
mod tests;
