//! Clamps of f32 on bare wgpu, written by hand as a program without this library would.

use wgpu_clamp::wgpu;

use crate::data;
use crate::device::Device;
use crate::kernels;

/// The pipeline and its bind group layout.
pub struct Hand {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl Hand {
    /// Compiles the pipeline.
    pub fn new(device: &Device) -> Self {
        let pipeline = kernels::pipeline(device, include_str!("../shaders/hand.wgsl"), &[]);
        let layout = pipeline.get_bind_group_layout(0);
        Self { pipeline, layout }
    }

    /// Writes the bounds into a uniform buffer and makes the bind group.
    pub fn bind(
        &self,
        device: &wgpu::Device,
        src: wgpu::BindingResource<'_>,
        dst: wgpu::BindingResource<'_>,
    ) -> wgpu::BindGroup {
        let params = data::uniform(device, bytemuck::bytes_of(&[-4.1_f32, 3.9]));
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: params.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: src },
                wgpu::BindGroupEntry { binding: 2, resource: dst },
            ],
        })
    }

    /// Records one dispatch for each bind group; each buffer has `bytes` bytes.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, groups: &[wgpu::BindGroup], bytes: u64) {
        pass.set_pipeline(&self.pipeline);
        for group in groups {
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(bytes.div_ceil(16 * 256) as u32, 1, 1);
        }
    }
}
