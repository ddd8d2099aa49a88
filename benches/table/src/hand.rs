//! Clamps of f32 on bare wgpu, written by hand as a program without this library would, and host memory on its way to the
//! device and back.

use anyhow::{Context, Result};
use wgpu_clamp::wgpu;

use crate::data;
use crate::device::Device;
use crate::kernels;

/// The pipeline of the clamp.
pub struct Hand {
    device: wgpu::Device,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl Hand {
    /// Compiles the pipeline.
    pub fn new(device: &Device) -> Self {
        let pipeline = kernels::pipeline(device, include_str!("../shaders/hand.wgsl"), None, None, &[]);
        let layout = pipeline.get_bind_group_layout(0);
        Self { device: device.wgpu().clone(), pipeline, layout }
    }

    /// Writes the bounds into a uniform buffer and makes the bind group for source and destination.
    pub fn bind(&self, [src, dst]: [wgpu::BindingResource<'_>; 2]) -> wgpu::BindGroup {
        let params = data::uniform(&self.device, bytemuck::bytes_of(&[-4.1_f32, 3.9]));
        let resources = [params.as_entire_binding(), src, dst];
        kernels::bind(&self.device, &self.layout, (0..).zip(resources))
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

/// Bytes of a chunk.
const CHUNK: usize = 16 << 20;

/// Chunks in flight at once.
const LANES: usize = 3;

/// Uploads chunks to staging buffers, clamps them, and downloads them, so that the three overlap.
pub struct Ring {
    hand: Hand,
    queue: wgpu::Queue,
    lanes: Vec<Lane>,
}

/// The buffers of a chunk in flight.
struct Lane {
    upload: wgpu::Buffer,
    data: wgpu::Buffer,
    clamped: wgpu::Buffer,
    group: wgpu::BindGroup,
    download: wgpu::Buffer,
    submission: Option<wgpu::SubmissionIndex>,
}

impl Ring {
    /// Makes the buffers, with the upload buffers mapped.
    pub fn new(device: &Device) -> Self {
        let hand = Hand::new(device);
        let lane = |_| {
            let buffer = |usage, mapped_at_creation| {
                let size = CHUNK as u64;
                hand.device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size,
                    usage,
                    mapped_at_creation,
                })
            };
            let (from, to) = (wgpu::BufferUsages::COPY_SRC, wgpu::BufferUsages::COPY_DST);
            let data = buffer(to | wgpu::BufferUsages::STORAGE, false);
            let clamped = buffer(from | wgpu::BufferUsages::STORAGE, false);
            let group = hand.bind([data.as_entire_binding(), clamped.as_entire_binding()]);
            let upload = buffer(wgpu::BufferUsages::MAP_WRITE | from, true);
            let download = buffer(wgpu::BufferUsages::MAP_READ | to, false);
            Lane { upload, data, clamped, group, download, submission: None }
        };
        let lanes = (0..LANES).map(lane).collect();
        Self { hand, queue: device.queue().clone(), lanes }
    }

    /// Sends `src` through the device to `dst`.
    pub fn run(&mut self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        let mut uploads = src.chunks(CHUNK).enumerate();
        for (n, chunk) in uploads.by_ref().take(LANES - 1) {
            self.start(n, chunk)?;
        }
        for (n, chunk) in dst.chunks_mut(CHUNK).enumerate() {
            if let Some((n, chunk)) = uploads.next() {
                self.start(n, chunk)?;
            }
            self.finish(n, chunk)?;
        }
        Ok(())
    }

    fn start(&mut self, n: usize, chunk: &[u8]) -> Result<()> {
        let Lane { upload, data, clamped, group, download, submission } = &mut self.lanes[n % LANES];
        let bytes = chunk.len() as u64;
        upload.get_mapped_range_mut(..bytes).context("not mapped")?.copy_from_slice(chunk);
        upload.unmap();
        let mut encoder = self.hand.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(upload, 0, data, 0, bytes);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        self.hand.record(&mut pass, std::slice::from_ref(group), bytes);
        drop(pass);
        encoder.copy_buffer_to_buffer(clamped, 0, download, 0, bytes);
        *submission = Some(self.queue.submit([encoder.finish()]));
        upload.map_async(wgpu::MapMode::Write, .., |_| {});
        download.map_async(wgpu::MapMode::Read, .., |_| {});
        Ok(())
    }

    fn finish(&mut self, n: usize, chunk: &mut [u8]) -> Result<()> {
        let Lane { download, submission, .. } = &mut self.lanes[n % LANES];
        let submission_index = submission.take();
        self.hand.device.poll(wgpu::PollType::Wait { submission_index, timeout: None })?;
        chunk.copy_from_slice(&download.get_mapped_range(..chunk.len() as u64).context("not mapped")?);
        download.unmap();
        Ok(())
    }
}
