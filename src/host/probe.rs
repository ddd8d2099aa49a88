//! Checks the device's conversions between F16 and f32. The host's half of `probe.wgsl`.

use super::transfer::{USAGES, create, read};
use crate::gpu::scope;
use crate::kernel::WORKGROUP_SIZE;
use crate::shader::Module;
use crate::{Error, Host};

/// The number of F16s, one per invocation.
const F16S: u32 = 1 << 16;
/// The finite ones.
const FINITE: u32 = 2 * 0x7c00;

impl Host {
    /// Compares the device's conversions between F16 and f32 with integer operations: for every finite F16, every
    /// midpoint of two neighbours and the f32s next to both, of both signs. If all are equal, clamps that this host's
    /// clamper or a clone of it prepares from then on use these instructions, which make F16 as fast as F32 on many
    /// GPUs; their results stay the same. Returns whether all are equal. Assumed is that the conversion to F16 is
    /// monotone in between.
    ///
    /// [`open`](Self::open) does this. A program with a device of its own calls it once; it submits one small dispatch
    /// and waits for the result.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] or [`Error::DeviceLost`]. A device that refuses the check has no such conversions.
    ///
    /// ```no_run
    /// # use wgpu_clamp::{Clamper, Host, wgpu};
    /// # async fn f(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<(), wgpu_clamp::Error> {
    /// let clamper = Clamper::new(device)?;
    /// let right = Host::new(&clamper, queue).check_f16().await?;
    /// assert_eq!(clamper.limits().f16_conversions, right);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn check_f16(&self) -> Result<bool, Error> {
        let right = match self.count_right_f16s().await {
            Ok(count) => count == FINITE,
            Err(Error::Wgpu { reason }) => {
                log::debug!("the check of F16 was refused: {reason}");
                false
            }
            Err(error) => return Err(error),
        };
        log::debug!("conversions of F16 by the device: {}", if right { "right" } else { "not right" });
        self.clamper().set_f16_conversions(right);
        Ok(right)
    }

    /// The number of F16s whose conversions are right.
    async fn count_right_f16s(&self) -> Result<u32, Error> {
        let device = self.clamper().device();
        let found = create(self, "probe", 16, USAGES, false)?;
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
            self.queue().write_buffer(&found, 0, bytemuck::cast_slice(&[0.0_f32, 1.0, 0.0]));
            let mut encoder = device
                .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("wgpu-clamp probe") });
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &bind_group, &[]);
            pass.dispatch_workgroups(F16S / WORKGROUP_SIZE, 1, 1);
            drop(pass);
            self.queue().submit([encoder.finish()]);
        })?;
        read(self, &found, 4, bytemuck::pod_read_unaligned).await
    }
}
