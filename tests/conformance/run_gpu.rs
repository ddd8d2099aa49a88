//! Runs a clamp on the GPU, from the bits of its elements to the bits of the results.

use wgpu_clamp::{Layout, MAX_RANK, Number, Operands, View, verify};

use crate::harness::{Gpu, buffer, read};
use crate::judge::Job;
use crate::random::to_bytes;

/// Runs the job; also compares the output and every byte around it with the CPU reference.
pub fn run(gpu: &Gpu, job: &Job) -> Result<Vec<u64>, String> {
    let dtype = job.clamp.dtype();
    let shape = if job.shape.len() > MAX_RANK { &[job.x.len()] } else { job.shape };
    let layout = Layout::packed(shape).map_err(|error| error.to_string())?;
    let (src, before) = (to_bytes(dtype, job.x), to_bytes(dtype, &vec![0x5a5a_5a5a_5a5a_5a5a; job.x.len()]));
    let (src_buffer, dst_buffer) = (buffer(gpu, &src), buffer(gpu, &before));
    let [min, max] = job.slots;
    let slots = buffer(gpu, &to_bytes(dtype, &[0x3c, min, max]));
    let slot = |bound, offset| match bound {
        Number::OnGpu => Layout::packed_at(&[], offset).map(|layout| Some(View::new(&slots, dtype, layout))),
        _ => Ok(None),
    };
    let operands =
        Operands::new(View::new(&src_buffer, dtype, layout), View::new(&dst_buffer, dtype, layout))
            .with_min(slot(job.clamp.min(), 1).map_err(|error| error.to_string())?)
            .with_max(slot(job.clamp.max(), 2).map_err(|error| error.to_string())?);
    let described = |error: &dyn std::fmt::Display| format!("{error} ({:?} on {})", job.clamp, gpu.name);
    gpu.host.submit(&job.clamp, operands).map_err(|error| described(&error))?;
    let after = read(gpu, &dst_buffer);
    let report = verify::check(
        &job.on_host,
        verify::Buffers {
            src_layout: &layout,
            src: &src,
            dst_layout: &layout,
            dst_before: &before,
            dst_after: &after,
        },
    )
    .map_err(|error| described(&error))?;
    if !report.passed() {
        return Err(described(&report));
    }
    let elements = after.chunks_exact(dtype.size()).take(job.x.len());
    Ok(elements.map(|bytes| bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))).collect())
}
