//! Chooses the arithmetic of a module: source, destination, affine step, and shortcuts that skip work when the host
//! knows the clamps.

use std::fmt;

use super::bounds::zero_is_within;
use crate::{Clamp, DType, Rounding};

/// A class of dtypes that share one piece of arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// From integers to integers, both of up to 32 bits.
    Integer,
    Integer64,
    /// From any convertible dtype to a float of up to 32 bits.
    Float,
    Float64,
    /// From floats to integers of up to 16 bits; from integers too, if scale or bias is on the GPU.
    Rounded,
    /// From floats to 32-bit integers.
    Rounded32,
    /// From floats to integers of up to 16 bits by [`Clamp::quantize_linear`].
    Quantized,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AffineStep {
    None,
    Fast,
    Exact,
    /// Exact: a product and a shift.
    Fixed,
    /// Exact, from up to 16 bits: products with two parts of the factor.
    Halves,
    /// Exact, from 32 bits: products with three parts of the factor.
    Thirds,
    /// Exact, from 32 bits: the product with the whole factor, for scales that are too small for [`Thirds`](Self::Thirds).
    Whole,
}

/// The arithmetic of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Arithmetic {
    pub(crate) source: DType,
    pub(crate) dtype: DType,
    pub(crate) step: AffineStep,
    /// How the module rounds to integers. [`Rounding::TowardZero`] if it does not round, and for [`AffineStep::Fixed`],
    /// whose numbers include the rounding.
    pub(crate) rounding: Rounding,
    pub(crate) form: Form,
}

/// Where the numbers of a step come from, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// Scale and bias, if any.
    Affine,
    /// Scale or bias is on the GPU and the source is an integer. Such a step may make NaNs.
    Slots,
    /// Scale and zero point, of [`Clamp::quantize_linear`] or [`Clamp::dequantize_linear`].
    Quantization,
}

impl Arithmetic {
    pub(crate) const fn new(clamp: &Clamp, step: AffineStep) -> Self {
        let (source, dtype) = (clamp.source(), clamp.dtype());
        let form = match clamp.zero_point() {
            Some(_) => Form::Quantization,
            None if clamp.has_affine_on_gpu() && !source.is_float() => Form::Slots,
            None => Form::Affine,
        };
        let rounds = rounds(class(source, dtype, form), step);
        let rounding = if rounds { clamp.rounding() } else { Rounding::TowardZero };
        Self { source, dtype, step, rounding, form }
    }

    pub(crate) const fn class(self) -> Class {
        class(self.source, self.dtype, self.form)
    }

    pub(crate) fn converts(self) -> bool {
        self.source != self.dtype
    }

    /// Bytes per element of src and of dst.
    pub(crate) const fn sizes(self) -> [usize; 2] {
        [self.source.size(), self.dtype.size()]
    }

    /// Bytes per element if src and dst have elements of one size; else `None`.
    pub(crate) const fn one_size(self) -> Option<usize> {
        let [src, dst] = self.sizes();
        if src == dst { Some(dst) } else { None }
    }

    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let pairs = DType::ALL.iter().copied().flat_map(|dtype| {
            let sources = DType::ALL.iter().copied().filter(move |source| source.converts_to(dtype));
            sources.map(move |source| (source, dtype))
        });
        let forms = |(source, dtype): (DType, DType)| {
            let of_slots = !source.is_float() && dtype.takes_affine_on_gpu();
            let quantizes = Clamp::quantize_linear(source, dtype, 1.0, 0).is_ok()
                || Clamp::dequantize_linear(source, dtype, 1.0, 0).is_ok();
            let forms = [
                Some(Form::Affine),
                of_slots.then_some(Form::Slots),
                quantizes.then_some(Form::Quantization),
            ];
            forms.into_iter().flatten().map(move |form| (source, dtype, form))
        };
        pairs.flat_map(forms).flat_map(|(source, dtype, form)| {
            steps(source, dtype, form).iter().flat_map(move |&step| {
                let roundings: &[Rounding] = if rounds(class(source, dtype, form), step) {
                    &[Rounding::TowardZero, Rounding::NearestEven]
                } else {
                    &[Rounding::TowardZero]
                };
                roundings.iter().map(move |&rounding| Self { source, dtype, step, rounding, form })
            })
        })
    }

    /// Whether the module's WGSL depends on how numbers are rounded to integers.
    pub(crate) const fn rounds(self) -> bool {
        rounds(self.class(), self.step)
    }

    /// Whether the source is a 32-bit integer dtype, whose numbers an f32 may not hold exactly.
    pub(crate) const fn takes_words(self) -> bool {
        self.source.size() == 4 && !self.source.is_float()
    }

    /// Whether the module converts between F16 and f32.
    pub(crate) fn converts_f16(self) -> bool {
        let takes = self.source == DType::F16 || self.dtype == DType::F16;
        takes && (self.converts() || self.step != AffineStep::None)
    }

    /// Whether the module uses naga's `f64` and `u64`, which need device features.
    pub(crate) const fn takes_f64(self) -> bool {
        matches!((self.step, self.class()), (AffineStep::Fast, Class::Float64))
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.converts() {
            write!(f, "{} to ", self.source)?;
        }
        write!(f, "{}, {}", self.dtype, self.step)?;
        f.write_str(match self.form {
            Form::Affine => "",
            Form::Slots => " of slots",
            Form::Quantization => " with a zero point",
        })?;
        if self.rounding == Rounding::NearestEven {
            f.write_str(", to nearest even")?;
        }
        Ok(())
    }
}

