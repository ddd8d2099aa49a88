//! The operator on the CPU, one element at a time. Tests compare every GPU result with it.
//!
//! Everything here works on bits and integers, so the results do not depend on the host's floating-point unit. The
//! module shares no code with the shaders or their host side: both implement one definition independently. The module
//! is also a fallback for machines without a GPU, but many times slower.
//!
//! [`element`] returns the exact result: the real number `x * scale + bias`, rounded once. An integer destination rounds by the
//! clamp's [`Rounding`](crate::Rounding) and saturates. No other result is allowed, with one exception: an affine step or a
//! quantisation with [`Precision::Fast`] whose source or destination is a float. For such a step, a GPU may use its own
//! arithmetic, and [`allowed`] returns the set of possible results. `C` rounds to the format that the GPU computes in: f64 for
//! F64, else f32. A finite element may become
//!
//! - fused: `C(x * scale + bias)`, with subnormals of this format flushed to zero nowhere, in the result, or everywhere
//!   (operands and result);
//! - unfused: `C(C(x * scale) + bias)`, with subnormals flushed nowhere, in the product, in the result, or
//!   everywhere (operands, product and result); a product that overflows stays ±∞.
//!
//! Each of these numbers is then converted to the destination like an exact number, and clamped. A flushed number keeps
//! its sign. A number may be judged subnormal before or after it is rounded, because IEEE 754 leaves that open: half of
//! the f32 `0x00ff_ffff` rounds up to the least normal number, or is flushed to 0. An I32 or U32 that an f32 cannot
//! hold counts as either neighbouring f32.
//!
//! To F32 and F64, the first result of the set is the result of `Exact`, except for these integers. To any other dtype
//! `Fast` rounds twice, so the set need not contain the result of `Exact`.
//!
//! A subnormal of F16 is never flushed, neither as an element nor as a result: it is a normal number of f32, and
//! conversions between F16 and f32 do not depend on the device.
//!
//! A conversion keeps an element's value, rounded as above. NaN and ±∞ follow these rules:
//!
//! - A NaN becomes a quiet NaN with its sign and the upper bits of its payload. Integers have no NaN: there it becomes
//!   0, or the lowest integer by [`NanRule::ToMin`], or the highest by [`NanRule::ToMax`]. The bounds apply afterwards.
//! - ±∞ stays ±∞, with the sign that `scale` gives it, or becomes the lowest or highest integer. With a scale of ±0 it
//!   becomes the canonical quiet NaN of the destination, or the integer that stands for a NaN.
//!
//! [`Clamp::quantize_linear`] rounds the real quotient to f32, then to the nearest integer, adds the zero point and
//! saturates; a NaN counts as the quotient 0, or as the lowest or highest integer by the [`NanRule`]. With
//! [`Precision::Fast`] the quotient is the product with the f32 next to `1 / scale`, as above with an absent bias.
//! [`Clamp::dequantize_linear`] subtracts the zero point, rounds the difference to f32, the product to f32, and that to the
//! destination; `Fast` is the same, with subnormals of the product flushed or kept as above.
//!
//! The CPU cannot read a number on the GPU, so every function refuses it. To compute with the slots' values, set them
//! by [`Clamp::with_bounds`] and [`Clamp::with_affine`].

mod allowed;
mod buffers;
mod convert;
mod exact;
mod fast;
mod float;
mod integer;
mod quantized;

pub use allowed::Allowed;
pub use buffers::{apply, apply_in_place, clamp_slice, clamp_slice_in_place};
pub(crate) use buffers::{check_operands, load};
use float::Format;

use crate::{Clamp, DType, Error, NanRule, Number, Order, Precision};

/// The result for one element, computed exactly whatever the [`Precision`].
///
/// `x` is the bits of an element of the clamp's [`source`](Clamp::source); the result is the bits of an element of its
/// [`dtype`](Clamp::dtype). Both are zero-extended to 64 bits. Bits of `x` beyond the source's width are ignored.
///
/// # Errors
///
/// [`Error::Argument`] if a number lies on the GPU.
///
/// ```
/// use wgpu_clamp::{Clamp, DType, Element, Rounding, reference};
///
/// let clamp = Clamp::new(0_i64, i64::MAX).with_affine(1.0, 0.5)?;
/// assert_eq!(reference::element(&clamp, 9_007_199_254_740_993)?, 9_007_199_254_740_993);
/// assert_eq!(reference::element(&clamp, (-7_i64).to_bits64())?, 0);
///
/// let to_bytes = Clamp::unbounded(DType::U8).with_source(DType::F32)?;
/// assert_eq!(reference::element(&to_bytes, 3.5_f32.to_bits64())?, 3);
/// let nearest = to_bytes.with_rounding(Rounding::NearestEven);
/// assert_eq!(reference::element(&nearest, 3.5_f32.to_bits64())?, 4);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn element(clamp: &Clamp, x: u64) -> Result<u64, Error> {
    check_numbers(clamp)?;
    Ok(exact_result(clamp, x))
}

