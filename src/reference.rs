//! The operator on the CPU, one element at a time: what every GPU result is held to.
//!
//! Everything here works on bits and integers, so the results do not depend on the host's floating-point
//! unit. It shares no code with the shaders or with what launches them: the two are independent statements
//! of one definition. It is also a fallback for a machine without a GPU, many times slower.
//!
//! [`element`] is the exactly computed result: integers are truncated toward zero and saturated, floats are
//! rounded once. It is also the only allowed result, except for a float dtype with an affine step and
//! [`Precision::Fast`]: there a GPU may use its own arithmetic, and [`allowed`] is the set of what it may
//! arrive at. With `C` for the computing format, f32 (f64 for F64), a finite element may become
//!
//! - fused: `C(x * scale + bias)`, with `C`'s subnormals flushed to zero nowhere, in the result, or
//!   everywhere (operands and result);
//! - unfused: `C(C(x * scale) + bias)`, with subnormals flushed nowhere, in the product, in the result, or
//!   everywhere (operands, product and result); a product that overflows stays ±∞;
//!
//! each rounded from `C` to the element's format and then clamped. A flushed number keeps its sign. For F16
//! and BF16 all of these round twice, so that the result of `Exact` need not be among them; for F32 and F64
//! it is the first.
//!
//! A bound on the GPU is not for the CPU to read: the functions that return a `Result` refuse it, [`element`] and
//! [`allowed`] take it as absent. [`Clamp::with_bounds`] puts the value in that the slot holds.

mod allowed;
mod exact;
mod fast;
mod float;
mod integer;

pub use allowed::Allowed;
use float::Format;

use crate::{Bound, Clamp, DType, Element, Error, Layout, NanRule, Order, Precision};

/// The result for one element, computed exactly whatever the [`Precision`].
///
/// `x` and the result are the bits of an element of the clamp's dtype, zero-extended to 64; bits of `x`
/// beyond the dtype's width are ignored.
///
/// ```
/// use wgpu_clamp::{Clamp, Element, reference};
///
/// let clamp = Clamp::new(0_i64, i64::MAX).with_affine(1.0, 0.5)?;
/// assert_eq!(reference::element(&clamp, 9_007_199_254_740_993), 9_007_199_254_740_993);
/// assert_eq!(reference::element(&clamp, (-7_i64).to_bits64()), 0);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[must_use]
pub fn element(clamp: &Clamp, x: u64) -> u64 {
    let x = x & (u64::MAX >> (64 - clamp.dtype().bits()));
    let stepped = match (clamp.affine(), Format::of(clamp.dtype())) {
        (None, _) => x,
        (Some(affine), None) => integer::affine(clamp.dtype(), affine, x),
        (Some(affine), Some(format)) => float::affine(format, affine, x),
    };
    bounded(clamp, stepped)
}

/// The results that the clamp allows for one element.
///
/// That is [`element`] alone, except for a float dtype with an affine step and [`Precision::Fast`]: see
/// [the module](self) for the set. `x` is the bits of an element of the clamp's dtype, zero-extended to 64;
/// bits beyond the dtype's width are ignored.
///
/// ```
/// use wgpu_clamp::{Clamp, DType, Element, reference};
///
/// // 3 * (1/3 as f32) - 1 is 2^-25 when fused, and 0 when the product is rounded.
/// let clamp = Clamp::unbounded(DType::F32).with_affine(1.0 / 3.0, -1.0)?;
/// let allowed = reference::allowed(&clamp, 3.0_f32.to_bits64());
/// assert_eq!(allowed.values(), [2.0_f32.powi(-25).to_bits64(), 0]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
#[must_use]
pub fn allowed(clamp: &Clamp, x: u64) -> Allowed {
    match (clamp.affine(), Format::of(clamp.dtype()), clamp.precision()) {
        (Some(affine), Some(format), Precision::Fast) => {
            let x = x & (u64::MAX >> (64 - clamp.dtype().bits()));
            fast::affine(format, affine, x).map(|stepped| bounded(clamp, stepped))
        }
        _ => Allowed::one(element(clamp, x)),
    }
}

