//! A WGSL kernel as most programs have it: one f32 per invocation.

use anyhow::{Context, Result};
use clamp_bench::bench::Bench;
use clamp_bench::clock::Work;
use clamp_bench::data;
use clamp_bench::kernels::{bind, dispatch, grid, part, pipeline};
use clamp_bench::row::Goal::Report;
use clamp_bench::row::Row;

use crate::ours::{BIAS, BOUNDS, Output, SCALE, Step, row};

/// The rows of the kernel.
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
    let constants = [("WORKGROUP", size.into())];
    let pipeline = pipeline(device, include_str!("../shaders/naive.wgsl"), &constants);
    let params = data::uniform(device.wgpu(), bytemuck::bytes_of(&[SCALE, BIAS, BOUNDS[0], BOUNDS[1]]));
    let (poison, whole) = (vec![0xa5; bytes.len()], bytes.len() as u64);
    let grid = grid((whole / 4).div_ceil(size.into()));
    let (mut dispatches, mut first) = (Vec::new(), None);
    for _ in 0..bench.sets(whole) {
        let (src, dst) = (data::buffer(device, bytes)?, data::buffer(device, &poison)?);
        let resources = [params.as_entire_binding(), part(&src, 0, whole), part(&dst, 0, whole)];
        dispatches.push(dispatch(&pipeline, vec![(bind(device, &pipeline, &resources), grid)]));
        first = first.or(Some(dst));
    }
    let dst = first.context("no buffers")?;
    let output: Output =
        Box::new(move |bench| Ok(bytemuck::pod_collect_to_vec(&data::read(&bench.device, &dst)?)));
    Ok((Work::Pass(dispatches), output))
}
