//! Comparison of a whole destination buffer with the CPU reference.

use std::fmt;

use crate::reference::{self, Allowed};
use crate::{Clamps, Error, Layout};

/// The memory of a call, before and after it. A program writes it as a literal; it is complete, and gets no further field.
///
/// The three slices are whole buffers of little-endian elements: of the clamp's source dtype in `src`, of its dtype in
/// the other two. The layouts say where in the buffers the call's elements lie.
#[derive(Clone, Copy, Debug)]
pub struct Buffers<'a> {
    /// The layout of the source, in elements.
    pub src_layout: &'a Layout,
    /// The source. For a call in place, or from one part of a buffer to another, give `dst_before` here too.
    pub src: &'a [u8],
    /// The layout of the destination, in elements.
    pub dst_layout: &'a Layout,
    /// The destination as the call found it.
    pub dst_before: &'a [u8],
    /// The destination as the call left it.
    pub dst_after: &'a [u8],
}

/// Compares a call's `dst` with the CPU [reference](mod@reference): each element of the output, and each byte outside
/// it, which must not have changed.
///
/// One clamp serves all elements; [`Clamps::along`] has one for each index of an axis. An element is right if its
/// bits are among [`reference::allowed`] for the clamp of its channel. Makes one copy of `dst_after`. Indices that
/// share an element are each compared. In place, elements of source and destination must have one size, as for
/// [`reference::apply_in_place`].
///
/// # Errors
///
/// [`Error::Argument`] if a number lies on the GPU, if the two shapes differ, if `dst_before` and `dst_after` differ in
/// length, or if the channels' clamps do not fit the shape or each other; [`Error::Buffer`] if a layout reaches beyond
/// its slice. A wrong result is not an error, see [`Report::passed`].
///
/// ```
/// use wgpu_clamp::{Clamp, Layout, verify};
///
/// let (clamp, layout) = (Clamp::new(10_u8, 99), Layout::packed(&[3])?);
/// let report = verify::check(
///     &clamp,
///     verify::Buffers {
///         src_layout: &layout,
///         src: &[7, 80, 200, 0],
///         dst_layout: &layout,
///         dst_before: &[0, 0, 0, 0],
///         dst_after: &[10, 80, 99, 0],
///     },
/// )?;
/// assert!(report.passed());
/// assert_eq!(report.to_string(), "bit-exact with the CPU reference: 3 of 3 elements");
/// # Ok::<(), wgpu_clamp::Error>(())
/// ```
pub fn check<'a>(clamps: impl Into<Clamps<'a>>, buffers: Buffers<'_>) -> Result<Report, Error> {
    let Buffers { src_layout, src, dst_layout, dst_before, dst_after } = buffers;
    let channels = reference::check_operands(clamps.into(), (src_layout, src), (dst_layout, dst_before))?;
    if dst_before.len() != dst_after.len() {
        return Err(Error::length("dst_after", "byte", dst_before.len(), dst_after.len()));
    }
    // Without a clamp there is no element, and the sizes do not matter.
    let (src_size, size) =
        channels.any().map_or((0, 0), |clamp| (clamp.source().size(), clamp.dtype().size()));
    let mut matching = 0;
    let mut difference = None;
    // `dst_after` with every output element set back to `dst_before`. Bytes that still differ are outside the output.
    let mut rest = dst_after.to_vec();
    for (n, (from, to)) in src_layout.addresses().zip(dst_layout.addresses()).enumerate() {
        // Byte by byte, as in `load`: a slice copy would call `memcpy`.
        let bytes = to * size..(to + 1) * size;
        rest[bytes.clone()].iter_mut().zip(&dst_before[bytes]).for_each(|(byte, before)| *byte = *before);
        let (input, got) = (reference::load(src, from, src_size), reference::load(dst_after, to, size));
        let allowed = reference::results(channels.of(n), input);
        if allowed.contains(got) {
            matching += 1;
        } else if difference.is_none() {
            let index = multi_index(dst_layout.shape(), n);
            difference = Some(Difference { index, address: to, input, allowed, got });
        }
    }
    Ok(Report {
        elements: dst_layout.len(),
        matching,
        difference,
        stray: first_stray(dst_before, &rest),
        src_size,
        size,
        one_of_a_set: channels.allow_a_set(),
    })
}

