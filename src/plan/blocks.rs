//! Where the uniform blocks of windows lie in a buffer.

use crate::kernel::GeometryBytes;

/// The uniform blocks of some windows, one behind the other: of each the parameters, then the kernel's geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockLayout {
    pub(crate) count: usize,
    /// Bytes from a block to the next.
    pub(crate) pitch: u64,
    /// Bytes of each.
    pub(crate) size: u64,
}

impl BlockLayout {
    /// For `count` windows, with `parameters` bytes of them each, at multiples of `alignment` bytes; the block of a single
    /// one is as long as it must be.
    pub(crate) fn new(count: usize, parameters: usize, first: &GeometryBytes, alignment: u64) -> Self {
        if count == 1 {
            let size = (parameters + first.as_bytes().len()).next_multiple_of(16) as u64;
            return Self { count, pitch: size, size };
        }
        let size = (parameters + GeometryBytes::CAPACITY) as u64;
        Self { count, pitch: Self::pitch(parameters, alignment), size }
    }

    /// Bytes from a block to the next, whichever kernel's it is.
    pub(crate) const fn pitch(parameters: usize, alignment: u64) -> u64 {
        ((parameters + GeometryBytes::CAPACITY) as u64).next_multiple_of(alignment)
    }

    /// Of all blocks, in bytes.
    pub(crate) const fn len(&self) -> u64 {
        self.pitch * self.count as u64
    }

    /// Where the `n`-th block begins, in bytes.
    pub(crate) const fn offset(&self, n: usize) -> u64 {
        n as u64 * self.pitch
    }

    /// What the `n`-th block is made of, and at which byte of the buffer.
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
