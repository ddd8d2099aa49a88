//! What a module need not compute for some clamps.

use super::bounds::zero_is_within;
use super::step::{AffineStep, Arithmetic, Class};
use crate::Clamp;

/// Overridable constants of an arithmetic: true where the host knows of all of a plan's clamps that the longer way is
/// not needed. None is set where bounds lie on the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Shortcuts {
    /// `ZERO_WITHIN` of `element/float.wgsl` and `element/float64.wgsl`.
    zero_within: bool,
    /// `KEEPS_INFINITY` of `affine/float_fast.wgsl` and `affine/float64_fast.wgsl`.
    keeps_infinity: bool,
}

impl Shortcuts {
    /// Those that all of `clamps` allow.
    pub(crate) fn of(arithmetic: Arithmetic, clamps: &[Clamp]) -> Self {
        let [has_zero, has_infinity] = has(arithmetic);
        // A channel without an affine step keeps everything.
        let keeps = |clamp: &Clamp| clamp.affine().is_none_or(|affine| affine.scale() > 0.0);
        Self {
            zero_within: has_zero && clamps.iter().all(zero_is_within),
            keeps_infinity: has_infinity && clamps.iter().all(keeps),
        }
    }

    /// How many values there are for modules of `arithmetic`.
    pub(crate) fn count(arithmetic: Arithmetic) -> usize {
        has(arithmetic).into_iter().filter(|&has| has).fold(1, |count, _| 2 * count)
    }

    /// Names and values, of those that modules of `arithmetic` know.
    pub(crate) fn constants(self, arithmetic: Arithmetic) -> impl Iterator<Item = (&'static str, f64)> {
        let [has_zero, has_infinity] = has(arithmetic);
        let zero = has_zero.then_some(("ZERO_WITHIN", self.zero_within));
        let infinity = has_infinity.then_some(("KEEPS_INFINITY", self.keeps_infinity));
        [zero, infinity].into_iter().flatten().map(|(name, value)| (name, f64::from(u8::from(value))))
    }
}

/// Which of the two modules of `arithmetic` have.
const fn has(arithmetic: Arithmetic) -> [bool; 2] {
    let class = arithmetic.class();
    let floats = matches!(class, Class::Float | Class::Float64);
    let fast = matches!(arithmetic.step, AffineStep::Fast | AffineStep::FastF16);
    [floats, (floats || matches!(class, Class::Rounded)) && fast]
}
