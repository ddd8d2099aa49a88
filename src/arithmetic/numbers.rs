//! The numbers of an affine step, laid out as the struct `Affine` of its WGSL.

use super::parts::{Parts, Split};
use super::step::{self, AffineStep, Arithmetic, Class, Form, UNCHANGED};
use super::{fixed::Fixed, float, halves::Halves, integer, quantized};
use crate::fragment::{Mirror, MirrorBytes, Twin, mirrors};
use crate::operator::Quantization;
use crate::{Clamp, Precision};

mirrors! {
    /// Mirrors `Affine` in `affine/none.wgsl`.
    struct NoStep {
        unused: [u32; 4],
    }
}

/// The numbers of a clamp's affine step; a test checks that the largest struct fits.
#[derive(Clone, Copy)]
pub(crate) struct StepNumbers(MirrorBytes<112>);

impl StepNumbers {
    /// Finds the numbers of `clamp` for modules of `arithmetic`; `None` if its step cannot compute this clamp. Every clamp has
    /// numbers for [`AffineStep::Exact`]. If `clamp` has no affine step but another channel has one, the numbers keep every
    /// element unchanged.
    pub(crate) fn find(clamp: &Clamp, arithmetic: Arithmetic) -> Option<Self> {
        let Arithmetic { source, dtype, step, .. } = arithmetic;
        if arithmetic.form == Form::Quantization {
            return Self::of_quantization(clamp, step);
        }
        // The numbers depend on the clamp's own rounding; `arithmetic.rounding` only selects fragments.
        let (affine, rounding) = (clamp.affine(), clamp.rounding());
        let of_floats = step::step_dtype(arithmetic);
        // A step with numbers on the GPU also starts as the identity; the shader `resolve` overwrites it.
        let some = affine.unwrap_or(UNCHANGED);
        let on_gpu = clamp.has_affine_on_gpu();
        let is_fast = affine.is_none() && !on_gpu || clamp.precision() == Precision::Fast;
        Some(match (step, arithmetic.class()) {
            (AffineStep::None, _) if affine.is_some() || on_gpu => return None,
            (AffineStep::None, _) => Self::of(&NoStep { unused: [0; 4] }),
            (AffineStep::Fixed, Class::Integer) => Self::of(&Fixed::find(source, dtype, some, rounding)?),
            (AffineStep::Halves, Class::Integer) => Self::of(&Halves::find(source, dtype, some, rounding)?),
            (AffineStep::Thirds | AffineStep::Quarters, Class::Integer) => {
                Self::of(&Parts::find(source, dtype, some, rounding, Split::of(step))?)
            }
            (AffineStep::Exact, Class::Integer) => {
                Self::of(&integer::Integer::new(source, dtype, some, rounding))
            }
            (AffineStep::Exact, Class::Integer64) => {
                Self::of(&integer::Integer64::new(dtype, some, rounding))
            }
            (AffineStep::Fixed | AffineStep::Halves | AffineStep::Thirds | AffineStep::Quarters, _)
            | (_, Class::Quantized)
            // Steps between integers are always exact.
            | (AffineStep::Fast, Class::Integer | Class::Integer64) => return None,
            (AffineStep::Fast, Class::Rounded) if arithmetic.form == Form::Found => return None,
            (AffineStep::Fast, _) if !is_fast => return None,
            // In fast F64 steps, no numbers keep every bit.
            (AffineStep::Fast, Class::Float64) => Self::of(&float::FloatFast64::new(affine?)),
            (AffineStep::Fast, _) => Self::of(&match affine {
                Some(affine) => float::FloatFast::new(of_floats, affine),
                None => float::FloatFast::unchanged(of_floats),
            }),
            (AffineStep::Exact, Class::Float64) => Self::of(&float::FloatExact64::new(some)),
            (AffineStep::Exact, _) => Self::of(&float::FloatExact::new(of_floats, some)),
        })
    }

    /// The numbers of a quantisation.
    fn of_quantization(clamp: &Clamp, step: AffineStep) -> Option<Self> {
        let Quantization { scale, zero_point } = clamp.quantization()?;
        let is_fast = clamp.precision() == Precision::Fast;
        Some(match (step, clamp.source().is_float()) {
            (AffineStep::Fast, _) if !is_fast => return None,
            (AffineStep::Fast, true) => Self::of(&quantized::QuotientFast::new(scale)),
            (AffineStep::Exact, true) => Self::of(&quantized::QuotientExact::new(scale)),
            (AffineStep::Fast, false) => Self::of(&quantized::ProductFast { scale, zero_point }),
            (AffineStep::Exact, false) => Self::of(&quantized::ProductExact::new(scale, zero_point)),
            _ => return None,
        })
    }

    /// Keeps in `list` what [`Arithmetic::of`] finds.
    pub(crate) fn kept_in(list: &mut Vec<Self>) -> impl FnMut(usize, Self) {
        |n, found| {
            // A step that serves not all clamps has left numbers.
            list.truncate(n);
            list.push(found);
        }
    }

    fn of(numbers: &impl Mirror) -> Self {
        Self(MirrorBytes::of(numbers))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The layout of the numbers.
    pub(super) const fn twin(arithmetic: Arithmetic) -> Twin {
        let is_quantized = matches!(arithmetic.form, Form::Quantization);
        match (arithmetic.step, arithmetic.class()) {
            (AffineStep::None, _) => NoStep::TWIN,
            (AffineStep::Fast, Class::Quantized) => quantized::QuotientFast::TWIN,
            (_, Class::Quantized) => quantized::QuotientExact::TWIN,
            (AffineStep::Fast, _) if is_quantized => quantized::ProductFast::TWIN,
            (AffineStep::Exact, _) if is_quantized => quantized::ProductExact::TWIN,
            (AffineStep::Fixed, _) => Fixed::TWIN,
            (AffineStep::Halves, _) => Halves::TWIN,
            (AffineStep::Thirds | AffineStep::Quarters, _) => Parts::TWIN,
            (AffineStep::Exact, Class::Integer) => integer::Integer::TWIN,
            (_, Class::Integer | Class::Integer64) => integer::Integer64::TWIN,
            (AffineStep::Fast, Class::Float64) => float::FloatFast64::TWIN,
            (AffineStep::Exact, Class::Float64) => float::FloatExact64::TWIN,
            (AffineStep::Fast, _) => float::FloatFast::TWIN,
            (AffineStep::Exact, _) => float::FloatExact::TWIN,
        }
    }
}
