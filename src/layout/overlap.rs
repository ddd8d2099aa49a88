//! Whether two indices of a layout share an element, and whether two views of one buffer share a byte.
//!
//! Each question is a bounded linear equation, `Σ coefficient * v = target` with each `v` in `0..=most`. The general
//! equation is a subset-sum problem, for which no fast algorithm is known. Practical layouts need no search, or a short
//! search. A budget ends the longer searches.

use super::{Layout, MAX_RANK};

/// Nodes after which a search gives up, within a millisecond or two. Two views of rank 8 with extents of 2
/// have 2^16 combinations, so they are always decided.
const NODE_BUDGET: u32 = 100_000;

/// One term per dimension of two views, and one for the units that a large element spans.
const MOST_TERMS: usize = 2 * MAX_RANK + 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlap {
    No,
    Yes,
    /// The search ended without an answer.
    Undecided,
}

/// Whether two different indices of `layout` have the same address.
///
/// The answer is exact, or [`Overlap::Undecided`]. Nested strides (sorted by size, each at least the span of the
/// smaller ones) need no search. Nothing is allocated.
pub(crate) fn overlaps_itself(layout: &Layout) -> Overlap {
    itself(layout, NODE_BUDGET)
}

/// Whether `a` and `b`, views of one buffer, share a byte. Each view is a layout and its element size in bytes, a power
/// of two.
///
/// The answer is exact, or [`Overlap::Undecided`]. Nothing is allocated.
pub(crate) fn views_overlap(a: (&Layout, usize), b: (&Layout, usize)) -> Overlap {
    views(a, b, NODE_BUDGET)
}

fn itself(layout: &Layout, budget: u32) -> Overlap {
    if layout.is_empty() {
        return Overlap::No;
    }
    // 1. Two indices share an element if their difference `d` is not zero everywhere and `Σ stride * d = 0`.
    // 2. Each `d` runs from `-most` to `most`, so the signs of the strides do not matter.
    // 3. `-d` solves the equation too, so the first nonzero `d`, by falling strides, may be taken as positive.
    // 4. The later terms become `v = d + most`, which runs from 0 to `2 * most`.
    let mut equation = Equation::new(budget);
    for (stride, most) in steps(layout) {
        if stride == 0 || !equation.add(stride, 2 * most) {
            return Overlap::Yes;
        }
    }
    equation.prepare();
    // `first` is the term of the first nonzero `d`. Tries small strides before large strides: they have fewer later
    // terms to search.
    for first in (0..equation.len).rev() {
        let Term { coefficient, most, later_sum, .. } = equation.terms[first];
        // With all later `d` at 0, the later terms' sum is `later_sum / 2`. Other `d` lower the sum by at most
        // `later_sum / 2`, so they cannot offset a larger coefficient. With nested strides every coefficient is larger,
        // so nothing is searched.
        let Some(target) = (later_sum / 2).checked_sub(coefficient) else { continue };
        // For the first term, `d` starts at 1, so `v = d - 1`.
        let found = equation.branch(first, most / 2 - 1, target);
        if found != Overlap::No {
            return found;
        }
    }
    Overlap::No
}

fn views((a, a_size): (&Layout, usize), (b, b_size): (&Layout, usize), budget: u32) -> Overlap {
    let (Some(a_span), Some(b_span)) = (a.span(), b.span()) else {
        return Overlap::No;
    };
    // Counts in units of the smaller element size. The larger size is a multiple of it.
    let unit = a_size.min(b_size);
    let [a_units, b_units] = [a_size / unit, b_size / unit];
    let in_units = |(lowest, highest): (usize, usize), units: usize| {
        let highest = highest.checked_add(1)?.checked_mul(units)?.checked_sub(1)?;
        (highest <= isize::MAX.cast_unsigned()).then_some((lowest * units, highest))
    };
    let (Some((a_lowest, a_highest)), Some((b_lowest, b_highest))) =
        (in_units(a_span, a_units), in_units(b_span, b_units))
    else {
        return Overlap::Undecided;
    };
    if a_highest < b_lowest || b_highest < a_lowest {
        return Overlap::No;
    }
    // Goes up from the lowest unit of `a` and down from the highest unit of `b`, so each coefficient is positive. The
    // two ways meet if their lengths add up to the distance.
    let target = b_highest - a_lowest;
    let mut equation = Equation::new(budget);
    let scaled = |units: usize| move |(stride, most): (usize, usize)| (stride * units, most);
    let within = [a_units, b_units].into_iter().filter(|&units| units > 1).map(|units| (1, units - 1));
    let steps = steps(a).map(scaled(a_units)).chain(steps(b).map(scaled(b_units))).chain(within);
    for (stride, most) in steps.filter(|&(stride, _)| stride != 0) {
        equation.add(stride, most);
    }
    equation.prepare();
    match equation.terms().first() {
        // Both views are a single unit, and their spans meet.
        None => Overlap::Yes,
        Some(first) if !target.is_multiple_of(first.gcd) => Overlap::No,
        Some(_) => equation.solve(0, target),
    }
}

/// The absolute stride and the largest index of each dimension that has more than one element.
fn steps(layout: &Layout) -> impl Iterator<Item = (usize, usize)> {
    let dimensions = layout.strides().iter().zip(layout.shape());
    dimensions.filter(|&(_, &extent)| extent > 1).map(|(stride, &extent)| (stride.unsigned_abs(), extent - 1))
}