/// The index of the `n`-th element in row-major order.
fn multi_index(shape: &[usize], mut n: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, extent) in index.iter_mut().zip(shape).rev() {
        (*i, n) = (n % extent, n / extent);
    }
    index
}

fn first_stray(before: &[u8], rest: &[u8]) -> Option<StrayByte> {
    let offset = before.iter().zip(rest).position(|(before, after)| before != after)?;
    Some(StrayByte { offset, before: before[offset], after: rest[offset] })
}

/// The outcome of [`check`].
///
/// `Display` gives it in one line.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Report {
    /// The number of elements in the output.
    pub elements: usize,
    /// The number of right elements.
    pub matching: usize,
    /// The first wrong element, in row-major order of the indices.
    pub difference: Option<Difference>,
    /// The first byte outside the output that changed.
    pub stray: Option<StrayByte>,
    /// Size of a source element, in bytes.
    src_size: usize,
    /// Size of a destination element, in bytes.
    size: usize,
    /// Whether the reference allows several results for a channel.
    one_of_a_set: bool,
}

/// An element that the reference does not allow.
///
/// `input`, `allowed` and `got` are bits of elements, zero-extended to 64. With channels, the index tells which
/// channel's clamp applies.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// The index, one number per dimension.
    pub index: Vec<usize>,
    /// The address in the destination, in elements.
    pub address: usize,
    /// The bits of the source element.
    pub input: u64,
    /// The bits that the reference allows.
    pub allowed: Allowed,
    /// The bits found.
    pub got: u64,
}

/// A changed byte of the destination that belongs to no element of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StrayByte {
    /// The offset from the start of the buffer, in bytes.
    pub offset: usize,
    /// The value before the call.
    pub before: u8,
    /// The value after the call.
    pub after: u8,
}

impl Report {
    /// Whether every element is right and no other byte changed.
    ///
    /// ```
    /// use wgpu_clamp::{Clamp, Layout, verify};
    ///
    /// let (clamp, layout) = (Clamp::new(10_u8, 99), Layout::packed(&[3])?);
    /// let (src, dst_before, dst_after) = (&[7, 80, 200], &[0; 4], &[10, 80, 98, 1]);
    /// let (src_layout, dst_layout) = (&layout, &layout);
    /// let buffers = verify::Buffers { src_layout, src, dst_layout, dst_before, dst_after };
    /// let report = verify::check(&clamp, buffers)?;
    /// assert!(!report.passed());
    /// assert_eq!(
    ///     report.to_string(),
    ///     "differs from the CPU reference: 2 of 3 elements match; \
    ///      first at index [2] (element 2 of the buffer): input 0xc8, expected 0x63, got 0x62; \
    ///      byte 3, outside the output, changed from 0x00 to 0x01",
    /// );
    /// # Ok::<(), wgpu_clamp::Error>(())
    /// ```
    #[must_use]
    pub const fn passed(&self) -> bool {
        self.difference.is_none() && self.stray.is_none()
    }

    fn fmt_difference(&self, f: &mut fmt::Formatter<'_>, difference: &Difference) -> fmt::Result {
        let Difference { index, address, input, allowed, got } = difference;
        let [src_digits, digits] = [self.src_size, self.size].map(|size| 2 + 2 * size);
        write!(
            f,
            "; first at index {index:?} (element {address} of the buffer): input {input:#0src_digits$x}"
        )?;
        write!(f, ", expected ")?;
        for (n, value) in allowed.values().iter().enumerate() {
            write!(f, "{}{value:#0digits$x}", if n == 0 { "" } else { " or " })?;
        }
        write!(f, ", got {got:#0digits$x}")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elements, matching, .. } = self;
        if self.passed() {
            let claim = if self.one_of_a_set {
                "within the allowed set of Precision::Fast"
            } else {
                "bit-exact with the CPU reference"
            };
            return write!(f, "{claim}: {matching} of {elements} elements");
        }
        write!(f, "differs from the CPU reference: {matching} of {elements} elements match")?;
        if let Some(difference) = &self.difference {
            self.fmt_difference(f, difference)?;
        }
        if let Some(StrayByte { offset, before, after }) = self.stray {
            write!(f, "; byte {offset}, outside the output, changed from {before:#04x} to {after:#04x}")?;
        }
        Ok(())
    }
}
