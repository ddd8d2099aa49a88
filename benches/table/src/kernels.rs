//! Pipelines on bare wgpu, and the kernels that rows are compared with: copies and fills of 16-byte packets.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use wgpu_clamp::wgpu;

use crate::clock::{Commands, Dispatch, Work};
use crate::device::Device;

/// The kind of a kernel that moves packets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// From each packet of the source to the same of the destination.
    Copy,
    /// From the source's first packet to every packet of the destination.
    Fill,
}

/// A kernel that moves packets of 16 bytes.
pub(crate) struct Packets {
    pub name: String,
    pipeline: wgpu::ComputePipeline,
    per_workgroup: u32,
}

impl Packets {
    /// Compiles a kernel that moves `packets` packets per invocation.
    pub fn new(device: &Device, kind: Kind, packets: u32) -> Self {
        let name = if kind == Kind::Copy { "copy" } else { "fill" };
        Self {
            name: format!("{name} kernel ×{packets}"),
            pipeline: pipeline(device, &text(kind, packets), None, None, &[]),
            per_workgroup: 256 * packets,
        }
    }

    /// Runs the kernel on the first `bytes` bytes of each pair of source and destination.
    pub fn work(&self, device: &Device, bytes: u64, pairs: &[[wgpu::Buffer; 2]]) -> Result<Work> {
        let most = device.wgpu().limits().max_storage_buffer_binding_size;
        ensure!(bytes <= most, "a copy of {bytes} bytes exceeds the device's bindings of {most}");
        let packets = bytes / 16;
        let layout = self.pipeline.get_bind_group_layout(0);
        let dispatches = pairs.iter().map(|pair| {
            let resources = pair.each_ref().map(|buffer| part(buffer, 0, 16 * packets));
            let group = bind(device.wgpu(), &layout, (1..).zip(resources));
            dispatch(&self.pipeline, group, grid(packets.div_ceil(self.per_workgroup.into())))
        });
        Ok(Work::Pass(dispatches.collect()))
    }
}

/// The WGSL of a copy or a fill, with all loads before any store. Source and destination are at bindings 1 and 2, as in all
/// kernels.
pub fn text(kind: Kind, packets: u32) -> String {
    // Past the end, the invocation's first packet is moved again.
    let place = |n: u32| match 256 * n {
        0 => "first".to_owned(),
        far => format!("select(first, first + {far}u, first + {far}u < count)"),
    };
    let (mut loads, mut stores) = (String::new(), String::new());
    for n in 0..packets {
        let (x, from) = match kind {
            Kind::Copy => (n, place(n)),
            Kind::Fill => (0, "0".to_owned()),
        };
        if x == n {
            let _ = writeln!(loads, "let x{x} = src[{from}];");
        }
        let _ = writeln!(stores, "dst[{}] = x{x};", place(n));
    }
    include_str!("../shaders/packets.wgsl")
        .replace("PER_WORKGROUP", &format!("{}u", 256 * packets))
        .replace("// Loads, then stores.", &format!("{loads}{stores}"))
}

/// A pipeline of a module, with these values of its overridable constants: of its only entry point and with its own layout,
/// or of these.
pub(crate) fn pipeline(
    device: &Device,
    source: &str,
    entry_point: Option<&str>,
    layout: Option<&wgpu::PipelineLayout>,
    constants: &[(&str, f64)],
) -> wgpu::ComputePipeline {
    let module = device.wgpu().create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    device.wgpu().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout,
        module: &module,
        entry_point,
        // As the library compiles: no kernel loads workgroup memory before it stores it.
        compilation_options: wgpu::PipelineCompilationOptions {
            constants,
            zero_initialize_workgroup_memory: false,
        },
        cache: None,
    })
}

/// A bind group with each resource at its binding.
pub(crate) fn bind<'a>(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    resources: impl IntoIterator<Item = (u32, wgpu::BindingResource<'a>)>,
) -> wgpu::BindGroup {
    let entry = |(binding, resource)| wgpu::BindGroupEntry { binding, resource };
    let entries: Vec<_> = resources.into_iter().map(entry).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}

/// Runs a pipeline.
pub(crate) fn dispatch(
    pipeline: &wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    [x, y]: [u32; 2],
) -> Dispatch {
    let pipeline = pipeline.clone();
    Box::new(move |pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(x, y, 1);
    })
}

/// A binding of a part of a buffer; offset and size in bytes.
pub(crate) fn part(buffer: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::BindingResource<'_> {
    let size = wgpu::BufferSize::new(bytes);
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size })
}

/// A grid of at least `workgroups` workgroups: a line, or nearly a square if a line would be too long.
pub fn grid(workgroups: u64) -> [u32; 2] {
    if workgroups <= 65_535 {
        return [workgroups as u32, 1];
    }
    let x = workgroups.isqrt() + 1;
    [x as u32, workgroups.div_ceil(x) as u32]
}

/// wgpu's own copy of the first `bytes` bytes of each pair.
pub(crate) fn buffer_to_buffer(bytes: u64, pairs: &[[wgpu::Buffer; 2]]) -> Work {
    let copy = |[src, dst]: [wgpu::Buffer; 2]| -> Commands {
        Box::new(move |encoder| encoder.copy_buffer_to_buffer(&src, 0, &dst, 0, bytes / 16 * 16))
    };
    Work::Encoder(pairs.iter().cloned().map(copy).collect())
}
