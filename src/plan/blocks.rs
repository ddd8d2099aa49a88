//! Where the uniform blocks of windows lie in a buffer.

use crate::kernel::GeometryBytes;

/// The uniform blocks of some windows, one behind the other: of each the operators, then the kernel's geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockLayout {
    pub(crate) count: usize,
    /// Bytes from a block to the next.
    pub(crate) pitch: u64,
    /// Bytes of each.
    pub(crate) size: u64,
}

impl BlockLayout {
    /// For `count` windows, with so many bytes of operators each, at multiples of `alignment` bytes; the block of a single
    /// one is as long as it must be.
    pub(crate) fn new(count: usize, (operators, first): (usize, &GeometryBytes), alignment: u64) -> Self {
        let (pitch, size) = match count {
            1 => {
                let size = (operators + first.as_bytes().len()).next_multiple_of(16) as u64;
                (size, size)
            }
            _ => Self::pitch(operators, alignment),
        };
        Self { count, pitch, size }
    }

    /// Bytes from a block to the next, and of each, whichever kernel's it is.
    pub(crate) fn pitch(operators: usize, alignment: u64) -> (u64, u64) {
        let size = (operators + GeometryBytes::CAPACITY) as u64;
        (size.next_multiple_of(alignment), size)
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
        operators: &'a [u8],
        geometry: &'a GeometryBytes,
    ) -> [(u64, &'a [u8]); 2] {
        let at = self.offset(n);
        [(at, operators), (at + operators.len() as u64, geometry.as_bytes())]
    }
}
