//! The numbers of a clamp as its shaders read them, and their place: the uniform block, or a table in a storage buffer.
//! This is the host's half of `shaders/params/`. Numbers are as the caller gave them; shaders derive from them what they
//! compute with. The steps between integers have numbers that the host searches.

use std::fmt;

use super::bounds::{BoundWords, rules};
use super::fixed::Fixed;
use super::integer::{words_of_32, words_of_64};
use super::parts::{Parts, Split};
use super::quantized::reciprocal;
use super::step::{AffineStep, Arithmetic, Class, Form};
use crate::operator::{Affine, Quantization};
use crate::{Clamp, Number, Precision};

/// The numbers that a search found for an affine step between integers; behind them zeros.
pub(crate) type StepNumbers = [u32; 14];

/// Keeps in `list` what [`Arithmetic::of`] finds.
pub(crate) fn kept_in(list: &mut Vec<StepNumbers>) -> impl FnMut(usize, StepNumbers) {
    |n, found| {
        // A step that serves not all clamps has left numbers.
        list.truncate(n);
        list.push(found);
    }
}

/// The most numbers of a clamp: as many as `Params` of `params/one.wgsl` has room for.
pub(crate) const MOST_NUMBERS: usize = 20;

/// The identity; preserves −0.
pub(super) const UNCHANGED: Affine = Affine::new(1.0, -0.0);

impl Arithmetic {
    /// The arithmetic with the shortest step that serves all `clamps`, which agree in dtypes; `None` if there is no clamp.
    /// `found` gets what a search finds for each clamp, once more from the first clamp for each step that is tried.
    /// `f64_arithmetic`: see [`Limits`](crate::Limits).
    pub(crate) fn of(
        clamps: &[Clamp],
        f64_arithmetic: bool,
        mut found: impl FnMut(usize, StepNumbers),
    ) -> Option<Self> {
        let first = clamps.first()?;
        AffineStep::ALL.into_iter().map(|step| Self::new(first, step)).find(|arithmetic| {
            let mut serves = |(n, clamp): (usize, &Clamp)| {
                if arithmetic.is_searched() {
                    search(clamp, *arithmetic).map(|numbers| found(n, numbers)).is_some()
                } else {
                    arithmetic.serves(clamp)
                }
            };
            let is_there = f64_arithmetic || !arithmetic.takes_f64();
            is_there && clamps.iter().enumerate().all(&mut serves)
        })
    }

    /// Whether the step is one between integers, whose numbers [`search`] finds.
    pub(crate) const fn is_searched(self) -> bool {
        matches!(self.class(), Class::Integer | Class::Integer64) && !matches!(self.step, AffineStep::None)
    }

    /// Whether a step without search computes this clamp. Exact steps compute every clamp. If `clamp` has no affine step
    /// but another channel has one, the step keeps every element.
    fn serves(self, clamp: &Clamp) -> bool {
        let is_fast = clamp.precision() == Precision::Fast;
        match (self.step, self.class()) {
            (AffineStep::None, _) => !clamp.has_affine() && self.form != Form::Quantization,
            (AffineStep::Fast, Class::Rounded) if self.form == Form::Slots => false,
            // In fast F64 steps, no numbers keep every bit.
            (AffineStep::Fast, Class::Float64) => is_fast && clamp.has_affine(),
            (AffineStep::Fast, _) => is_fast || !clamp.has_affine() && self.form != Form::Quantization,
            (AffineStep::Exact, _) => true,
            _ => false,
        }
    }

    /// Whether bounds, scale and bias have two words each.
    const fn is_wide(self) -> bool {
        self.dtype.bits() == 64
    }

    /// The count of a clamp's numbers before those of its step: Min and Max.
    const fn bound_count(self) -> usize {
        if self.is_wide() { 4 } else { 2 }
    }

    /// The count of a clamp's numbers, in vectors of four words.
    pub(crate) const fn vector_count(self) -> usize {
        let of_step = match (self.step, self.class()) {
            (AffineStep::None, _) => 0,
            (AffineStep::Fixed, _) => 2,
            (AffineStep::Halves, _) => 4,
            (AffineStep::Thirds | AffineStep::Whole, _) => 6,
            (_, Class::Integer) => 9,
            (_, Class::Integer64) => 14,
            (_, Class::Float64) => 4,
            (_, Class::Quantized) => 3,
            _ => 2,
        };
        (self.bound_count() + of_step).div_ceil(4)
    }

    /// The index of Min, Max, scale and bias among a clamp's numbers.
    pub(crate) const fn place_of(self, number: usize) -> usize {
        let words = if self.is_wide() { 2 } else { 1 };
        if number < 2 { number * words } else { self.bound_count() + (number - 2) * words }
    }
}

/// The numbers of a step between integers; `None` if the step cannot compute this clamp.
fn search(clamp: &Clamp, arithmetic: Arithmetic) -> Option<StepNumbers> {
    // The numbers depend on the clamp's own rounding; `arithmetic.rounding` only selects fragments.
    let Arithmetic { source, dtype, step, .. } = arithmetic;
    let (affine, rounding) = (clamp.affine().unwrap_or(UNCHANGED), clamp.rounding());
    Some(match (step, arithmetic.class()) {
        (AffineStep::Fixed, Class::Integer) => filled(Fixed::find(source, dtype, affine, rounding)?.words()),
        (AffineStep::Halves | AffineStep::Thirds | AffineStep::Whole, Class::Integer) => {
            filled(Parts::find(source, dtype, affine, rounding, Split::of(step))?.words())
        }
        (AffineStep::Exact, Class::Integer) => filled(words_of_32(source, affine, rounding)),
        (AffineStep::Exact, Class::Integer64) => filled(words_of_64(dtype, affine, rounding)),
        _ => return None,
    })
}

