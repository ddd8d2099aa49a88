//! Host memory on its way to the device and back through a clamp by hand, as a program without this library would send it.

use anyhow::{Context, Result};
use wgpu_clamp::wgpu;

use crate::clock::Dispatch;
use crate::device::Device;
use crate::kernels::by_hand;

/// Bytes of a chunk.
const CHUNK: usize = 16 << 20;

/// Chunks in flight at once.
const LANES: usize = 3;

/// Uploads chunks to staging buffers, clamps them, and downloads them, so that the three overlap.
pub struct Ring {
    device: wgpu::Device,
    queue: wgpu::Queue,
    lanes: Vec<Lane>,
}

/// The buffers of a chunk in flight.
struct Lane {
    upload: wgpu::Buffer,
    data: [wgpu::Buffer; 2],
    clamp: Vec<Dispatch>,
    download: wgpu::Buffer,
    submission: Option<wgpu::SubmissionIndex>,
}

impl Ring {
    /// Makes the buffers, with the upload buffers mapped.
    pub fn new(device: &Device) -> Self {
        let lane = |_| {
            let buffer = |usage, mapped_at_creation| {
                let size = CHUNK as u64;
                let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation };
                device.wgpu().create_buffer(&descriptor)
            };
            let (from, to) = (wgpu::BufferUsages::COPY_SRC, wgpu::BufferUsages::COPY_DST);
            let data = [to, from].map(|usage| buffer(usage | wgpu::BufferUsages::STORAGE, false));
            let clamp = by_hand(CHUNK as u64).dispatches(device, std::slice::from_ref(&data));
            let upload = buffer(wgpu::BufferUsages::MAP_WRITE | from, true);
            let download = buffer(wgpu::BufferUsages::MAP_READ | to, false);
            Lane { upload, data, clamp, download, submission: None }
        };
        let lanes = (0..LANES).map(lane).collect();
        Self { device: device.wgpu().clone(), queue: device.queue().clone(), lanes }
    }

    /// Sends `src`, whole chunks, through the device to `dst`.
    pub fn run(&mut self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        let mut uploads = src.chunks_exact(CHUNK).enumerate();
        for (n, chunk) in uploads.by_ref().take(LANES - 1) {
            self.start(n, chunk)?;
        }
        for (n, chunk) in dst.chunks_exact_mut(CHUNK).enumerate() {
            if let Some((n, chunk)) = uploads.next() {
                self.start(n, chunk)?;
            }
            self.finish(n, chunk)?;
        }
        Ok(())
    }

    fn start(&mut self, n: usize, chunk: &[u8]) -> Result<()> {
        let Lane { upload, data: [src, dst], clamp, download, submission } = &mut self.lanes[n % LANES];
        upload.get_mapped_range_mut(..).context("not mapped")?.copy_from_slice(chunk);
        upload.unmap();
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(upload, 0, src, 0, CHUNK as u64);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for dispatch in clamp.iter() {
            dispatch(&mut pass);
        }
        drop(pass);
        encoder.copy_buffer_to_buffer(dst, 0, download, 0, CHUNK as u64);
        *submission = Some(self.queue.submit([encoder.finish()]));
        upload.map_async(wgpu::MapMode::Write, .., |_| {});
        download.map_async(wgpu::MapMode::Read, .., |_| {});
        Ok(())
    }

    fn finish(&mut self, n: usize, chunk: &mut [u8]) -> Result<()> {
        let Lane { download, submission, .. } = &mut self.lanes[n % LANES];
        let submission_index = submission.take();
        self.device.poll(wgpu::PollType::Wait { submission_index, timeout: None })?;
        chunk.copy_from_slice(&download.get_mapped_range(..).context("not mapped")?);
        download.unmap();
        Ok(())
    }
}
