//! Runs programs on the device of this machine.

use std::sync::OnceLock;

use wgpu::util::DeviceExt as _;

use crate::program::{Program, Space};

/// The device of all tests.
fn device() -> &'static (wgpu::Device, wgpu::Queue) {
    static DEVICE: OnceLock<(wgpu::Device, wgpu::Queue)> = OnceLock::new();
    DEVICE.get_or_init(|| {
        let backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends,
            ..wgpu::InstanceDescriptor::new_without_display_handle_from_env()
        });
        let wanted = std::env::var("WGPU_ADAPTER_NAME").unwrap_or_default().to_lowercase();
        let adapters = pollster::block_on(instance.enumerate_adapters(backends));
        let adapter = adapters.iter().find(|one| one.get_info().name.to_lowercase().contains(&wanted));
        let adapter =
            adapter.expect("no Vulkan; `cargo xtask drivers` installs a software driver where it can");
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: adapter.limits(), ..wgpu::DeviceDescriptor::default() };
        pollster::block_on(adapter.request_device(&descriptor)).unwrap()
    })
}

/// The bytes of all resources after one dispatch.
pub fn run(program: &Program) -> Vec<Vec<u8>> {
    let (device, queue) = device();
    let buffers: Vec<_> = program
        .resources
        .iter()
        .map(|resource| {
            let kind = match resource.space {
                Space::Uniform => wgpu::BufferUsages::UNIFORM,
                Space::Read | Space::ReadWrite => wgpu::BufferUsages::STORAGE,
            };
            device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: None,
                contents: &resource.bytes,
                usage: kind | wgpu::BufferUsages::COPY_SRC,
            })
        })
        .collect();
    let (pipeline, groups) = bind(device, program, &buffers);

    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        for (group, index) in groups.iter().zip(0..) {
            pass.set_bind_group(index, group, &[]);
        }
        let [x, y, z] = program.grid;
        pass.dispatch_workgroups(x, y, z);
    }
    let readbacks: Vec<_> = buffers
        .iter()
        .map(|buffer| {
            let readback = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: buffer.size(),
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            });
            encoder.copy_buffer_to_buffer(buffer, 0, &readback, 0, buffer.size());
            readback
        })
        .collect();
    queue.submit([encoder.finish()]);
    for readback in &readbacks {
        readback.map_async(wgpu::MapMode::Read, .., |_| ());
    }
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    readbacks.iter().map(|readback| readback.get_mapped_range(..).unwrap().to_vec()).collect()
}

fn bind(
    device: &wgpu::Device,
    program: &Program,
    buffers: &[wgpu::Buffer],
) -> (wgpu::ComputePipeline, Vec<wgpu::BindGroup>) {
    let last = program.resources.iter().map(|resource| resource.group).max().unwrap_or(0);
    let in_group =
        |group| program.resources.iter().zip(buffers).filter(move |(resource, _)| resource.group == group);
    let layouts: Vec<_> = (0..=last)
        .map(|group| {
            let entry = |space, binding| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match space {
                        Space::Uniform => wgpu::BufferBindingType::Uniform,
                        Space::Read => wgpu::BufferBindingType::Storage { read_only: true },
                        Space::ReadWrite => wgpu::BufferBindingType::Storage { read_only: false },
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            };
            let entries: Vec<_> = in_group(group).map(|(one, _)| entry(one.space, one.binding)).collect();
            let label = None;
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries })
        })
        .collect();
    let groups = layouts.iter().zip(0..).map(|(layout, group)| {
        let entries = in_group(group).map(|(one, buffer)| wgpu::BindGroupEntry {
            binding: one.binding,
            resource: buffer.as_entire_binding(),
        });
        let entries: Vec<_> = entries.collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    });
    let groups = groups.collect();

    let bind_group_layouts: Vec<_> = layouts.iter().map(Some).collect();
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &bind_group_layouts,
        ..wgpu::PipelineLayoutDescriptor::default()
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(program.wgsl.as_str().into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module: &module,
        entry_point: Some(program.entry_point),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &program.constants,
            ..wgpu::PipelineCompilationOptions::default()
        },
        cache: None,
    });
    (pipeline, groups)
}