/// The results that the clamp allows for one element.
///
/// The set is [`element`] alone, except with [`Precision::Fast`] for an affine step whose source or destination is a
/// float, and for a quantisation; see [the module](self). `x` is the bits of an element of the clamp's
/// [`source`](Clamp::source); each result is the bits of an element of its [`dtype`](Clamp::dtype), zero-extended to 64
/// bits. Bits of `x` beyond the source's width are ignored.
///
/// # Errors
///
/// [`Error::Argument`] if a number lies on the GPU.
///
/// ```
/// use wgpu_clamp::{Clamp, DType, Element, reference};
///
/// // 3 * (1/3 as f32) - 1 is 2^-25 when fused, and 0 when the product is rounded.
/// let clamp = Clamp::unbounded(DType::F32).with_affine(1.0 / 3.0, -1.0)?;
/// let allowed = reference::allowed(&clamp, 3.0_f32.to_bits64())?;
/// assert_eq!(allowed.values(), [2.0_f32.powi(-25).to_bits64(), 0]);
///
/// // The same from bytes.
/// let from_bytes = clamp.with_source(DType::U8)?;
/// assert_eq!(reference::allowed(&from_bytes, 3)?.values(), allowed.values());
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn allowed(clamp: &Clamp, x: u64) -> Result<Allowed, Error> {
    check_numbers(clamp)?;
    Ok(results(clamp, x))
}

/// [`element`] of a clamp without numbers on the GPU.
fn exact_result(clamp: &Clamp, x: u64) -> u64 {
    let x = within(clamp.source(), x);
    let stepped = match clamp.quantization() {
        Some(quantization) => quantized::exact(clamp, quantization, x),
        None => convert::exact(clamp, x),
    };
    bounded(clamp, stepped)
}

/// [`allowed`] of a clamp without numbers on the GPU.
pub(crate) fn results(clamp: &Clamp, x: u64) -> Allowed {
    if let Some(quantization) = clamp.quantization().filter(|_| allows_a_set(clamp)) {
        let stepped = quantized::fast(clamp, quantization, within(clamp.source(), x));
        return stepped.map(|result| bounded(clamp, result));
    }
    match clamp.affine() {
        Some(affine) if allows_a_set(clamp) => {
            let stepped = fast::affine(clamp, affine, within(clamp.source(), x));
            stepped.map(|result| bounded(clamp, result))
        }
        _ => Allowed::one(exact_result(clamp, x)),
    }
}

/// Refuses numbers on the GPU, which the CPU cannot read.
fn check_numbers(clamp: &Clamp) -> Result<(), Error> {
    match clamp.number_on_gpu() {
        Some(argument) => Err(Error::number_on_gpu(argument)),
        None => Ok(()),
    }
}

/// Whether [`allowed`] may have several results: the clamp has an affine step or a quantisation with
/// [`Precision::Fast`], and its source or destination is a float.
pub(crate) fn allows_a_set(clamp: &Clamp) -> bool {
    (clamp.affine().is_some() || clamp.quantization().is_some())
        && clamp.meets_a_float()
        && clamp.precision() == Precision::Fast
}

/// The bits within the dtype's width.
const fn within(dtype: DType, bits: u64) -> u64 {
    bits & (u64::MAX >> (64 - dtype.bits()))
}

/// Applies the NaN rule and the bounds in the clamp's order. A bound replaces the bits or leaves them as they are.
fn bounded(clamp: &Clamp, x: u64) -> u64 {
    let dtype = clamp.dtype();
    let Some(mut x) = without_nan(dtype, clamp.nan_rule(), x) else {
        return x;
    };
    match clamp.order() {
        Order::MinWins => {
            replace_above(dtype, &mut x, clamp.max());
            replace_below(dtype, &mut x, clamp.min());
        }
        Order::MaxWins => {
            replace_below(dtype, &mut x, clamp.min());
            replace_above(dtype, &mut x, clamp.max());
        }
    }
    x
}

/// The element after the NaN rule, or `None` for a NaN that stays.
fn without_nan(dtype: DType, rule: NanRule, x: u64) -> Option<u64> {
    match Format::of(dtype) {
        Some(format) if format.is_nan(x) => match rule {
            NanRule::Propagate => None,
            NanRule::ToMin => Some(format.sign() | format.infinity()),
            NanRule::ToMax => Some(format.infinity()),
        },
        _ => Some(x),
    }
}

fn replace_above(dtype: DType, x: &mut u64, max: Number) {
    if let Some(max) = max.bits()
        && number(dtype, *x) > number(dtype, max)
        && !is_nan(dtype, max)
    {
        *x = max;
    }
}

fn replace_below(dtype: DType, x: &mut u64, min: Number) {
    if let Some(min) = min.bits()
        && number(dtype, *x) < number(dtype, min)
        && !is_nan(dtype, min)
    {
        *x = min;
    }
}

fn is_nan(dtype: DType, bits: u64) -> bool {
    Format::of(dtype).is_some_and(|format| format.is_nan(bits))
}

/// An integer that orders elements by value: the integer itself, or a float's sign and magnitude. −0 and +0 are equal.
fn number(dtype: DType, bits: u64) -> i128 {
    let Some(format) = Format::of(dtype) else {
        return integer::value(dtype, bits);
    };
    let magnitude = i128::from(format.magnitude(bits));
    if bits & format.sign() == 0 { magnitude } else { -magnitude }
}