const fn class(source: DType, dtype: DType, form: Form) -> Class {
    let of_slots = matches!(form, Form::Slots);
    match (dtype.is_float(), dtype.bits()) {
        (false, _) if matches!(form, Form::Quantization) => Class::Quantized,
        (true, 64) => Class::Float64,
        (true, _) => Class::Float,
        (false, 64) => Class::Integer64,
        (false, 32) if source.is_float() => Class::Rounded32,
        (false, _) if source.is_float() || of_slots => Class::Rounded,
        (false, _) => Class::Integer,
    }
}

/// Whether the module's WGSL depends on how numbers are rounded to integers.
const fn rounds(class: Class, step: AffineStep) -> bool {
    match class {
        Class::Rounded | Class::Rounded32 => true,
        Class::Integer | Class::Integer64 => {
            !matches!(step, AffineStep::None | AffineStep::Fast | AffineStep::Fixed)
        }
        Class::Float | Class::Float64 | Class::Quantized => false,
    }
}

/// All steps from one dtype to another.
#[cfg(test)]
const fn steps(source: DType, dtype: DType, form: Form) -> &'static [AffineStep] {
    use AffineStep::{Exact, Fast, Fixed, Halves, None, Thirds, Whole};
    match class(source, dtype, form) {
        Class::Quantized => &[Fast, Exact],
        Class::Float if !matches!(form, Form::Affine) => &[Fast, Exact],
        Class::Rounded if matches!(form, Form::Slots) => &[Exact],
        Class::Float | Class::Float64 | Class::Rounded | Class::Rounded32 => &[None, Fast, Exact],
        Class::Integer if dtype.size() == 4 => &[None, Exact],
        Class::Integer if source.size() == 1 => &[None, Exact, Fixed, Halves],
        Class::Integer if source.size() == 2 => &[None, Exact, Halves],
        Class::Integer if source.size() == 4 => &[None, Exact, Thirds, Whole],
        Class::Integer | Class::Integer64 => &[None, Exact],
    }
}

impl AffineStep {
    /// The steps from the shortest to [`Exact`](Self::Exact), which serves every clamp.
    pub(super) const ALL: [Self; 7] =
        [Self::None, Self::Fixed, Self::Halves, Self::Thirds, Self::Whole, Self::Fast, Self::Exact];
}

impl fmt::Display for AffineStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "no affine step",
            Self::Fast => "fast affine step",
            Self::Exact => "exact affine step",
            Self::Fixed => "fixed-point affine step",
            Self::Halves => "fixed-point affine step in halves",
            Self::Thirds => "fixed-point affine step in thirds",
            Self::Whole => "fixed-point affine step in 64 bits",
        })
    }
}

/// Overridable constants that skip work; `None` if the modules of an arithmetic lack the constant or must not use it. A
/// constant is true if no clamp of the plan needs the skipped work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Shortcuts {
    /// `ZERO_WITHIN` of `element/ranges.wgsl`.
    zero_within: Option<bool>,
    /// `KEEPS_INFINITY` of `affine/specials.wgsl` and `affine/float64_fast.wgsl`.
    keeps_infinity: Option<bool>,
}

impl Shortcuts {
    /// The constants that all of `clamps` allow in modules of `arithmetic`.
    pub(crate) fn of(arithmetic: Arithmetic, clamps: &[Clamp]) -> Self {
        let keeps = |clamp: &Clamp| clamp.affine().is_some_and(|affine| affine.scale() > 0.0);
        let is_float = matches!(arithmetic.class(), Class::Float | Class::Float64);
        let meets_infinity = arithmetic.source.is_float()
            && arithmetic.form != Form::Quantization
            && match arithmetic.step {
                AffineStep::Fast => true,
                // Exact steps of F64 have a text of their own.
                AffineStep::Exact => arithmetic.class() != Class::Float64,
                _ => false,
            };
        // After arithmetic in f64, NVIDIA's driver 580.159.04 compiled the shortcut's comparison wrongly (H200, Vulkan): in
        // long texts, every positive number counted as above Max. The general comparison was right.
        let may_skip_zero = is_float && !arithmetic.takes_f64();
        Self {
            zero_within: may_skip_zero.then(|| clamps.iter().all(zero_is_within)),
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
        assert!(keeps(&[scaled(2.0)]) && !keeps(&[scaled(2.0), plain]));
        for scale in [0.0, -0.0, -2.0] {
            assert!(!keeps(&[scaled(scale)]) && !keeps(&[scaled(2.0), scaled(scale)]), "{scale}");
        }
        let above = plain.with_affine(2.0, 1.0).unwrap();
        let positive = Clamp::new(1.0_f32, 2.0);
        let within = |clamps: &[Clamp]| of(clamps).zero_within == Some(true);
        assert!(within(&[above, plain]) && !within(&[above, positive]));
    }

    #[test]
    fn modules_are_asked_for_what_they_may_use_alone() {
        let names = |clamp: &Clamp, step| {
            let all = Shortcuts::of(Arithmetic::new(clamp, step), &[*clamp]);
            all.constants().map(|(name, _)| name).collect::<Vec<_>>()
        };
        let floats = Clamp::unbounded(DType::F16);
        assert_eq!(names(&floats, AffineStep::None), ["ZERO_WITHIN"]);
        for step in [AffineStep::Fast, AffineStep::Exact] {
            assert_eq!(names(&floats, step), ["ZERO_WITHIN", "KEEPS_INFINITY"]);
        }
        assert_eq!(names(&Clamp::unbounded(DType::F64), AffineStep::Fast), ["KEEPS_INFINITY"]);
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
