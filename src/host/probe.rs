//! Checks the device's conversions between F16 and f32. The host's half of `probe.wgsl`.

use super::transfer::{USAGES, create, read};
use crate::gpu::scope;
use crate::kernel::WORKGROUP_SIZE;
use crate::shader::Module;
use crate::{Error, F16Conversions, Host};

/// The number of F16s.
const F16S: u32 = 1 << 16;
/// The finite ones.
const FINITE: u32 = 2 * 0x7c00;

impl Host {
    /// Compares the device's conversions between F16 and f32 with integer operations: for every finite F16, every
    /// midpoint of two neighbours and the f32s next to both, of both signs. Assumed is that the conversion to F16 is
    /// monotone in between.
    ///
    /// This changes nothing: [`Clamper::with_f16_conversions`](crate::Clamper::with_f16_conversions) takes the answer.
    /// [`open`](Self::open) calls both. A program with a device of its own calls them once; the check submits one small
    /// dispatch and waits for the result.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] or [`Error::DeviceLost`]. If wgpu refuses the check, the answer is
    /// [`F16Conversions::NotRun`].
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamper, Host, wgpu};
    /// # async fn f(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Host, wgpu_clamp::Error> {
    /// let clamper = Clamper::new(device)?;
    /// let found = Host::new(&clamper, queue).check_f16().await?;
    /// println!("the device's conversions of F16: {found}");
    /// let host = Host::new(&clamper.with_f16_conversions(found), queue);
    /// # Ok(host)
    /// # }
    /// ```
    pub async fn check_f16(&self) -> Result<F16Conversions, Error> {
        let found = match self.count_f16s().await {
            Ok(counts) => judged(counts),
            Err(Error::Wgpu { reason }) => {
                log::debug!("the check of F16 was refused: {reason}");
                F16Conversions::NotRun
            }
            Err(error) => return Err(error),
        };
        log::debug!("conversions of F16 by the device: {found}");
        Ok(found)
    }

    /// The numbers of F16s whose conversions are right, and wrong.
    async fn count_f16s(&self) -> Result<[u32; 2], Error> {
        let (device, limits) = (self.clamper().device(), self.clamper().limits());
        let [width, height] = limits.grid(limits.workgroups().min((F16S / WORKGROUP_SIZE).into()));
        let found = create(self, "probe", 24, USAGES, false)?;
        scope::catch(device, || {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("wgpu-clamp probe"),
                source: wgpu::ShaderSource::Wgsl(Module::Probe.source().into()),
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("wgpu-clamp probe"),
                layout: None,
                module: &module,
                entry_point: Some("probe"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
            let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("wgpu-clamp probe"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[wgpu::BindGroupEntry { binding: 0, resource: found.as_entire_binding() }],
            });
            // `Probe` of the shader.
            let probe = [0, 0, width, width * height * WORKGROUP_SIZE, 1.0_f32.to_bits(), 0.0_f32.to_bits()];
            self.queue().write_buffer(&found, 0, bytemuck::cast_slice(&probe));
            let mut encoder = device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-clamp probe") });
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bind_group, &[]);
            pass.dispatch_workgroups(width, height, 1);
            drop(pass);
            self.queue().submit([encoder.finish()]);
        })?;
        read(self, &found, 8, bytemuck::pod_read_unaligned).await
    }
}

/// The answer for these numbers of F16s. Fewer than all were checked if the dispatch did not run, as on the web where an
/// error reaches only the program.
fn judged([right, wrong]: [u32; 2]) -> F16Conversions {
    match right.checked_add(wrong) {
        Some(FINITE) if wrong == 0 => F16Conversions::Right,
        Some(FINITE) => F16Conversions::Wrong,
        _ => F16Conversions::NotRun,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_needs_all_f16s() {
        use F16Conversions::{NotRun, Right, Wrong};
        for (counts, expected) in [
            ([FINITE, 0], Right),
            ([FINITE - 1, 1], Wrong),
            ([0, FINITE], Wrong),
            ([0, 0], NotRun),
            ([FINITE - 1, 0], NotRun),
            ([FINITE + 1, 0], NotRun),
            ([u32::MAX, FINITE + 1], NotRun),
        ] {
            assert_eq!(judged(counts), expected, "{counts:?}");
        }
    }
}