/// One term of the equation: `coefficient * v` with `v` in `0..=most`. `coefficient` and `most` are at least 1.
///
/// "Later terms" have smaller coefficients.
#[derive(Clone, Copy, Default)]
struct Term {
    coefficient: usize,
    most: usize,
    /// The largest sum of the later terms.
    later_sum: usize,
    /// The greatest common divisor of this coefficient and the later ones.
    gcd: usize,
    /// `target - coefficient * v` is a multiple of the later terms' gcd for every `period`-th `v` only.
    period: usize,
    /// The inverse of `coefficient / gcd` modulo `period`.
    inverse: usize,
    /// Whether this term and the later ones reach every multiple of `gcd` up to their largest sum.
    gapless: bool,
}

/// `Σ coefficient * v = target`, as a search over the terms in order of falling coefficients.
///
/// Addresses are at most `isize::MAX`, so each coefficient and the largest sum of each layout are too. The equation has
/// the sums of two layouts, or twice the sum of one layout, so nothing here exceeds `usize`.
struct Equation {
    terms: [Term; MOST_TERMS],
    len: usize,
    nodes_left: u32,
}

impl Equation {
    fn new(budget: u32) -> Self {
        Self { terms: [Term::default(); MOST_TERMS], len: 0, nodes_left: budget }
    }

    fn terms(&self) -> &[Term] {
        &self.terms[..self.len]
    }

    /// Adds a term, or widens the term that has this coefficient. Returns whether the term is new.
    fn add(&mut self, coefficient: usize, most: usize) -> bool {
        let place = self.terms().iter().take_while(|term| term.coefficient > coefficient).count();
        if self.terms[place].coefficient == coefficient {
            self.terms[place].most += most;
            return false;
        }
        self.terms.copy_within(place..self.len, place + 1);
        self.terms[place] = Term { coefficient, most, ..Term::default() };
        self.len += 1;
        true
    }

    /// Fills in the fields of each term that depend on the later terms.
    fn prepare(&mut self) {
        let (mut sum, mut later_gcd, mut gapless) = (0, 0, true);
        for term in self.terms[..self.len].iter_mut().rev() {
            let (gcd, inverse) = gcd_and_inverse(term.coefficient, later_gcd);
            // No gap appears if the gcd stays and the new coefficient exceeds the later terms' sum by at most the gcd.
            gapless &= sum == 0 || gcd == later_gcd && term.coefficient <= sum + gcd;
            *term = Term { later_sum: sum, gcd, period: later_gcd / gcd, inverse, gapless, ..*term };
            sum += term.coefficient * term.most;
            later_gcd = gcd;
        }
    }

    /// Solves for the terms from `k` on. `target` is at most their largest sum, and a multiple of their gcd.
    fn solve(&mut self, k: usize, target: usize) -> Overlap {
        let Term { most, gapless, .. } = self.terms[k];
        if gapless { Overlap::Yes } else { self.branch(k, most, target) }
    }

    /// Tries each `v <= most` for which the rest `target - coefficient * v` is a multiple of the later terms' gcd and
    /// at most their sum. `target` is a multiple of this term's `gcd`, and term `k` is not the last one.
    ///
    /// The last term by itself is gapless and costs no node, so the last two terms cost a single node.
    fn branch(&mut self, k: usize, most: usize, target: usize) -> Overlap {
        let Some(nodes_left) = self.nodes_left.checked_sub(1) else { return Overlap::Undecided };
        self.nodes_left = nodes_left;
        let Term { coefficient, later_sum, gcd, period, inverse, .. } = self.terms[k];
        let lowest = target.saturating_sub(later_sum).div_ceil(coefficient);
        let highest = most.min(target / coefficient);
        if lowest > highest {
            return Overlap::No;
        }
        let rest = target - coefficient * lowest;
        let first = multiply_modulo(rest / gcd, inverse, period);
        for v in (first..=highest - lowest).step_by(period) {
            let found = self.solve(k + 1, rest - coefficient * v);
            if found != Overlap::No {
                return found;
            }
        }
        Overlap::No
    }
}

/// The gcd of `a` and `b`, and the inverse of `a / gcd` modulo `b / gcd`, by Euclid's extended algorithm.
/// `a` is from 1 to `isize::MAX`, `b` from 0. If `b` is 0, there is no modulus, and the inverse is 0.
fn gcd_and_inverse(a: usize, b: usize) -> (usize, usize) {
    // Each remainder is `a * x` modulo `b`. `|x|` never exceeds `max(b, 1)`.
    let (mut remainder, mut next) = (a, b);
    let (mut x, mut next_x) = (1_isize, 0_isize);
    while next != 0 {
        let quotient = remainder / next;
        (remainder, next) = (next, remainder % next);
        (x, next_x) = (next_x, x - quotient.cast_signed() * next_x);
    }
    let gcd = remainder;
    let inverse = if b == 0 { 0 } else { x.rem_euclid((b / gcd).cast_signed()).cast_unsigned() };
    (gcd, inverse)
}

/// `a * b` modulo `modulus`, for a `b` below `modulus`.
fn multiply_modulo(a: usize, b: usize, modulus: usize) -> usize {
    if modulus == 1 {
        return 0;
    }
    let product = (a % modulus) as u128 * b as u128;
    (product % modulus as u128) as usize
}

#[cfg(test)]
mod tests;
