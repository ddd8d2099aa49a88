//! The numbers by which kernels are chosen and boxes grow.

/// The fewest packets of a run that a stream takes. Words take its ends: up to three packets where units begin anywhere.
pub(super) const LEAST_PACKETS: usize = 4;

/// The fewest elements of which a kernel may leave some to another dispatch.
pub(super) const LEAST_ELEMENTS: usize = 1024;

/// The fewest bytes of src and dst for which a second dispatch pays: it takes an H200 as long as 7 MB of memory.
pub(super) const LEAST_BYTES: usize = 16 << 20;

/// From so many channels on, boxes of one-byte elements store words, of four channels, before packets, of sixteen.
pub(super) const LEAST_CHANNELS: usize = 128;

/// The most elements between neighbours in src that are near enough for words.
pub(super) const PIXEL: usize = 4;

/// The most bytes on one side of a box, and the most elements with exact steps, which are long: compile time grows faster than
/// the box.
pub(super) const MOST_BYTES: usize = 256;
pub(super) const MOST_OF_EXACT: usize = 64;

/// The greatest extent that boxes grow to in one step. Along longer dimensions they double.
pub(super) const WHOLE: usize = 8;

/// The most elements of dst per element of a pixel, for packets that also have bytes to keep.
pub(super) const SPARSEST: usize = 4;

/// The fewest boxes of a square along src's fastest dimension.
pub(super) const LEAST_ALONG: usize = 2;

/// Bytes of a line of a GPU's cache. Boxes lie in squares if neighbours along dst would load a line each.
pub(super) const LINE: usize = 128;

/// The fewest packets between pixels that share look-ups of channels, so that neighbouring invocations fill lines.
pub(super) const LEAST_APART: usize = 8;

/// Whether less than three quarters of the bytes or elements that a box loads are its own. Then it grows, and streams that find
/// each element come before it.
pub(super) const fn is_sparse(own: usize, loaded: usize) -> bool {
    4 * own < 3 * loaded
}
