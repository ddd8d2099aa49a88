//! Moves host memory to the device and back, without a kernel or with one written by hand, as a rival of `clamp_slice`.

use anyhow::{Context, Result};
use wgpu_clamp::wgpu;

use crate::device::Device;
use crate::hand::Hand;

/// Bytes of a chunk.
const CHUNK: usize = 16 << 20;

/// Chunks in flight at once.
const LANES: usize = 3;

/// The path of bytes to the device and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Staging buffers: a copy to the device and a copy back.
    Staging,
    /// Staging buffers, with a clamp on the device between the two copies.
    Clamped,
    /// One buffer that host and device share: no copy on the device. Needs `MAPPABLE_PRIMARY_BUFFERS`.
    Mapped,
}

/// Buffers for the chunks in flight.
pub struct Ring {
    device: wgpu::Device,
    queue: wgpu::Queue,
    way: Way,
    hand: Hand,
    lanes: Vec<Lane>,
}

struct Lane {
    upload: wgpu::Buffer,
    data: wgpu::Buffer,
    download: wgpu::Buffer,
    /// The buffer for the clamp's result, which is downloaded in place of `data`, and the bind group. None without a
    /// clamp.
    clamp: Option<(wgpu::Buffer, wgpu::BindGroup)>,
    submission: Option<wgpu::SubmissionIndex>,
}

impl Ring {
    /// Makes the buffers, with the upload buffers mapped.
    pub fn new(device: &Device, way: Way) -> Self {
        let hand = Hand::new(device);
        let lanes = (0..LANES).map(|_| Lane::new(device.wgpu(), way, &hand)).collect();
        Self { device: device.wgpu().clone(), queue: device.queue().clone(), way, hand, lanes }
    }

    /// Sends `src` through the device to `dst`, in chunks whose transfers overlap.
    pub fn run(&mut self, src: &[u8], dst: &mut [u8]) -> Result<()> {
        let mut next = 0;
        let mut done = 0;
        while done < src.len() {
            while next < src.len() && next - done < CHUNK * LANES {
                let end = src.len().min(next + CHUNK);
                self.start(next / CHUNK % LANES, &src[next..end])?;
                next = end;
            }
            let end = src.len().min(done + CHUNK);
            self.finish(done / CHUNK % LANES, &mut dst[done..end])?;
            done = end;
        }
        Ok(())
    }

    fn start(&mut self, lane: usize, chunk: &[u8]) -> Result<()> {
        let lane = &mut self.lanes[lane];
        let bytes = chunk.len() as u64;
        lane.upload.get_mapped_range_mut(..bytes).context("not mapped")?.copy_from_slice(chunk);
        lane.upload.unmap();
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if self.way != Way::Mapped {
            encoder.copy_buffer_to_buffer(&lane.upload, 0, &lane.data, 0, bytes);
            if let Some((_, group)) = &lane.clamp {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                self.hand.record(&mut pass, std::slice::from_ref(group), bytes);
            }
            let result = lane.clamp.as_ref().map_or(&lane.data, |(clamped, _)| clamped);
            encoder.copy_buffer_to_buffer(result, 0, &lane.download, 0, bytes);
        }
        lane.submission = Some(self.queue.submit([encoder.finish()]));
        // A mapped lane has one buffer. `finish` maps it for the next chunk after reading this one.
        if self.way != Way::Mapped {
            lane.upload.map_async(wgpu::MapMode::Write, .., |_| {});
        }
        lane.download.map_async(wgpu::MapMode::Read, .., |_| {});
        Ok(())
    }

    fn finish(&mut self, lane: usize, chunk: &mut [u8]) -> Result<()> {
        let lane = &mut self.lanes[lane];
        let submission_index = lane.submission.take();
        self.device.poll(wgpu::PollType::Wait { submission_index, timeout: None })?;
        chunk.copy_from_slice(&lane.download.get_mapped_range(..chunk.len() as u64).context("not mapped")?);
        lane.download.unmap();
        if self.way == Way::Mapped {
            lane.upload.map_async(wgpu::MapMode::Write, .., |_| {});
            self.device.poll(wgpu::PollType::Poll)?;
        }
        Ok(())
    }
}

impl Lane {
    fn new(device: &wgpu::Device, way: Way, hand: &Hand) -> Self {
        let buffer = |usage, mapped_at_creation| {
            let size = CHUNK as u64;
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation })
        };
        let (write, read) = (wgpu::BufferUsages::MAP_WRITE, wgpu::BufferUsages::MAP_READ);
        let (from, to) = (wgpu::BufferUsages::COPY_SRC, wgpu::BufferUsages::COPY_DST);
        let storage = wgpu::BufferUsages::STORAGE;
        if way == Way::Mapped {
            let shared = buffer(write | read | storage, true);
            let [upload, data, download] = [shared.clone(), shared.clone(), shared];
            return Self { upload, data, download, clamp: None, submission: None };
        }
        let data = buffer(from | to | storage, false);
        let clamp = (way == Way::Clamped).then(|| {
            let clamped = buffer(from | storage, false);
            let group = hand.bind(device, data.as_entire_binding(), clamped.as_entire_binding());
            (clamped, group)
        });
        let (upload, download) = (buffer(write | from, true), buffer(read | to, false));
        Self { upload, data, download, clamp, submission: None }
    }
}