/// `max(Min, min(x, Max))`: replaces, never recomputes.
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

/// The element that meets the bounds, or `None` if it is a NaN that stays.
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

fn replace_above(dtype: DType, x: &mut u64, max: Bound) {
    if let Bound::Value(max) = max
        && number(dtype, *x) > number(dtype, max)
        && !is_nan(dtype, max)
    {
        *x = max;
    }
}

fn replace_below(dtype: DType, x: &mut u64, min: Bound) {
    if let Bound::Value(min) = min
        && number(dtype, *x) < number(dtype, min)
        && !is_nan(dtype, min)
    {
        *x = min;
    }
}

fn is_nan(dtype: DType, bits: u64) -> bool {
    Format::of(dtype).is_some_and(|format| format.is_nan(bits))
}

/// An integer that is ordered as the elements are: itself, or the sign and magnitude of a float. −0 and +0
/// are equal.
fn number(dtype: DType, bits: u64) -> i128 {
    let Some(format) = Format::of(dtype) else {
        return integer::value(dtype, bits);
    };
    let magnitude = i128::from(format.magnitude(bits));
    if bits & format.sign() == 0 { magnitude } else { -magnitude }
}

/// Clamps the elements of `src` into `dst`.
///
/// Both are buffers as the GPU holds them: little-endian elements of the clamp's dtype, of which the layouts
/// pick theirs. Each result is [`Allowed::first`]: for [`Precision::Fast`] the fused one without flushing.
/// Bytes outside the elements of `dst_layout` stay. If two indices share an element of `dst`, the last one
/// in row-major order is written.
///
/// # Errors
///
/// [`Error::BoundOnGpu`] if a bound lies on the GPU, [`Error::ShapeMismatch`] if the two shapes differ,
/// [`Error::BufferTooSmall`] if a layout reaches beyond its slice. A slice may end with its last element; the
/// error names the size that a GPU buffer needs, a multiple of 4 bytes. Nothing is written on an error.
///
/// ```
/// use wgpu_clamp::{Clamp, Layout, reference};
///
/// let (mut dst, src) = ([0xee_u8; 4], [7_u8, 80, 200]);
/// let backwards = Layout::packed(&[3])?.flip(0)?;
/// reference::apply(&Clamp::new(10_u8, 99), &backwards, &src, &Layout::packed(&[3])?, &mut dst)?;
/// assert_eq!(dst, [99, 80, 10, 0xee]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn apply(
    clamp: &Clamp,
    src_layout: &Layout,
    src: &[u8],
    dst_layout: &Layout,
    dst: &mut [u8],
) -> Result<(), Error> {
    check_operands(clamp, (src_layout, src), (dst_layout, dst))?;
    let size = clamp.dtype().size();
    for (from, to) in src_layout.addresses().zip(dst_layout.addresses()) {
        let result = allowed(clamp, load(src, from, size)).first();
        store(dst, to, size, result);
    }
    Ok(())
}

/// Clamps the elements of a layout where they are; as [`apply`].
///
/// If two indices share an element, it is clamped once for each.
///
/// # Errors
///
/// [`Error::BoundOnGpu`] if a bound lies on the GPU, [`Error::BufferTooSmall`] if the layout reaches beyond
/// `bytes`, as for [`apply`]. Nothing is written on an error.
///
/// ```
/// use wgpu_clamp::{Clamp, Layout, reference};
///
/// let mut bytes = [7_u8, 80, 200, 200];
/// reference::apply_in_place(&Clamp::new(10_u8, 99), &Layout::packed(&[3])?, &mut bytes)?;
/// assert_eq!(bytes, [10, 80, 99, 200]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn apply_in_place(clamp: &Clamp, layout: &Layout, bytes: &mut [u8]) -> Result<(), Error> {
    check_bounds(clamp)?;
    check_fits("bytes", layout, clamp.dtype(), bytes)?;
    let size = clamp.dtype().size();
    for address in layout.addresses() {
        let result = allowed(clamp, load(bytes, address, size)).first();
        store(bytes, address, size, result);
    }
    Ok(())
}

