//! Windows: the bindings that span a tile, the dispatches that work on it, and the places of uniform blocks.

use super::Plan;
use super::bindings::{Bindings, Range, bind};
use super::strategy::Assignment;
use crate::kernel::{BoundTile, GeometryBytes, Launch};

/// The bindings that span a tile, and the launch of its kernel.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    pub(crate) bindings: Bindings,
    pub(crate) launch: Launch,
}

impl Plan {
    /// The windows, computed lazily.
    pub(crate) fn windows(&self) -> impl Iterator<Item = Window> {
        let of = |assignment| (0..Assignment::windows(assignment)).map(|n| self.window(assignment, n));
        self.strategy.assignments().flat_map(of)
    }

    pub(crate) fn window_count(&self) -> usize {
        self.strategy.assignments().map(Assignment::windows).sum()
    }

    pub(super) fn window(&self, assignment: &Assignment, n: usize) -> Window {
        let Assignment { kernel, region, ends, .. } = assignment;
        let task = self.task.expect("windows are of a task");
        let tile = assignment.nth_tile(n);
        let bindings = bind(&task, region, &tile, *ends).expect("tiles are as large as bindings allow");
        let sizes = task.arithmetic.sizes();
        // Byte offsets in the binding, which is shorter than 2^31 bytes.
        let within =
            |side: usize, range: Range| (tile.starts[side] as u64 * sizes[side] as u64 - range.offset) as u32;
        let launch = kernel.launch(&BoundTile {
            region,
            tile: &tile,
            task: &task,
            start_bytes: [within(0, bindings.src), within(1, bindings.dst)],
            src_size: bindings.src.size,
        });
        Window { bindings, launch }
    }
}

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
