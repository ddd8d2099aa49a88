//! The places of windows' uniform blocks in a buffer.

use crate::kernel::GeometryBytes;

/// The layout of consecutive uniform blocks. A block has the parameters, then the kernel's geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UniformLayout {
    pub(crate) count: usize,
    /// Bytes between the starts of two blocks.
    pub(crate) pitch: u64,
    /// Bytes of a block.
    pub(crate) size: u64,
}

impl UniformLayout {
    /// The layout of `count` blocks with `parameters` bytes of parameters each, at multiples of `alignment` bytes. A
    /// single block needs no padding.
    pub(crate) fn new(count: usize, parameters: usize, first: &GeometryBytes, alignment: u64) -> Self {
        if count == 1 {
            let size = (parameters + first.as_bytes().len()).next_multiple_of(16) as u64;
            return Self { count, pitch: size, size };
        }
        let size = (parameters + GeometryBytes::CAPACITY) as u64;
        Self { count, pitch: Self::pitch(parameters, alignment), size }
    }

    /// Bytes between the starts of two blocks, for any kernel.
    pub(crate) const fn pitch(parameters: usize, alignment: u64) -> u64 {
        ((parameters + GeometryBytes::CAPACITY) as u64).next_multiple_of(alignment)
    }

    /// The length of all blocks, in bytes.
    pub(crate) const fn len(&self) -> u64 {
        self.pitch * self.count as u64
    }

    /// The start of the `n`-th block, in bytes.
    pub(crate) const fn offset(&self, n: usize) -> u64 {
        n as u64 * self.pitch
    }

    /// The parts of the `n`-th block and their offsets in the buffer, in bytes.
    pub(crate) fn parts<'a>(
        &self,
        n: usize,
        parameters: &'a [u8],
        geometry: &'a GeometryBytes,
    ) -> [(u64, &'a [u8]); 2] {
        let at = self.offset(n);
        [(at, parameters), (at + parameters.len() as u64, geometry.as_bytes())]
    }
}
