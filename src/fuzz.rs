//! Internals of the crate for the fuzz target `plan`. They are not part of the API: only cargo-fuzz and the crate's
//! tests compile them.

use rustc_hash::FxHashSet;

use crate::kernel::Placement;
use crate::layout::overlap::{Overlap, overlaps_itself, views_overlap};
pub use crate::plan::check::Execute;
pub use crate::plan::execution::{Binding, Buffer, Dispatch, Place, Program, Recording};
pub use crate::plan::verdict::{Finding, Verdict};
use crate::{Clamps, Layout, Limits, plan};

/// The WGSL of the probe of `Host::check_f16`; its entry point is `probe`.
#[must_use]
pub fn f16_probe() -> String {
    crate::shader::Module::Probe.source()
}

/// The most elements whose addresses are compared.
const MOST_COMPARED: usize = 1_000;

/// Up to this many combinations of indices, the crate must decide whether layouts overlap.
const MUST_BE_DECIDED: usize = 20_000;

/// Plans a clamp in one buffer or two and checks the plan or the error. Checks small tensors by brute force, and the
/// results of `execute` against the reference.
///
/// # Panics
///
/// The plan or the error is wrong.
pub fn check_plan(
    execute: Execute<'_>,
    clamps: Clamps<'_>,
    (src, dst): (&Layout, &Layout),
    one_buffer: bool,
    limits: Limits,
) {
    let placement = Placement::of(one_buffer);
    plan::check::plan(execute, clamps, (src, dst), placement, limits);
}

/// Checks two decisions of the crate by brute force, if both layouts are small: whether indices of `a` share an
/// element, and whether `a` and `b` in one buffer share a byte. Each layout comes with its element size in bytes, a
/// power of two.
///
/// # Panics
///
/// A decision of the crate is wrong, or is missing although there are few combinations of indices.
pub fn check_overlap((a, a_size): (&Layout, usize), (b, b_size): (&Layout, usize)) {
    let itself = overlaps_itself(a);
    let views = [views_overlap((a, a_size), (b, b_size)), views_overlap((b, b_size), (a, a_size))];
    if a.len() > MOST_COMPARED || b.len() > MOST_COMPARED {
        return;
    }
    let expect = |found: Overlap, shared: bool, combinations: usize, what: &str| match found {
        Overlap::Undecided => assert!(combinations > MUST_BE_DECIDED, "undecided: {what}"),
        decided => assert_eq!(decided == Overlap::Yes, shared, "{what}"),
    };
    let mut seen = FxHashSet::default();
    let shared = !a.addresses().all(|address| seen.insert(address));
    let differences = a.shape().iter().fold(1_usize, |n, extent| n.saturating_mul(extent.saturating_mul(2)));
    expect(itself, shared, differences, &format!("{a} and itself"));

    let unit = a_size.min(b_size);
    let units = |layout: &Layout, size: usize| {
        let units = (size / unit) as u128;
        layout.addresses().flat_map(move |address| (0..units).map(move |i| address as u128 * units + i))
    };
    let seen: FxHashSet<_> = units(a, a_size).collect();
    let shared = units(b, b_size).any(|unit| seen.contains(&unit));
    // No buffer holds units beyond `isize::MAX`, so the crate may leave such layouts undecided.
    let beyond = |&unit: &u128| unit > isize::MAX as u128;
    let countable = !units(a, a_size).chain(units(b, b_size)).any(|unit| beyond(&unit));
    let pairs = a.len() * b.len() * (a_size / unit) * (b_size / unit);
    let combinations = if countable { pairs } else { usize::MAX };
    for found in views {
        expect(found, shared, combinations, &format!("{a} of {a_size} bytes and {b} of {b_size}"));
    }
}

#[cfg(test)]
pub(crate) mod execute;
#[cfg(test)]
mod layouts;
#[cfg(test)]
mod target;

#[cfg(test)]
mod tests {
    #[test]
    fn plans_from_raw_bytes_are_right_or_refused() {
        let cases = if clamp_testing::harness::exhaustive() { 10_000 } else { 3_000 };
        clamp_testing::replay::replay("plan", cases, super::target::run);
    }
}