/// Clamps every element of `src` into `dst`; as [`apply`], on Rust values.
///
/// # Errors
///
/// [`Error::BoundOnGpu`] if a bound lies on the GPU, [`Error::DTypeMismatch`] if `T` is not the clamp's dtype,
/// [`Error::Length`] if the slices differ in length. Nothing is written on an error.
///
/// ```
/// use wgpu_clamp::{Clamp, reference};
///
/// let mut dst = [0.0_f32; 3];
/// reference::clamp_slice(&Clamp::new(0.0_f32, 6.0), &[-1.0, 2.5, 80.0], &mut dst)?;
/// assert_eq!(dst, [0.0, 2.5, 6.0]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn clamp_slice<T: Element>(clamp: &Clamp, src: &[T], dst: &mut [T]) -> Result<(), Error> {
    check_bounds(clamp)?;
    if clamp.dtype() != T::DTYPE {
        return Err(Error::DTypeMismatch {
            argument: "src",
            of: "the clamp",
            expected: clamp.dtype(),
            actual: T::DTYPE,
        });
    }
    if src.len() != dst.len() {
        return Err(Error::Length {
            argument: "dst",
            unit: "elements",
            expected: src.len(),
            actual: dst.len(),
        });
    }
    for (x, result) in src.iter().zip(dst) {
        *result = from_bits(allowed(clamp, x.to_bits64()).first());
    }
    Ok(())
}

fn from_bits<T: Element>(bits: u64) -> T {
    let mut bytes = bits.to_le_bytes();
    let bytes = &mut bytes[..size_of::<T>()];
    if cfg!(target_endian = "big") {
        bytes.reverse();
    }
    bytemuck::pod_read_unaligned(bytes)
}

/// What [`apply`] refuses.
pub(crate) fn check_operands(
    clamp: &Clamp,
    (src_layout, src): (&Layout, &[u8]),
    (dst_layout, dst): (&Layout, &[u8]),
) -> Result<(), Error> {
    check_bounds(clamp)?;
    let dtype = clamp.dtype();
    if src_layout.shape() != dst_layout.shape() {
        let (src, dst) = (src_layout.shape().to_vec(), dst_layout.shape().to_vec());
        return Err(Error::ShapeMismatch { src, dst });
    }
    check_fits("src", src_layout, dtype, src)?;
    check_fits("dst", dst_layout, dtype, dst)
}

/// What lies on a GPU is not for the CPU to read.
fn check_bounds(clamp: &Clamp) -> Result<(), Error> {
    for (argument, bound) in [("min", clamp.min()), ("max", clamp.max())] {
        if bound == Bound::OnGpu {
            return Err(Error::BoundOnGpu { argument });
        }
    }
    Ok(())
}

fn check_fits(argument: &'static str, layout: &Layout, dtype: DType, bytes: &[u8]) -> Result<(), Error> {
    let end = layout.span().map_or(0, |(_, highest)| highest as u64 + 1);
    let needed = end.saturating_mul(dtype.size() as u64);
    let actual = bytes.len() as u64;
    if needed > actual {
        let needed = needed.div_ceil(4).saturating_mul(4);
        let elements = layout.len();
        return Err(Error::BufferTooSmall { argument, dtype, elements, needed, actual });
    }
    Ok(())
}

/// The bits of the element at an address in elements.
pub(crate) fn load(bytes: &[u8], address: usize, size: usize) -> u64 {
    let mut word = [0; 8];
    word[..size].copy_from_slice(&bytes[address * size..][..size]);
    u64::from_le_bytes(word)
}

fn store(bytes: &mut [u8], address: usize, size: usize, bits: u64) {
    bytes[address * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
}
