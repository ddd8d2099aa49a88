//! Runs programs on the device of this machine.

use std::sync::OnceLock;

use clamp_testing::harness::{Gpu, gpus, read, with_limits};
use wgpu::util::DeviceExt as _;

use crate::program::Program;

/// The device of all tests.
fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| {
        let gpu = gpus().find(|gpu| gpu.adapter.get_info().backend == wgpu::Backend::Vulkan);
        let adapter =
            &gpu.expect("no Vulkan; `cargo xtask drivers` installs a software driver where it can").adapter;
        with_limits(adapter, adapter.limits())
    })
}

/// The bytes of all resources after one dispatch.
pub fn run(program: &Program) -> Vec<Vec<u8>> {
    let gpu = gpu();
    let device = gpu.device();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(program.wgsl.as_str().into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some(program.entry_point),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &program.constants,
            ..wgpu::PipelineCompilationOptions::default()
        },
        cache: None,
    });
    let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let buffers = program.resources.iter().map(|resource| {
        let contents = &resource.bytes;
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: None, contents, usage })
    });
    let buffers: Vec<_> = buffers.collect();

    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    for group in 0..=program.resources.iter().map(|resource| resource.group).max().unwrap_or(0) {
        let resources = program.resources.iter().zip(&buffers).filter(|(one, _)| one.group == group);
        let entries = resources.map(|(one, buffer)| wgpu::BindGroupEntry {
            binding: one.binding,
            resource: buffer.as_entire_binding(),
        });
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(group),
            entries: &entries.collect::<Vec<_>>(),
        });
        pass.set_bind_group(group, &bind_group, &[]);
    }
    let [x, y, z] = program.grid;
    pass.dispatch_workgroups(x, y, z);
    drop(pass);
    gpu.host.queue().submit([encoder.finish()]);
    buffers.iter().map(|buffer| read(gpu, buffer)).collect()
}
