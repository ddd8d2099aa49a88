//! The affine step of 8-bit integers as a product and a shift, if these give every element its exact result.

use std::ops::Range;

use super::integer::Linear;
use crate::operator::Affine;
use crate::{DType, Rounding};

/// The numbers of `affine/fixed.wgsl`: `(x * factor + addend) >> 16`.
#[derive(Clone, Copy)]
pub(super) struct Fixed {
    pub(super) factor: i32,
    pub(super) addend: i32,
}

/// Fraction bits of factor and addend.
const SHIFT: u32 = 16;

/// The largest factor. Its products with 8-bit numbers stay within ±2^30, and so do all addends. Their sums therefore
/// fit an i32.
const MOST: f64 = 4_000_000.0;

impl Fixed {
    /// In the order of the shader.
    pub(super) const fn words(self) -> [u32; 2] {
        [self.factor.cast_unsigned(), self.addend.cast_unsigned()]
    }

    /// Finds a factor and an addend for `affine` from 8-bit integers to integers of up to 16 bits; `None` if none of the three
    /// factors next to the scale in units of `2^-16` suits. With them every source number gets its exact result, or a number that
    /// saturates to it.
    pub(super) fn find(source: DType, dtype: DType, affine: Affine, rounding: Rounding) -> Option<Self> {
        let scaled = affine.scale() * f64::from(1 << SHIFT);
        if dtype.bits() > 16 || source.bits() > 8 || scaled.abs() > MOST {
            return None;
        }
        let (first, last) = source.integer_range();
        let (first, end) = (first as i64, last as i64 + 1);
        let (lowest, highest) = dtype.integer_range();
        let (lowest, highest) = (lowest as i64, highest as i64);
        let linear = Linear::of_8_bits(source, affine, rounding);
        // Results ascend or descend with the numbers. From `start` up to `stop` they lie strictly between
        // `lowest` and `highest`; `below` and `above` are the numbers whose results saturate to these.
        let ascend = scaled >= 0.0;
        let is_before = |result| if ascend { result <= lowest } else { result >= highest };
        let is_behind = |result| if ascend { result >= highest } else { result <= lowest };
        let guess = |result: i64| ((f64::from(result as i32) - affine.bias()) / affine.scale()) as i64;
        let (before, behind) = if ascend { (lowest, highest) } else { (highest, lowest) };
        let start = first_with(first..end, guess(before), |number| !is_before(linear.result(number)));
        let stop = first_with(start..end, guess(behind), |number| is_behind(linear.result(number)));
        let (below, above) = if ascend { (first..start, stop..end) } else { (stop..end, first..start) };
        // Products are linear, so the ends of a range stand for all of it.
        let ends = |range: &Range<i64>| range.clone().min().into_iter().chain(range.clone().max());

        let nearest = scaled.round() as i64;
        [nearest, nearest - 1, nearest + 1].into_iter().find_map(|factor| {
            // Each source number narrows the range of addends.
            let rest = |result: i64, number: i64| (result << SHIFT) - number * factor;
            let (mut low, mut high) = if rounding == Rounding::TowardZero && lowest >= 0 {
                narrowed(linear.floors(start..stop), start, factor)
            } else {
                narrowed(linear.results(start..stop), start, factor)
            };
            high = ends(&below).fold(high, |high, number| high.min(rest(lowest + 1, number) - 1));
            low = ends(&above).fold(low, |low, number| low.max(rest(highest, number)));
            (low <= high).then(|| Self { factor: factor as i32, addend: low.max(0).min(high) as i32 })
        })
    }
}

/// The lowest and the highest addend that give the results of the numbers from `start` on.
fn narrowed(results: impl Iterator<Item = i64>, start: i64, factor: i64) -> (i64, i64) {
    let below_one = (1 << SHIFT) - 1;
    let (mut low, mut high) = (i64::from(i32::MIN) / 2, i64::from(i32::MAX) / 2 - below_one);
    let mut product = start * factor;
    for result in results {
        let addend = (result << SHIFT) - product;
        (low, high) = (low.max(addend), high.min(addend));
        product += factor;
    }
    (low, high + below_one)
}

/// The first number of a range from which on `holds` is true; the range's end if there is none. `guess` is near it.
fn first_with(range: Range<i64>, guess: i64, holds: impl Fn(i64) -> bool) -> i64 {
    let mut number = guess.clamp(range.start, range.end);
    while number > range.start && holds(number - 1) {
        number -= 1;
    }
    while number < range.end && !holds(number) {
        number += 1;
    }
    number
}
