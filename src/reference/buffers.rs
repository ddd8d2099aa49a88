//! The operator on whole buffers and slices.

use super::{check_numbers, results};
use crate::{Clamp, Clamps, DType, Element, Error, Layout};

/// Clamps the elements of `src` into `dst`.
///
/// Both are buffers as the GPU holds them: little-endian elements, of the clamp's [`source`](Clamp::source) in `src`
/// and of its [`dtype`](Clamp::dtype) in `dst`. The layouts place the elements. One `&Clamp` serves all elements;
/// [`Clamps::along`] has one clamp per index of an axis. Each result is [`Allowed::first`](super::Allowed::first): for
/// [`Precision::Fast`](crate::Precision::Fast) the fused result without flushing. Bytes outside the elements of
/// `dst_layout` stay. If several indices share an element of `dst`, the last index in row-major order decides.
///
/// # Errors
///
/// [`Error::Argument`] if a number lies on the GPU, if the two shapes differ, or if the channels' clamps do not fit the
/// shape or each other; [`Error::Buffer`] if a layout reaches beyond its slice. A slice may end with the layout's last
/// element. Nothing is written on an error.
///
/// ```
/// use wgpu_clamp::{Clamp, Clamps, DType, Layout, reference};
///
/// let (mut dst, src) = ([0xee_u8; 4], [7_u8, 80, 200]);
/// let backwards = Layout::packed(&[3])?.flip(0)?;
/// reference::apply(&Clamp::new(10_u8, 99), &backwards, &src, &Layout::packed(&[3])?, &mut dst)?;
/// assert_eq!(dst, [99, 80, 10, 0xee]);
///
/// // Two rows of bytes, each with bounds of its own, to 16-bit integers.
/// let rows = [Clamp::at_most(99_i16).with_source(DType::U8)?, Clamp::at_least(100_i16).with_source(DType::U8)?];
/// let (mut dst, layout) = ([0; 8], Layout::packed(&[2, 2])?);
/// reference::apply(Clamps::along(0, &rows), &layout, &[7, 200, 7, 200], &layout, &mut dst)?;
/// assert_eq!(dst, [7, 0, 99, 0, 100, 0, 200, 0]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn apply<'a>(
    clamps: impl Into<Clamps<'a>>,
    src_layout: &Layout,
    src: &[u8],
    dst_layout: &Layout,
    dst: &mut [u8],
) -> Result<(), Error> {
    let channels = check_operands(clamps.into(), (src_layout, src), (dst_layout, dst))?;
    for (n, (from, to)) in src_layout.addresses().zip(dst_layout.addresses()).enumerate() {
        let clamp = channels.of(n);
        let x = load(src, from, clamp.source().size());
        store(dst, to, clamp.dtype().size(), results(clamp, x).first());
    }
    Ok(())
}

/// Clamps the elements of a layout in place, like [`apply`].
///
/// An element that several indices share is clamped once per index.
///
/// # Errors
///
/// [`Error::Overlap`] if the elements of source and destination differ in size, [`Error::Buffer`] if the layout reaches
/// beyond `bytes`, [`Error::Argument`] as for [`apply`]. Nothing is written on an error.
///
/// ```
/// use wgpu_clamp::{Clamp, DType, Layout, reference};
///
/// let mut bytes = [7_u8, 80, 200, 200];
/// reference::apply_in_place(&Clamp::new(10_u8, 99), &Layout::packed(&[3])?, &mut bytes)?;
/// assert_eq!(bytes, [10, 80, 99, 200]);
///
/// // From u8 to i8, which saturates.
/// let signed = Clamp::unbounded(DType::I8).with_source(DType::U8)?;
/// reference::apply_in_place(&signed, &Layout::packed(&[4])?, &mut bytes)?;
/// assert_eq!(bytes, [10, 80, 99, 127]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn apply_in_place<'a>(
    clamps: impl Into<Clamps<'a>>,
    layout: &Layout,
    bytes: &mut [u8],
) -> Result<(), Error> {
    let channels = Channels::checked(clamps.into(), layout.shape())?;
    if let Some(clamp) = channels.any() {
        let (source_dtype, dtype) = (clamp.source(), clamp.dtype());
        if source_dtype.size() != dtype.size() {
            return Err(Error::in_place_sizes("bytes", source_dtype, dtype));
        }
        check_fits("bytes", layout, dtype, bytes)?;
    }
    for (n, address) in layout.addresses().enumerate() {
        let clamp = channels.of(n);
        let size = clamp.dtype().size();
        let result = results(clamp, load(bytes, address, size)).first();
        store(bytes, address, size, result);
    }
    Ok(())
}

