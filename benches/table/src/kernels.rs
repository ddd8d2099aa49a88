//! Baselines: the plainest kernels that move bytes, written by hand for wgpu.

use wgpu_clamp::wgpu;

use crate::clock::{Commands, Dispatch, Work};
use crate::device::Device;
use crate::row::Rival;

/// A kernel that moves 16-byte packets.
#[derive(Clone)]
pub struct Packets {
    name: &'static str,
    pipeline: wgpu::ComputePipeline,
    per_workgroup: u64,
}

/// The source of a baseline kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    name: &'static str,
    source: &'static str,
    packets_per_invocation: u64,
}

macro_rules! kind {
    ($file:literal, $name:literal, $packets:literal) => {
        Kind {
            name: $name,
            source: include_str!(concat!("../shaders/", $file, ".wgsl")),
            packets_per_invocation: $packets,
        }
    };
}

/// Copy kernels, the widest last.
pub const COPIES: [Kind; 3] = [
    kind!("copy1", "copy kernel ×1", 1),
    kind!("copy2", "copy kernel ×2", 2),
    kind!("copy4", "copy kernel ×4", 4),
];

/// Fill kernels, the widest last. They store the source's first packet to every packet of the destination.
pub const FILLS: [Kind; 3] = [
    kind!("fill1", "fill kernel ×1", 1),
    kind!("fill4", "fill kernel ×4", 4),
    kind!("fill16", "fill kernel ×16", 16),
];

impl Packets {
    /// Compiles a kernel.
    #[must_use]
    pub fn new(device: &Device, kind: Kind) -> Self {
        Self {
            name: kind.name,
            pipeline: pipeline(device, kind.source),
            per_workgroup: 256 * kind.packets_per_invocation,
        }
    }

    /// The kernel's work as a rival of a row.
    #[must_use]
    pub fn rival(&self, device: &Device, bytes: u64, pairs: &[[wgpu::Buffer; 2]]) -> Rival {
        Rival { name: self.name.to_owned(), work: self.work(device, bytes, pairs) }
    }

    /// Runs the kernel on the first `bytes` bytes of each pair of source and destination. A pair takes one dispatch,
    /// or one per part that fits a binding.
    #[must_use]
    pub fn work(&self, device: &Device, bytes: u64, pairs: &[[wgpu::Buffer; 2]]) -> Work {
        // A multiple of 256, so that every part begins at an offset that a binding can have.
        let most = device.wgpu().limits().max_storage_buffer_binding_size / 256 * 256;
        let dispatches = pairs.iter().map(|pair| {
            let bytes = pair.iter().map(wgpu::Buffer::size).min().unwrap_or(0).min(bytes);
            let parts = (0..bytes.div_ceil(most)).map(|n| {
                let size = (bytes - n * most).min(most) / 16 * 16;
                let [src, dst] = pair.each_ref().map(|buffer| part(buffer, n * most, size));
                let grid = grid((size / 16).div_ceil(self.per_workgroup));
                (bind(device, &self.pipeline, &[src, dst]), grid)
            });
            let parts: Vec<_> = parts.collect();
            let pipeline = self.pipeline.clone();
            Box::new(move |pass: &mut wgpu::ComputePass<'_>| {
                pass.set_pipeline(&pipeline);
                for (bind_group, [x, y]) in &parts {
                    pass.set_bind_group(0, bind_group, &[]);
                    pass.dispatch_workgroups(*x, *y, 1);
                }
            }) as Dispatch
        });
        Work::Pass(dispatches.collect())
    }
}

/// A pipeline of a module with one entry point.
#[must_use]
pub fn pipeline(device: &Device, source: &str) -> wgpu::ComputePipeline {
    pipeline_with(device, source, &[])
}

/// As [`pipeline`], with values for overridable constants.
#[must_use]
pub fn pipeline_with(device: &Device, source: &str, constants: &[(&str, f64)]) -> wgpu::ComputePipeline {
    let module = device.wgpu().create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    device.wgpu().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions { constants, ..Default::default() },
        cache: None,
    })
}

/// A bind group with the resources at bindings 0, 1, … of group 0.
#[must_use]
pub fn bind(
    device: &Device,
    pipeline: &wgpu::ComputePipeline,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let entries: Vec<_> = resources
        .iter()
        .zip(0..)
        .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
        .collect();
    device.wgpu().create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    })
}

/// A binding of a part of a buffer; offset and size in bytes.
#[must_use]
pub fn part(buffer: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::BindingResource<'_> {
    let size = wgpu::BufferSize::new(bytes);
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size })
}

/// A grid of at least `workgroups` workgroups: a line, or nearly a square if a line would be too long.
pub(crate) fn grid(workgroups: u64) -> [u32; 2] {
    if workgroups <= 65_535 {
        return [workgroups as u32, 1];
    }
    let x = workgroups.isqrt() + 1;
    [x as u32, workgroups.div_ceil(x) as u32]
}

/// wgpu's own copy of the first `bytes` bytes of each pair.
#[must_use]
pub fn buffer_to_buffer(bytes: u64, pairs: &[[wgpu::Buffer; 2]]) -> Work {
    let copies = pairs.iter().map(|[src, dst]| {
        let (src, dst) = (src.clone(), dst.clone());
        Box::new(move |encoder: &mut wgpu::CommandEncoder| {
            encoder.copy_buffer_to_buffer(&src, 0, &dst, 0, bytes);
        }) as Commands
    });
    Work::Encoder(copies.collect())
}
