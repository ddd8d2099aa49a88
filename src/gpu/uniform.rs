//! Uniform blocks: parameters and geometry of a clamp's dispatches, in as few buffers as possible.

use super::mapped;
use crate::kernel::GeometryBytes;
use crate::plan::UniformLayout;
use crate::{Error, Limits};

/// The device's limits on buffers with several blocks, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct UniformLimits {
    /// The alignment of a block's start.
    alignment: u64,
    max_block: u64,
    max_buffer_size: u64,
    max_storage_binding: u64,
}

impl UniformLimits {
    pub(super) fn new(limits: &wgpu::Limits) -> Self {
        Self {
            alignment: limits.min_uniform_buffer_offset_alignment.into(),
            max_block: limits.max_uniform_buffer_binding_size,
            max_buffer_size: limits.max_buffer_size,
            max_storage_binding: limits.max_storage_buffer_binding_size,
        }
    }

    /// Bytes between the starts of two blocks with `parameters` bytes of parameters each.
    fn pitch(&self, parameters: usize) -> u64 {
        UniformLayout::pitch(parameters, self.alignment)
    }

    /// Checks that a block with `parameters` bytes of parameters can be bound. A block of one clamp always can.
    pub(super) fn check(&self, parameters: usize) -> Result<(), Error> {
        let needed = self.pitch(parameters);
        let limits =
            [("max_uniform_buffer_binding_size", self.max_block), ("max_buffer_size", self.max_buffer_size)];
        match limits.into_iter().find(|(_, limit)| needed > *limit) {
            Some((limit_name, limit)) => Err(Error::device_limit(limit_name, needed, limit)),
            None => Ok(()),
        }
    }

    /// The most blocks of a buffer, at least one. `resolved`: one binding and one dispatch of `resolve` must cover all
    /// blocks, with one or more invocations per block.
    pub(super) fn per_buffer(&self, parameters: usize, resolved: bool, limits: &Limits) -> usize {
        let pitch = self.pitch(parameters);
        let fitting = |bytes| bytes / pitch;
        let most = fitting(self.max_buffer_size);
        let resolvable = fitting(self.max_storage_binding).min(limits.invocations());
        let most = if resolved { most.min(resolvable) } else { most };
        usize::try_from(most).unwrap_or(usize::MAX).max(1)
    }
}

/// The blocks of one buffer. The buffer stays mapped until all blocks are written.
pub(super) struct UniformBlocks {
    buffer: wgpu::Buffer,
    pub(super) layout: UniformLayout,
}

impl UniformBlocks {
    /// Creates the buffer for `count` windows with `parameters` bytes each. Call it within an error scope.
    pub(super) fn new(
        device: &wgpu::Device,
        limits: &UniformLimits,
        count: usize,
        (parameters, first): (usize, &GeometryBytes),
        resolved: bool,
    ) -> Result<Self, Error> {
        let layout = UniformLayout::new(count, parameters, first, limits.alignment);
        let all = layout.len();
        let mut usage = wgpu::BufferUsages::UNIFORM;
        if resolved {
            if all > limits.max_storage_binding {
                let limit = limits.max_storage_binding;
                return Err(Error::device_limit("max_storage_buffer_binding_size", all, limit));
            }
            usage |= wgpu::BufferUsages::STORAGE;
        }
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("wgpu-clamp params"),
            size: all,
            usage,
            mapped_at_creation: true,
        });
        Ok(Self { buffer, layout })
    }

    /// Opens the buffer for writing.
    pub(super) fn writer(&self) -> Result<BlockWriter, Error> {
        Ok(BlockWriter { mapped: mapped::range(&self.buffer)?, layout: self.layout, next: 0 })
    }

    /// Ends the writing and unmaps the buffer.
    pub(super) fn unmap(&self, writer: BlockWriter) {
        drop(writer);
        self.buffer.unmap();
    }

    pub(super) fn all(&self) -> wgpu::BindingResource<'_> {
        self.buffer.as_entire_binding()
    }

    pub(super) fn binding(&self, n: usize) -> wgpu::BindingResource<'_> {
        wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &self.buffer,
            offset: self.layout.offset(n),
            size: wgpu::BufferSize::new(self.layout.size),
        })
    }
}

/// Writes blocks in sequence.
pub(super) struct BlockWriter {
    mapped: wgpu::BufferViewMut,
    layout: UniformLayout,
    next: usize,
}

impl BlockWriter {
    /// Writes the next block.
    pub(super) fn push(&mut self, parameters: &[u8], geometry: &GeometryBytes) {
        for (at, part) in self.layout.parts(self.next, parameters, geometry) {
            let at = at as usize;
            self.mapped.slice(at..at + part.len()).copy_from_slice(part);
        }
        self.next += 1;
    }
}
