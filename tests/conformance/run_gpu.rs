//! Runs a clamp on the GPU, from the bits of its elements to the bits of the results.

use anyhow::{Result, ensure};
use clamp_testing::harness::{Gpu, buffer, read};
use clamp_testing::random::to_bytes;
use wgpu_clamp::{Layout, MAX_RANK, Number, Operands, Scalar, View, verify};

use crate::judge::Job;

/// Runs the job; also compares the output and every byte around it with the CPU reference.
pub fn run(gpu: &Gpu, Job { clamp, on_host, shape, x }: &Job) -> Result<Vec<u64>> {
    let dtype = clamp.dtype();
    let flat = [x.len()];
    let layout = Layout::packed(if shape.len() > MAX_RANK { &flat } else { shape })?;
    let (src, before) = (to_bytes(dtype, x), to_bytes(dtype, &vec![0x5a5a_5a5a_5a5a_5a5a; x.len()]));
    let (src_buffer, dst_buffer) = (buffer(gpu, &src), buffer(gpu, &before));
    let [min, max] = [on_host.min(), on_host.max()].map(|bound| bound.value().map_or(0, Scalar::bits));
    let slots = buffer(gpu, &to_bytes(dtype, &[0x3c, min, max]));
    let slot = |bound, offset| {
        let layout = (bound == Number::OnGpu).then(|| Layout::packed_at(&[], offset)).transpose();
        layout.map(|layout| layout.map(|layout| View::new(&slots, dtype, layout)))
    };
    let operands =
        Operands::new(View::new(&src_buffer, dtype, layout), View::new(&dst_buffer, dtype, layout))
            .with_min(slot(clamp.min(), 1)?)
            .with_max(slot(clamp.max(), 2)?);
    gpu.host.submit(clamp, operands)?;
    let after = read(gpu, &dst_buffer);
    let buffers = verify::Buffers {
        src_layout: &layout,
        src: &src,
        dst_layout: &layout,
        dst_before: &before,
        dst_after: &after,
    };
    let report = verify::check(on_host, buffers)?;
    ensure!(report.passed(), "{report} ({clamp:?})");
    let elements = after.chunks_exact(dtype.size()).take(x.len());
    Ok(elements.map(|bytes| bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))).collect())
}