/// Clamps every element of `src` into `dst`, like [`apply`] but on Rust values.
///
/// # Errors
///
/// [`Error::DType`] if `S` is not the clamp's [`source`](Clamp::source) or `T` not its [`dtype`](Clamp::dtype),
/// [`Error::Argument`] if a number lies on the GPU, or if the slices differ in length. Nothing is written on an error.
///
/// ```
/// use wgpu_clamp::{Clamp, DType, reference};
///
/// let mut dst = [0.0_f32; 3];
/// reference::clamp_slice(&Clamp::new(0.0_f32, 6.0), &[-1.0_f32, 2.5, 80.0], &mut dst)?;
/// assert_eq!(dst, [0.0, 2.5, 6.0]);
///
/// let to_floats = Clamp::at_most(99.0_f32).with_source(DType::U8)?.with_affine(0.5, 0.0)?;
/// reference::clamp_slice(&to_floats, &[0_u8, 51, 255], &mut dst)?;
/// assert_eq!(dst, [0.0, 25.5, 99.0]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn clamp_slice<S: Element, T: Element>(clamp: &Clamp, src: &[S], dst: &mut [T]) -> Result<(), Error> {
    check_numbers(clamp)?;
    clamp.check_dtypes(["src", "dst"], [S::DTYPE, T::DTYPE])?;
    if src.len() != dst.len() {
        return Err(Error::length("dst", "element", src.len(), dst.len()));
    }
    for (x, result) in src.iter().zip(dst) {
        *result = from_bits(results(clamp, x.to_bits64()).first());
    }
    Ok(())
}

/// Clamps every element of `slice` in place, like [`apply_in_place`] but on Rust values.
///
/// # Errors
///
/// [`Error::DType`] unless `T` is both the clamp's [`source`](Clamp::source) and its [`dtype`](Clamp::dtype),
/// [`Error::Argument`] if a number lies on the GPU. Nothing is written on an error.
///
/// ```
/// use wgpu_clamp::{Clamp, reference};
///
/// let mut samples = [-1.0_f32, 2.5, 80.0];
/// reference::clamp_slice_in_place(&Clamp::new(0.0_f32, 6.0), &mut samples)?;
/// assert_eq!(samples, [0.0, 2.5, 6.0]);
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn clamp_slice_in_place<T: Element>(clamp: &Clamp, slice: &mut [T]) -> Result<(), Error> {
    check_numbers(clamp)?;
    clamp.check_dtypes(["slice"; 2], [T::DTYPE; 2])?;
    for x in slice {
        *x = from_bits(results(clamp, x.to_bits64()).first());
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

/// Clamps that suit a shape: one for all elements, or one for each index of an axis.
pub(crate) struct Channels<'a> {
    clamps: Clamps<'a>,
    /// The row-major distance between adjacent indices of the axis, in elements.
    step: usize,
}

impl<'a> Channels<'a> {
    /// Refuses clamps that do not suit the shape, and numbers on the GPU.
    fn checked(clamps: Clamps<'a>, shape: &[usize]) -> Result<Self, Error> {
        clamps.check(shape)?;
        clamps.as_slice().iter().try_for_each(check_numbers)?;
        let Some(axis) = clamps.axis() else { return Ok(Self { clamps, step: 1 }) };
        // The count of elements fits `usize`. This product overflows only if another extent is 0; then there is no
        // element.
        let step = shape[axis + 1..].iter().fold(1, |step: usize, &extent| step.saturating_mul(extent));
        Ok(Self { clamps, step })
    }

    /// The clamp of the `n`-th element in row-major order. The element must exist.
    pub(crate) fn of(&self, n: usize) -> &Clamp {
        let list = self.clamps.as_slice();
        &list[n / self.step % list.len()]
    }

    /// One of the clamps, for the properties that all share; `None` if the axis has extent 0.
    pub(crate) fn any(&self) -> Option<&Clamp> {
        self.clamps.as_slice().first()
    }

    /// Whether an element may have several allowed results.
    pub(crate) fn allow_a_set(&self) -> bool {
        self.clamps.as_slice().iter().any(super::allows_a_set)
    }
}

/// Checks the arguments of [`apply`]; returns clamps that suit the shape.
pub(crate) fn check_operands<'a>(
    clamps: Clamps<'a>,
    (src_layout, src): (&Layout, &[u8]),
    (dst_layout, dst): (&Layout, &[u8]),
) -> Result<Channels<'a>, Error> {
    let channels = Channels::checked(clamps, dst_layout.shape())?;
    if src_layout.shape() != dst_layout.shape() {
        return Err(Error::shapes(src_layout.shape(), dst_layout.shape()));
    }
    if let Some(clamp) = channels.any() {
        check_fits("src", src_layout, clamp.source(), src)?;
        check_fits("dst", dst_layout, clamp.dtype(), dst)?;
    }
    Ok(channels)
}

fn check_fits(argument: &'static str, layout: &Layout, dtype: DType, bytes: &[u8]) -> Result<(), Error> {
    let end = layout.span().map_or(0, |(_, highest)| highest as u64 + 1);
    let needed = end.saturating_mul(dtype.size() as u64);
    let actual = bytes.len() as u64;
    if needed > actual {
        return Err(Error::too_small(argument, dtype, layout, needed, actual));
    }
    Ok(())
}

/// The bits of the element at an address in elements.
pub(crate) fn load(bytes: &[u8], address: usize, size: usize) -> u64 {
    let bytes = &bytes[address * size..][..size];
    // Byte by byte: a copy of a few bytes of unknown length would be a call.
    bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
}

fn store(bytes: &mut [u8], address: usize, size: usize, bits: u64) {
    bytes[address * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
}
