//! Overrides that skip work when the host knows the clamps.

use super::bounds::zero_is_within;
use super::step::{AffineStep, Arithmetic, Class};
use crate::Clamp;

/// Overridable constants of an arithmetic; `None` if its modules lack them. A constant is true if no clamp of the plan
/// needs the longer way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Shortcuts {
    /// `ZERO_WITHIN` of `element/float.wgsl` and `element/float64.wgsl`.
    zero_within: Option<bool>,
    /// `KEEPS_INFINITY` of `affine/specials.wgsl` and `affine/float64_fast.wgsl`.
    keeps_infinity: Option<bool>,
}

impl Shortcuts {
    /// The constants that all of `clamps` allow in modules of `arithmetic`.
    pub(crate) fn of(arithmetic: Arithmetic, clamps: &[Clamp]) -> Self {
        // A channel without an affine step keeps ±∞.
        let keeps = |clamp: &Clamp| {
            !clamp.has_affine_on_gpu() && clamp.affine().is_none_or(|affine| affine.scale() > 0.0)
        };
        let is_float = matches!(arithmetic.class(), Class::Float | Class::Float64);
        // Integers have no ∞, and steps between integers are never fast.
        let meets_infinity = arithmetic.step == AffineStep::Fast && arithmetic.source.is_float();
        Self {
            zero_within: is_float.then(|| clamps.iter().all(zero_is_within)),
            keeps_infinity: meets_infinity.then(|| clamps.iter().all(keeps)),
        }
    }

    /// All combinations for modules of `arithmetic`.
    #[cfg(test)]
    pub(crate) fn all(arithmetic: Arithmetic) -> impl Iterator<Item = Self> {
        let Self { zero_within, keeps_infinity } = Self::of(arithmetic, &[]);
        let values =
            |used: Option<bool>| if used.is_some() { vec![Some(false), Some(true)] } else { vec![None] };
        values(zero_within).into_iter().flat_map(move |zero_within| {
            values(keeps_infinity).into_iter().map(move |keeps_infinity| Self { zero_within, keeps_infinity })
        })
    }

    /// Names and values of the constants.
    pub(crate) fn constants(self) -> impl Iterator<Item = (&'static str, f64)> {
        let all = [("ZERO_WITHIN", self.zero_within), ("KEEPS_INFINITY", self.keeps_infinity)];
        all.into_iter().filter_map(|(name, value)| Some((name, f64::from(u8::from(value?)))))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{DType, NanRule, Number};

    fn f32_arithmetic(step: AffineStep) -> Arithmetic {
        Arithmetic::new(&Clamp::unbounded(DType::F32), step)
    }

    /// Whether no bound of the clamp replaces a zero or a NaN.
    fn zero_within(clamp: Clamp) -> bool {
        Shortcuts::of(f32_arithmetic(AffineStep::None), &[clamp]).zero_within == Some(true)
    }

    #[test]
    fn zero_is_within_bounds_that_replace_neither_zeros_nor_nans() {
        let bounds = |min: f32, max: f32| {
            let [min, max] = [min, max].map(Number::from);
            Clamp::unbounded(DType::F32).with_bounds(min, max).unwrap()
        };
        let tiny = f32::from_bits(1);
        for low in [0.0, -0.0, -tiny, -3.0, f32::NEG_INFINITY, f32::NAN] {
            for high in [0.0, -0.0, tiny, 6.0, f32::INFINITY, f32::NAN] {
                let clamp = bounds(low, high);
                assert!(zero_within(clamp), "{low} {high}");
                assert!(!zero_within(clamp.with_nan_rule(NanRule::ToMin)), "{low} {high}");
                assert!(!zero_within(clamp.with_nan_rule(NanRule::ToMax)), "{low} {high}");
            }
        }
        assert!(zero_within(Clamp::unbounded(DType::F32)));
        for (low, high) in [(tiny, 6.0), (1.0, f32::NAN), (-6.0, -tiny), (f32::NAN, -1.0), (2.0, -2.0)] {
            assert!(!zero_within(bounds(low, high)), "{low} {high}");
        }
        for (min, max) in [(Number::OnGpu, Number::Absent), (Number::Absent, Number::OnGpu)] {
            assert!(!zero_within(Clamp::unbounded(DType::F32).with_bounds(min, max).unwrap()));
        }
    }

    #[test]
    fn all_clamps_have_to_allow_a_shortcut() {
        let plain = Clamp::unbounded(DType::F32);
        let scaled = |scale| plain.with_affine(scale, 1.0).unwrap();
        let of = |clamps: &[Clamp]| Shortcuts::of(f32_arithmetic(AffineStep::Fast), clamps);
        let keeps = |clamps: &[Clamp]| of(clamps).keeps_infinity == Some(true);
        assert!(keeps(&[scaled(2.0)]) && keeps(&[scaled(2.0), plain]));
        for scale in [0.0, -0.0, -2.0] {
            assert!(!keeps(&[scaled(scale)]) && !keeps(&[scaled(2.0), scaled(scale)]), "{scale}");
        }
        let above = plain.with_affine(2.0, 1.0).unwrap();
        let positive = Clamp::new(1.0_f32, 2.0);
        let within = |clamps: &[Clamp]| of(clamps).zero_within == Some(true);
        assert!(within(&[above, plain]) && !within(&[above, positive]));
    }

    #[test]
    fn modules_are_asked_for_what_they_have_alone() {
        let names = |clamp: &Clamp, step| {
            let all = Shortcuts::of(Arithmetic::new(clamp, step), &[*clamp]);
            all.constants().map(|(name, _)| name).collect::<Vec<_>>()
        };
        let floats = Clamp::unbounded(DType::F16);
        assert_eq!(names(&floats, AffineStep::None), ["ZERO_WITHIN"]);
        assert_eq!(names(&floats, AffineStep::Exact), ["ZERO_WITHIN"]);
        assert_eq!(names(&floats, AffineStep::Fast), ["ZERO_WITHIN", "KEEPS_INFINITY"]);
        let from_bytes = Clamp::unbounded(DType::F32).with_source(DType::U8).unwrap();
        assert_eq!(names(&from_bytes, AffineStep::Fast), ["ZERO_WITHIN"]);
        let to_bytes = Clamp::unbounded(DType::U8).with_source(DType::F32).unwrap();
        assert_eq!(names(&to_bytes, AffineStep::Fast), ["KEEPS_INFINITY"]);
        assert_eq!(names(&Clamp::unbounded(DType::I32), AffineStep::Exact), [""; 0]);
        let all: HashSet<_> = Shortcuts::all(Arithmetic::new(&floats, AffineStep::Fast)).collect();
        assert_eq!(all.len(), 4);
        let plain = Arithmetic::new(&Clamp::unbounded(DType::I32), AffineStep::Exact);
        assert!(Shortcuts::all(plain).eq([Shortcuts::default()]));
    }
}
