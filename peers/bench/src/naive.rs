//! A WGSL kernel as most programs have it: one f32 per invocation.

use anyhow::{Context, Result};
use clamp_bench::bench::Bench;
use clamp_bench::clock::{Dispatch, Work};
use clamp_bench::data;
use clamp_bench::kernels::{bind, part};
use clamp_bench::row::Goal::Report;
use clamp_bench::row::Row;
use wgpu_clamp::wgpu;

use crate::ours::{BIAS, BOUNDS, Output, SCALE, Step, row};

/// All of them.
///
/// # Errors
///
/// None.
pub fn rows(_: &Bench) -> Result<Vec<Row>> {
    let rows = [64, 256].map(|size| {
        let name = format!("a plain WGSL kernel of {size}");
        let peer = move |bench: &Bench, _: Step, src: &[u8]| peer(bench, size, src);
        row(&name, Step::Affine, [Report; 2], false, Box::new(peer))
    });
    Ok(rows.into())
}

fn peer(bench: &Bench, size: u32, bytes: &[u8]) -> Result<(Work, Output)> {
    let device = &bench.device;
    let pipeline = pipeline(device.wgpu(), size);
    let params = uniform(device.wgpu(), &[SCALE, BIAS, BOUNDS[0], BOUNDS[1]])?;
    let poison = vec![0xa5; bytes.len()];
    let groups = u32::try_from(bytes.len() / 4)?.div_ceil(size);
    // A line of workgroups has an end.
    let x = if groups > 65_535 { groups.isqrt() + 1 } else { groups };
    let mut dispatches: Vec<Dispatch> = Vec::new();
    let mut first = None;
    for _ in 0..bench.sets(bytes.len() as u64) {
        let (src, dst) = (data::buffer(device, bytes)?, data::buffer(device, &poison)?);
        let whole = bytes.len() as u64;
        let resources = [params.as_entire_binding(), part(&src, 0, whole), part(&dst, 0, whole)];
        let (group, pipeline) = (bind(device, &pipeline, &resources), pipeline.clone());
        dispatches.push(Box::new(move |pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(x, groups.div_ceil(x), 1);
        }));
        first = first.or(Some(dst));
    }
    let dst = first.context("no buffers")?;
    let output: Output =
        Box::new(move |bench| Ok(bytemuck::pod_collect_to_vec(&data::read(&bench.device, &dst)?)));
    Ok((Work::Pass(dispatches), output))
}

fn pipeline(device: &wgpu::Device, size: u32) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::include_wgsl!("../shaders/naive.wgsl"));
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &[("WORKGROUP", size.into())],
            ..Default::default()
        },
        cache: None,
    })
}

fn uniform(device: &wgpu::Device, values: &[f32; 4]) -> Result<wgpu::Buffer> {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 16,
        usage: wgpu::BufferUsages::UNIFORM,
        mapped_at_creation: true,
    });
    buffer
        .get_mapped_range_mut(..)
        .context("a new buffer is not mapped")?
        .copy_from_slice(bytemuck::cast_slice(values));
    buffer.unmap();
    Ok(buffer)
}
