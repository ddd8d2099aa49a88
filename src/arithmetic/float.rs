//! Scale and bias of the affine steps that compute on floats.

use super::bounds::float_format;
use super::low_first;
use super::step::UNCHANGED;
use crate::DType;
use crate::fragment::mirrors;
use crate::operator::Affine;
use crate::operator::format::Binary;

mirrors! {
    /// Mirrors `Affine` in `affine/float_fast.wgsl`. The bits of a 16-bit float lie in the upper half of a word.
    struct FloatFast {
        scale: f32,
        bias: f32,
        infinity_flip: u32,
        infinite_from: u32,
        nan_from: u32,
    }

    /// Mirrors `Affine` in `affine/float64_fast.wgsl`.
    struct FloatFast64 {
        scale: f64,
        bias: f64,
        infinity_mask: u32,
        infinity_flip: u32,
    }

    /// Mirrors `Affine` in `affine/sum.wgsl`.
    struct FloatExact {
        scale: u32,
        scale_exponent: i32,
        bias: i32,
        bias_exponent: i32,
        scale_sign: u32,
        bias_sign: u32,
        infinity_flip: u32,
        infinite_from: u32,
        nan_from: u32,
    }

    /// Mirrors `Affine` in `affine/float64_exact.wgsl`.
    struct FloatExact64 {
        scale: [u32; 2],
        scale_exponent: i32,
        scale_sign: u32,
        bias: [u32; 4],
        bias_exponent: i32,
        bias_sign: u32,
        infinity_mask: [u32; 2],
        infinity_flip: [u32; 2],
        /// Padding to the alignment of the WGSL struct.
        padding: [u32; 2],
    }
}

impl FloatFast {
    /// The numbers of `affine` for a step that computes on floats of `dtype`.
    pub(crate) fn new(dtype: DType, affine: Affine) -> Self {
        let Specials { infinity_flip, infinite_from, nan_from } = Specials::new(dtype, affine.scale());
        let (scale, bias) = (affine.scale() as f32, affine.bias() as f32);
        Self { scale, bias, infinity_flip, infinite_from, nan_from }
    }

    /// The numbers of a channel without an affine step. With `infinite_from` 0, every element counts as ±∞, which the
    /// step keeps.
    pub(crate) fn unchanged(dtype: DType) -> Self {
        Self { infinite_from: 0, ..Self::new(dtype, UNCHANGED) }
    }
}

impl FloatFast64 {
    pub(crate) fn new(affine: Affine) -> Self {
        let (mask, flip) = infinity64(affine.scale());
        // The low word of ±∞ is 0, and so is the low word of each of its results.
        let [[_, infinity_mask], [_, infinity_flip]] = [mask, flip].map(|bits| low_first(bits.into()));
        Self { scale: affine.scale(), bias: affine.bias(), infinity_mask, infinity_flip }
    }
}

impl FloatExact {
    /// The numbers of `affine` for a step that computes on floats of `dtype`.
    pub(crate) fn new(dtype: DType, affine: Affine) -> Self {
        let format = float_format(dtype);
        let sign_of = |number: &Binary| if number.negative { format.sign as u32 } else { 0 };
        let (scale, bias) = (Binary::of(affine.scale()), Binary::of(affine.bias()));
        let Specials { infinity_flip, infinite_from, nan_from } = Specials::new(dtype, affine.scale());
        // Scale and bias are f32s.
        let (significand, scale_exponent) = scale.single();
        Self {
            scale: significand,
            scale_exponent,
            bias: (bias.significand >> 24) as i32,
            bias_exponent: if bias.significand == 0 {
                Self::NO_BIAS
            } else {
                bias.exponent + 52 + format.exponent_bias
            },
            scale_sign: sign_of(&scale),
            bias_sign: sign_of(&bias),
            infinity_flip,
            infinite_from,
            nan_from,
        }
    }

    /// The exponent that stands for a bias of 0: far below the exponent of every product.
    const NO_BIAS: i32 = -0x1_0000;
}

impl FloatExact64 {
    pub(crate) fn new(affine: Affine) -> Self {
        let sign = 1 << 31;
        let (scale, bias) = (Binary::of(affine.scale()), Binary::of(affine.bias()));
        let (mask, flip) = infinity64(affine.scale());
        Self {
            scale: low_first(scale.significand.into()),
            scale_exponent: scale.exponent,
            scale_sign: if scale.negative { sign } else { 0 },
            bias: low_first(i128::from(bias.significand) << 74),
            bias_exponent: bias.exponent - 74,
            bias_sign: if bias.negative { sign } else { 0 },
            infinity_mask: low_first(mask.into()),
            infinity_flip: low_first(flip.into()),
            padding: [0; 2],
        }
    }
}

/// The numbers that give the results for NaNs and infinities in steps on floats of up to 32 bits, which
/// `affine/specials.wgsl` explains. With a positive scale, nothing is flipped, and the thresholds are ∞ and the least
/// NaN.
struct Specials {
    infinity_flip: u32,
    infinite_from: u32,
    nan_from: u32,
}

impl Specials {
    fn new(dtype: DType, scale: f64) -> Self {
        let format = float_format(dtype);
        let upper = |bits: u64| (bits as u32) << (32 - dtype.bits());
        Self {
            infinity_flip: if scale.is_sign_negative() { upper(format.sign) } else { 0 },
            infinite_from: upper(format.infinity),
            nan_from: upper(format.infinity + u64::from(scale != 0.0)),
        }
    }
}

/// The mask and the flip that make the result of ±∞ in F64: `(bits & mask) ^ flip`.
fn infinity64(scale: f64) -> (u64, u64) {
    let format = float_format(DType::F64);
    if scale == 0.0 { (0, format.quiet_nan) } else { (u64::MAX, if scale < 0.0 { format.sign } else { 0 }) }
}