fn filled<const N: usize>(words: [u32; N]) -> StepNumbers {
    let mut filled = StepNumbers::default();
    filled[..N].copy_from_slice(&words);
    filled
}

/// Lists the numbers of clamps.
struct Lister<'a> {
    arithmetic: Arithmetic,
    bounds: BoundWords,
    /// What a search found for each clamp.
    found: &'a [StepNumbers],
}

impl Lister<'_> {
    /// The numbers of the `n`-th clamp, as many as [`Arithmetic::vector_count`] times 4 at most; behind them zeros.
    fn numbers(&self, clamp: &Clamp, n: usize) -> [u32; MOST_NUMBERS] {
        let mut numbers = [0; MOST_NUMBERS];
        let bounds = self.bounds.of(clamp);
        let is_wide = self.arithmetic.is_wide();
        if is_wide {
            numbers[..4].copy_from_slice(bounds.as_flattened());
        } else {
            [numbers[0], numbers[1]] = bounds.map(|[word, _]| word);
        }
        let of_step = &mut numbers[self.arithmetic.bound_count()..];
        let or = |number: Number, absent: u64| number.bits().unwrap_or(absent);
        if self.arithmetic.is_searched() {
            of_step[..self.found[n].len()].copy_from_slice(&self.found[n]);
        } else if let Some(Quantization { scale, zero_point }) = clamp.quantization() {
            of_step[0] = scale.to_bits();
            of_step[1] = zero_point.cast_unsigned();
            if self.arithmetic.class() == Class::Quantized {
                of_step[2] = reciprocal(self.arithmetic.step, scale).to_bits();
            }
        } else if is_wide {
            let absent = [UNCHANGED.scale(), UNCHANGED.bias()].map(f64::to_bits);
            let [scale, bias] = [or(clamp.scale(), absent[0]), or(clamp.bias(), absent[1])];
            let words = [scale, scale >> 32, bias, bias >> 32].map(|word| word as u32);
            of_step[..4].copy_from_slice(&words);
        } else {
            let absent =
                [UNCHANGED.scale(), UNCHANGED.bias()].map(|number| u64::from((number as f32).to_bits()));
            let [scale, bias] = [or(clamp.scale(), absent[0]), or(clamp.bias(), absent[1])];
            [of_step[0], of_step[1]] = [scale as u32, bias as u32];
        }
        numbers
    }
}

/// The place of clamps' numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ParameterPlace {
    /// One clamp for all elements, in the uniform block.
    Block,
    /// A clamp per channel, or numbers on the GPU: a table in a storage buffer.
    Table,
}

impl ParameterPlace {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 2] = [Self::Block, Self::Table];

    /// The most bytes before the geometry in a uniform block.
    pub(crate) const MOST_BYTES: usize = 4 * (4 + MOST_NUMBERS);
}

/// Text for labels and the log; empty for one clamp.
impl fmt::Display for ParameterPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Block => "",
            Self::Table => "numbers in a table, ",
        })
    }
}

/// The numbers of clamps in their place, the same for all windows of a plan.
pub(crate) struct Parameters {
    /// The rules and the count of channels, up to a multiple of 16 bytes, then the numbers of one clamp.
    in_block: [u32; 4 + MOST_NUMBERS],
    table: Option<Vec<[u32; 4]>>,
}

impl Parameters {
    /// The numbers of one clamp per channel, or of one clamp repeated for `channels` channels; `found`: what a search found
    /// for each clamp. If `reversed`, the last channel comes first.
    pub(crate) fn new(
        (clamps, found): (&[Clamp], &[StepNumbers]),
        channels: usize,
        arithmetic: Arithmetic,
        place: ParameterPlace,
        reversed: bool,
    ) -> Self {
        let lister = Lister { arithmetic, bounds: BoundWords::new(arithmetic.dtype), found };
        let of_clamp = |n: usize| lister.numbers(&clamps[n], n);
        let mut in_block = [0; 4 + MOST_NUMBERS];
        [in_block[0], in_block[1]] = [rules(&clamps[0]), channels as u32];
        if place == ParameterPlace::Block {
            in_block[4..].copy_from_slice(&of_clamp(0));
            return Self { in_block, table: None };
        }
        // Four numbers of all channels, then the next four.
        let count = arithmetic.vector_count();
        let mut table = vec![[0; 4]; count * channels];
        let mut numbers = of_clamp(0);
        for channel in 0..channels {
            if clamps.len() > 1 {
                numbers = of_clamp(if reversed { clamps.len() - 1 - channel } else { channel });
            }
            for (n, four) in numbers.as_chunks().0[..count].iter().enumerate() {
                table[n * channels + channel] = *four;
            }
        }
        Self { in_block, table: Some(table) }
    }

    /// The bytes before the geometry in a uniform block.
    pub(crate) fn in_block(&self) -> &[u8] {
        let bytes = bytemuck::cast_slice(&self.in_block);
        if self.table.is_some() { &bytes[..16] } else { bytes }
    }

    /// The bytes of the table, if any.
    pub(crate) fn table(&self) -> Option<&[u8]> {
        self.table.as_deref().map(bytemuck::cast_slice)
    }
}
