//! Uniform blocks: parameters and geometry of a clamp's dispatches, in as few buffers as possible.

use super::mapped;
use crate::Error;
use crate::kernel::GeometryBytes;
use crate::plan::{Range, UniformLayout};

/// The most blocks of a buffer, at least one.
pub(super) fn per_buffer(device: &wgpu::Limits, parameters: usize) -> usize {
    let most = device.max_buffer_size / pitch(device, parameters);
    usize::try_from(most).unwrap_or(usize::MAX).max(1)
}

/// Bytes between the starts of two blocks with `parameters` bytes of parameters each.
fn pitch(limits: &wgpu::Limits, parameters: usize) -> u64 {
    UniformLayout::pitch(parameters, limits.min_uniform_buffer_offset_alignment.into())
}

/// The blocks of one buffer, which stays mapped until all blocks are written.
pub(super) struct UniformBlocks {
    pub(super) buffer: wgpu::Buffer,
    mapped: wgpu::BufferViewMut,
    pub(super) layout: UniformLayout,
}

impl UniformBlocks {
    /// Creates the buffer for the blocks of `count` windows with `parameters` bytes of parameters each. `first`: the
    /// geometry of the first window. Call it within an error scope.
    pub(super) fn new(
        device: &wgpu::Device,
        limits: &wgpu::Limits,
        count: usize,
        (parameters, first): (usize, &GeometryBytes),
    ) -> Result<Self, Error> {
        let alignment = limits.min_uniform_buffer_offset_alignment.into();
        let layout = UniformLayout::new(count, parameters, first, alignment);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("wgpu-clamp params"),
            size: layout.len(),
            usage: wgpu::BufferUsages::UNIFORM,
            mapped_at_creation: true,
        });
        Ok(Self { mapped: mapped::range(&buffer)?, buffer, layout })
    }

    pub(super) fn write(&mut self, n: usize, parameters: &[u8], geometry: &GeometryBytes) {
        for (at, part) in self.layout.parts(n, parameters, geometry) {
            let at = at as usize;
            self.mapped.slice(at..at + part.len()).copy_from_slice(part);
        }
    }

    pub(super) fn unmap(self) {
        drop(self.mapped);
        self.buffer.unmap();
    }

    /// The block of window `n`.
    pub(super) fn range(&self, n: usize) -> Range {
        Range { offset: self.layout.offset(n), size: self.layout.size }
    }
}
