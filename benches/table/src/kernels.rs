//! Kernels as plain data, which a device runs and the model counts; copies and fills of 16-byte packets.

use std::fmt::Write as _;

use wgpu_clamp::plan::{self, BoundBuffer, Recording};
use wgpu_clamp::wgpu;
use wgsl_sanitizer::Binding;

use crate::clock::Dispatch;
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

/// Dispatches, and the contents of the buffers that they bind besides source and destination.
pub(crate) struct Kernels {
    pub launches: Vec<Launch>,
    pub own: Vec<Vec<u8>>,
}

/// A dispatch.
pub(crate) struct Launch {
    pub wgsl: String,
    pub entry_point: &'static str,
    /// The values of overridable constants.
    pub constants: Vec<(&'static str, f64)>,
    /// Workgroups along x and y.
    pub grid: [u32; 2],
    pub bindings: Vec<Binding>,
}

/// The index of the first own buffer in bindings, behind source, destination and four slots.
const OWN: usize = 6;

impl From<Recording> for Kernels {
    fn from(Recording { shaders, buffers, dispatches, .. }: Recording) -> Self {
        let binding = |plan::Binding { binding, buffer, offset, size, .. }| {
            let buffer = match buffer {
                BoundBuffer::Src => 0,
                BoundBuffer::Dst => 1,
                BoundBuffer::Slot(number) => 2 + number,
                BoundBuffer::Own(n) => OWN + n,
                other => unreachable!("{other:?} is new"),
            };
            Binding { group: 0, binding, buffer, offset, size }
        };
        let launch = |one: plan::Dispatch| {
            let plan::Shader { wgsl, entry_point, constants, .. } = shaders[one.shader].clone();
            let bindings = one.bindings.into_iter().map(binding).collect();
            Launch { wgsl, entry_point, constants, grid: one.grid, bindings }
        };
        Self { launches: dispatches.into_iter().map(launch).collect(), own: buffers }
    }
}

impl Kernels {
    /// One dispatch of `main` on a source and a destination of these sizes, at the bindings 1 and 2. `own` may have a
    /// uniform block for binding 0, and behind it a table for binding 3.
    pub fn one(
        wgsl: String,
        constants: Vec<(&'static str, f64)>,
        sizes: [u64; 2],
        own: Vec<Vec<u8>>,
        workgroups: u64,
    ) -> Self {
        let own_sizes = own.iter().map(|bytes| bytes.len() as u64);
        let buffers =
            [(1, 0), (2, 1), (0, OWN), (3, OWN + 1)].into_iter().zip(sizes.into_iter().chain(own_sizes));
        let bind = |((binding, buffer), size)| Binding { group: 0, binding, buffer, offset: 0, size };
        let bindings = buffers.map(bind).collect();
        let launch = Launch { wgsl, entry_point: "main", constants, grid: grid(workgroups), bindings };
        Self { launches: vec![launch], own }
    }

    /// Moves `bytes` bytes, `packets` packets of 16 bytes per invocation.
    pub fn packets(kind: Kind, packets: u32, bytes: u64) -> Self {
        let size = bytes.next_multiple_of(16);
        let workgroups = (bytes / 16).div_ceil(256 * u64::from(packets));
        Self::one(text(kind, packets), Vec::new(), [size; 2], Vec::new(), workgroups)
    }

    /// The dispatches on each pair of source and destination.
    pub fn dispatches(&self, device: &Device, pairs: &[[wgpu::Buffer; 2]]) -> Vec<Dispatch> {
        let own: Vec<_> = self.own.iter().map(|bytes| data::buffer(device.wgpu(), bytes)).collect();
        let pipelines: Vec<_> = self.launches.iter().map(|launch| launch.pipeline(device)).collect();
        let on_pair = |pair: &[wgpu::Buffer; 2]| -> Dispatch {
            let bound = self.launches.iter().zip(&pipelines).map(|(launch, pipeline)| {
                let group = launch.bind(device.wgpu(), &pipeline.get_bind_group_layout(0), pair, &own);
                (pipeline.clone(), group, launch.grid)
            });
            let bound: Vec<_> = bound.collect();
            Box::new(move |pass| {
                for (pipeline, group, [x, y]) in &bound {
                    pass.set_pipeline(pipeline);
                    pass.set_bind_group(0, group, &[]);
                    pass.dispatch_workgroups(*x, *y, 1);
                }
            })
        };
        pairs.iter().map(on_pair).collect()
    }
}

impl Launch {
    pub fn pipeline(&self, device: &Device) -> wgpu::ComputePipeline {
        let source = wgpu::ShaderSource::Wgsl(self.wgsl.as_str().into());
        let module = wgpu::ShaderModuleDescriptor { label: None, source };
        device.wgpu().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &device.wgpu().create_shader_module(module),
            entry_point: Some(self.entry_point),
            // As the library compiles: no kernel loads workgroup memory before it stores it.
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &self.constants,
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        })
    }

    /// The bind group for a source and a destination.
    pub fn bind(
        &self,
        device: &wgpu::Device,
        layout: &wgpu::BindGroupLayout,
        [src, dst]: &[wgpu::Buffer; 2],
        own: &[wgpu::Buffer],
    ) -> wgpu::BindGroup {
        let entry = |one: &Binding| {
            let buffer = match one.buffer {
                0 => src,
                1 => dst,
                n => &own[n - OWN],
            };
            let part =
                wgpu::BufferBinding { buffer, offset: one.offset, size: wgpu::BufferSize::new(one.size) };
            wgpu::BindGroupEntry { binding: one.binding, resource: wgpu::BindingResource::Buffer(part) }
        };
        let entries: Vec<_> = self.bindings.iter().map(entry).collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
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

/// A grid of at least `workgroups` workgroups: a line, or nearly a square if a line would be too long.
pub fn grid(workgroups: u64) -> [u32; 2] {
    if workgroups <= 65_535 {
        return [workgroups as u32, 1];
    }
    let x = workgroups.isqrt() + 1;
    [x as u32, workgroups.div_ceil(x) as u32]
}

/// A clamp of f32 of this many bytes, by the shader `hand.wgsl`: bare wgpu, as a program without this library would write it.
pub(crate) fn by_hand(bytes: u64) -> Kernels {
    let bounds = bytemuck::bytes_of(&[-4.1_f32, 3.9]).to_vec();
    let wgsl = include_str!("../shaders/hand.wgsl").to_owned();
    Kernels::one(wgsl, Vec::new(), [bytes; 2], vec![bounds], bytes.div_ceil(16 * 256))
}
