//! The expected results of clamps whose numbers lie on the GPU. The test knows these numbers.

use super::values::mask;
use crate::arithmetic::NUMBERS;
use crate::operator::format::FloatFormat;
use crate::reference::{self, Allowed};
use crate::{Clamp, DType, Number, Scalar};

/// A clamp with numbers on the GPU that the test knows.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The clamp with values in place of slots; without scale and bias if one of them is not finite.
    clamp: Clamp,
    is_finite: bool,
}

impl Found {
    /// Puts the values of slots into a clamp. `slots`: the bits of Min, Max, scale and bias. Bits of numbers that are
    /// not on the GPU are ignored.
    ///
    /// # Panics
    ///
    /// Never: the bits of a bound, cut to its dtype's width, are an element.
    #[must_use]
    pub fn new(clamp: &Clamp, slots: [u64; NUMBERS]) -> Self {
        let of = |number, dtype, slot| match number {
            Number::OnGpu => Scalar::new(dtype, slot & mask(dtype)).into(),
            other => other,
        };
        let dtype = clamp.dtype();
        let [min, max, scale, bias] = slots;
        let (min, max) = (of(clamp.min(), dtype, min), of(clamp.max(), dtype, max));
        let bounded = clamp.with_bounds(min, max).expect("a slot of a bound holds an element");
        let (scale, bias) = (of(clamp.scale(), DType::F32, scale), of(clamp.bias(), DType::F32, bias));
        match bounded.with_scale_bias(scale, bias) {
            Ok(clamp) => Self { clamp, is_finite: true },
            Err(_) => Self { clamp: bounded, is_finite: false },
        }
    }

    /// The clamp with values in place of slots; `None` if scale or bias is not finite.
    #[must_use]
    pub fn clamp(&self) -> Option<Clamp> {
        self.is_finite.then_some(self.clamp)
    }

    /// The allowed results for an element of these bits.
    ///
    /// # Panics
    ///
    /// Never: every dtype with a scale on the GPU converts from F32.
    #[must_use]
    pub fn allowed(&self, x: u64) -> Allowed {
        if self.is_finite {
            return reference::results(&self.clamp, x);
        }
        let is_nan = FloatFormat::of(self.clamp.source()).is_some_and(|format| format.is_nan(x));
        // If scale or bias is not finite, a NaN stays and any other element becomes the canonical NaN. The reference
        // gives both for a scale of 0: it keeps a NaN and turns ∞ into the canonical NaN.
        let nothing = self.clamp.with_scale_bias(0.0_f32, 0.0_f32).expect("both are finite");
        if is_nan {
            return reference::results(&nothing, x);
        }
        let singles = nothing.with_source(DType::F32).expect("F32 converts");
        reference::results(&singles, f32::INFINITY.to_bits().into())
    }
}
