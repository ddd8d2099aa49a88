//! Adapters and buffers. Every test program that needs a GPU includes this file.

use std::io::Write as _;
use std::sync::OnceLock;

use wgpu_clamp::{Clamper, DType, Host, wgpu};

/// A device with `Limits::downlevel_defaults()` and no feature.
pub struct Gpu {
    pub name: String,
    pub adapter: wgpu::Adapter,
    pub host: Host,
}

impl Gpu {
    pub fn device(&self) -> &wgpu::Device {
        self.clamper().device()
    }

    pub fn clamper(&self) -> &Clamper {
        self.host.clamper()
    }
}

/// One per adapter. Panics if there is none, or a required backend is missing.
pub fn gpus() -> &'static [Gpu] {
    static GPUS: OnceLock<Vec<Gpu>> = OnceLock::new();
    GPUS.get_or_init(|| pollster::block_on(open_all()))
}

#[expect(clippy::explicit_write, reason = "the test runner swallows what `println` writes")]
async fn open_all() -> Vec<Gpu> {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let backends = descriptor.backends;
    let wanted = std::env::var("WGPU_ADAPTER_NAME").unwrap_or_default().to_lowercase();
    let mut gpus = Vec::new();
    let mut found = Vec::new();
    for adapter in wgpu::Instance::new(descriptor).enumerate_adapters(backends).await {
        if !adapter.get_info().name.to_lowercase().contains(&wanted) {
            continue;
        }
        let gpu = with_limits(&adapter, wgpu::Limits::downlevel_defaults());
        writeln!(std::io::stdout(), "adapter: {}", gpu.name).unwrap();
        found.push(gpu.adapter.get_info().backend.to_str());
        gpus.push(gpu);
    }
    assert!(!gpus.is_empty(), "no adapter; `cargo xtask test` installs a software driver where it can");
    if let Ok(required) = std::env::var("WGPU_CLAMP_REQUIRE") {
        for backend in required.split(',') {
            assert!(found.contains(&backend), "no adapter for the backend {backend}; found {found:?}");
        }
    }
    gpus
}

/// A device of its own.
pub fn with_limits(adapter: &wgpu::Adapter, required_limits: wgpu::Limits) -> Gpu {
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let host = Host::new(&Clamper::new(&device).unwrap(), &queue);
    Gpu { name: host.adapter(), adapter: adapter.clone(), host }
}

/// The elements' bits as a buffer holds them, whole words long.
pub fn to_bytes(dtype: DType, elements: &[u64]) -> Vec<u8> {
    let size = dtype.size();
    let mut bytes: Vec<u8> = elements.iter().flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect();
    bytes.resize(bytes.len().next_multiple_of(4).max(4), 0);
    bytes
}

pub fn buffer(gpu: &Gpu, bytes: &[u8]) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage,
        mapped_at_creation: true,
    });
    buffer.get_mapped_range_mut(..).unwrap().copy_from_slice(bytes);
    buffer.unmap();
    buffer
}

pub fn read(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<u8> {
    let staging = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: buffer.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
    gpu.host.queue().submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
    gpu.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let mapped = staging.get_mapped_range(..).unwrap();
    mapped.to_vec()
}
