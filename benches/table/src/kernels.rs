//! Pipelines on bare wgpu, and the kernels that rows are compared with: copies and fills of 16-byte packets.

use std::fmt::Write as _;

use wgpu_clamp::wgpu;

use crate::clock::{Commands, Dispatch, Work};
use crate::data;
use crate::device::Device;

/// The kind of a kernel that moves packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// From each packet of the source to the same of the destination.
    Copy,
    /// From the source's first packet to every packet of the destination.
    Fill,
}

/// A dispatch as plain data: a device runs it, the model counts it. Source and destination are at bindings 1 and 2, as in all
/// kernels.
pub(crate) struct Launch {
    /// The WGSL, with the entry point `main`.
    pub wgsl: String,
    /// The values of overridable constants.
    pub constants: Vec<(&'static str, f64)>,
    /// The contents of the uniform block at binding 0, if there is one.
    pub params: Vec<u8>,
    /// The contents of the table at binding 3, if there is one.
    pub table: Vec<u8>,
    /// Workgroups along x and y.
    pub grid: [u32; 2],
}

impl Launch {
    /// Moves `bytes` bytes, `packets` packets of 16 bytes per invocation.
    pub fn packets(kind: Kind, packets: u32, bytes: u64) -> Self {
        let grid = grid((bytes / 16).div_ceil(256 * u64::from(packets)));
        let (constants, params, table) = (Vec::new(), Vec::new(), Vec::new());
        Self { wgsl: text(kind, packets), constants, params, table, grid }
    }

    /// The dispatches on each pair of source and destination.
    pub fn work(&self, device: &Device, pairs: &[[wgpu::Buffer; 2]]) -> Work {
        let pipeline = pipeline(device, &self.wgsl, None, None, &self.constants);
        let layout = pipeline.get_bind_group_layout(0);
        let params = data::uniform(device.wgpu(), &self.params);
        let table = data::buffer(device, &self.table);
        let dispatches = pairs.iter().map(|[src, dst]| {
            let buffers = [(0, &params), (1, src), (2, dst), (3, &table)];
            let bound = buffers.into_iter().filter(|(_, buffer)| buffer.size() > 0);
            let bound = bound.map(|(binding, buffer)| (binding, buffer.as_entire_binding()));
            dispatch(&pipeline, bind(device.wgpu(), &layout, bound), self.grid)
        });
        Work::Pass(dispatches.collect())
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
