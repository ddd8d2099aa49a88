//! The expected results of clamps whose numbers lie on the GPU. The test knows these numbers.

use wgpu_clamp::reference::{self, Allowed};
use wgpu_clamp::{Clamp, DType, Number, Scalar};

use crate::numbers::number;
use crate::values::mask;

/// A clamp with numbers on the GPU that the test knows.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// The clamp with values in place of slots; without scale and bias if one of them is not finite.
    clamp: Clamp,
    is_finite: bool,
}

impl Slots {
    /// Puts the values of slots into a clamp. `slots`: the bits of Min, Max, scale and bias. Bits of numbers that are
    /// not on the GPU are ignored.
    pub fn new(clamp: &Clamp, slots: [u64; 4]) -> Self {
        let of = |number, dtype, slot| match number {
            Number::OnGpu => Scalar::from_bits(dtype, slot & mask(dtype)).unwrap().into(),
            other => other,
        };
        let dtype = clamp.dtype();
        let [min, max, scale, bias] = slots;
        let (min, max) = (of(clamp.min(), dtype, min), of(clamp.max(), dtype, max));
        let bounded = clamp.with_bounds(min, max).unwrap();
        if clamp.zero_point().is_some() {
            return Self { clamp: bounded, is_finite: true };
        }
        let (scale, bias) = (of(clamp.scale(), DType::F32, scale), of(clamp.bias(), DType::F32, bias));
        match bounded.with_affine(scale, bias) {
            Ok(clamp) => Self { clamp, is_finite: true },
            Err(_) => Self { clamp: bounded, is_finite: false },
        }
    }

    /// The clamp with values in place of slots; `None` if scale or bias is not finite.
    pub fn clamp(&self) -> Option<Clamp> {
        self.is_finite.then_some(self.clamp)
    }

    /// The allowed results for an element of these bits.
    pub fn allowed(&self, x: u64) -> Allowed {
        let results = |clamp: &Clamp, x| reference::allowed(clamp, x).unwrap();
        if self.is_finite {
            return results(&self.clamp, x);
        }
        // If scale or bias is not finite, a NaN stays and any other element becomes the canonical NaN. The reference
        // gives both for a scale of 0: it keeps a NaN and turns ∞ into the canonical NaN.
        let nothing = self.clamp.with_affine(0.0_f32, 0.0_f32).unwrap();
        let source = self.clamp.source();
        if source.is_float() && number(source, x).is_nan() {
            return results(&nothing, x);
        }
        results(&nothing.with_source(DType::F32).unwrap(), f32::INFINITY.to_bits().into())
    }
}
