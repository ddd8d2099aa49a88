//! Baselines: the plainest kernels that move bytes, written by hand for wgpu.

use std::fmt::Write as _;

use wgpu_clamp::wgpu;

use crate::clock::{Commands, Dispatch, Work};
use crate::device::Device;
use crate::row::Rival;

/// The kind of a kernel that moves packets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Copy,
    /// Stores the source's first packet to every packet of the destination.
    Fill,
}

/// A kernel that moves packets of 16 bytes.
pub(crate) struct Packets {
    name: String,
    pipeline: wgpu::ComputePipeline,
    per_workgroup: u32,
}

impl Packets {
    /// Compiles a kernel that moves `packets` packets per invocation.
    pub fn new(device: &Device, kind: Kind, packets: u32) -> Self {
        let name = if kind == Kind::Copy { "copy" } else { "fill" };
        Self {
            name: format!("{name} kernel ×{packets}"),
            pipeline: pipeline(device, &text(kind, packets), &[]),
            per_workgroup: 256 * packets,
        }
    }

    /// The kernel's work as a rival of a row.
    pub fn rival(&self, device: &Device, bytes: u64, pairs: &[[wgpu::Buffer; 2]]) -> Rival {
        Rival { name: self.name.clone(), work: self.work(device, bytes, pairs) }
    }

    /// Runs the kernel on the first `bytes` bytes of each pair of source and destination. A pair takes one dispatch,
    /// or one per part that fits a binding.
    pub fn work(&self, device: &Device, bytes: u64, pairs: &[[wgpu::Buffer; 2]]) -> Work {
        // A multiple of 256, so that every part begins at an offset that a binding can have.
        let most = device.wgpu().limits().max_storage_buffer_binding_size / 256 * 256;
        let dispatches = pairs.iter().map(|pair| {
            let bytes = pair.iter().map(wgpu::Buffer::size).min().unwrap_or(0).min(bytes);
            let parts = (0..bytes.div_ceil(most)).map(|n| {
                let size = (bytes - n * most).min(most) / 16 * 16;
                let resources = pair.each_ref().map(|buffer| part(buffer, n * most, size));
                let grid = grid((size / 16).div_ceil(self.per_workgroup.into()));
                (bind(device, &self.pipeline, &resources), grid)
            });
            dispatch(&self.pipeline, parts.collect())
        });
        Work::Pass(dispatches.collect())
    }
}

/// The WGSL of a copy or a fill, with all loads before any store.
pub(crate) fn text(kind: Kind, packets: u32) -> String {
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
    let main = include_str!("../shaders/packets.wgsl");
    let per_workgroup = 256 * packets;
    format!(
        "{main}const PER_WORKGROUP = {per_workgroup}u;\n\
         fn move_packets(first: u32, count: u32) {{\n{loads}{stores}}}\n"
    )
}

/// A pipeline of a module with one entry point, with these values of its overridable constants.
pub fn pipeline(device: &Device, source: &str, constants: &[(&str, f64)]) -> wgpu::ComputePipeline {
    pipeline_at(device, source, None, None, constants)
}

/// As [`pipeline`], of one of several entry points, with a layout that is not the module's own.
pub(crate) fn pipeline_at(
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

/// A bind group with the resources at bindings 0, 1, … of group 0.
pub fn bind(
    device: &Device,
    pipeline: &wgpu::ComputePipeline,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let resources = resources.iter().cloned().zip(0..);
    let entries: Vec<_> =
        resources.map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource }).collect();
    device.wgpu().create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    })
}

/// Runs a pipeline once per bind group, each on its own grid.
pub fn dispatch(pipeline: &wgpu::ComputePipeline, groups: Vec<(wgpu::BindGroup, [u32; 2])>) -> Dispatch {
    let pipeline = pipeline.clone();
    Box::new(move |pass| {
        pass.set_pipeline(&pipeline);
        for (group, [x, y]) in &groups {
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(*x, *y, 1);
        }
    })
}

/// A binding of a part of a buffer; offset and size in bytes.
pub fn part(buffer: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::BindingResource<'_> {
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
    let copies = pairs.iter().map(|[src, dst]| {
        let (src, dst) = (src.clone(), dst.clone());
        Box::new(move |encoder: &mut wgpu::CommandEncoder| {
            encoder.copy_buffer_to_buffer(&src, 0, &dst, 0, bytes);
        }) as Commands
    });
    Work::Encoder(copies.collect())
}
