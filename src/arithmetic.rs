//! Chooses the arithmetic of a call, and lays out the numbers that its shaders read: Min, Max, scale and bias as the caller
//! gave them, and for steps between integers those that a search found.

mod bounds;
mod fixed;
mod integer;
mod line;
mod numbers;
mod parts;
mod quantized;
mod slots;
mod step;

pub(crate) use numbers::{MOST_NUMBERS, ParameterPlace, Parameters, StepNumbers, kept_in};
#[cfg(test)]
pub(crate) use slots::SlotParams;
pub(crate) use slots::{GatherParams, MAX_SLOTS, NUMBERS, Slot, Target};
pub(crate) use step::{AffineStep, Arithmetic, Class, Form, Shortcuts};

/// The 32-bit words of a number, low word first, as in the shaders.
fn low_first<const N: usize>(number: i128) -> [u32; N] {
    std::array::from_fn(|i| (number >> (32 * i)) as u32)
}

#[cfg(test)]
mod tests;
