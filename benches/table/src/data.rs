//! Random elements, buffers that hold them, and reading them back.

use std::sync::mpsc;

use anyhow::{Result, bail};
use half::{bf16, f16};
use wgpu_clamp::wgpu::util::{BufferInitDescriptor, DeviceExt as _, DownloadBuffer};
use wgpu_clamp::{Clamp, DType, wgpu};

use crate::device::Device;

use clamp_testing::random::Random;

/// Bytes after which random data repeat, because making them takes longer than all work. A prime number of packets: no
/// layout has a stride of as many bytes.
const PERIOD: usize = 16 * 2_097_143;

/// Elements that fill `bytes` bytes: integers of random bits, floats between −8 and 8. Each call returns the same.
pub fn random(dtype: DType, bytes: usize) -> Vec<u8> {
    let mut random = Random(42);
    let mut data = Vec::with_capacity(bytes + 8);
    while data.len() < bytes.min(PERIOD) {
        match dtype {
            DType::F32 => data.extend((random.number() as f32).to_le_bytes()),
            DType::F64 => data.extend(random.number().to_le_bytes()),
            DType::F16 => data.extend(f16::from_f64(random.number()).to_le_bytes()),
            DType::BF16 => data.extend(bf16::from_f64(random.number()).to_le_bytes()),
            _ => data.extend(random.bits().to_le_bytes()),
        }
    }
    while data.len() < bytes {
        data.extend_from_within(..PERIOD.min(bytes - data.len()));
    }
    data.truncate(bytes);
    data
}

/// A buffer of [`random`] elements. The device copies them from a block that it keeps: an upload takes far longer. Destinations
/// have random bits too, so that unwritten elements are noticed.
pub fn random_buffer(device: &Device, dtype: DType, bytes: usize) -> Result<wgpu::Buffer> {
    let buffer = create(device, bytes)?;
    let (size, period) = (buffer.size(), PERIOD as u64);
    let mut blocks = device.blocks.borrow_mut();
    let is_block = |block: &&(DType, wgpu::Buffer)| block.0 == dtype && block.1.size() >= size.min(period);
    let block = if let Some((_, block)) = blocks.iter().find(is_block) {
        block.clone()
    } else {
        let block = self::buffer(device.wgpu(), &random(dtype, usize::try_from(size.min(period))?));
        blocks.push((dtype, block.clone()));
        block
    };
    let mut encoder = device.wgpu().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for at in (0..size).step_by(PERIOD) {
        encoder.copy_buffer_to_buffer(&block, 0, &buffer, at, period.min(size - at));
    }
    device.queue().submit([encoder.finish()]);
    Ok(buffer)
}

/// Bounds that replace about half of [`random`]'s elements: a quarter each.
pub fn bounds(dtype: DType) -> Clamp {
    match dtype {
        DType::F32 => Clamp::new(-4.1_f32, 3.9),
        DType::F64 => Clamp::new(-4.1_f64, 3.9),
        DType::F16 => Clamp::new(f16::from_f64(-4.1), f16::from_f64(3.9)),
        DType::BF16 => Clamp::new(bf16::from_f64(-4.1), bf16::from_f64(3.9)),
        DType::I8 => Clamp::new(-61_i8, 59),
        DType::I16 => Clamp::new(-16_001_i16, 15_999),
        DType::I32 => Clamp::new(-1_000_000_007_i32, 999_999_937),
        DType::I64 => Clamp::new(i64::MIN / 2 + 7, i64::MAX / 2 - 9),
        DType::U8 => Clamp::new(61_u8, 197),
        DType::U16 => Clamp::new(16_001_u16, 48_999),
        DType::U32 => Clamp::new(1_000_000_007_u32, 3_000_000_019),
        DType::U64 => Clamp::new(u64::MAX / 4 + 7, u64::MAX / 4 * 3 - 9),
        _ => unreachable!("{dtype} has no bounds"),
    }
}

/// The usage of sources and destinations.
const STORAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_SRC).union(wgpu::BufferUsages::COPY_DST);

/// Creates a buffer for storage and copies, of at least `bytes` bytes.
fn create(device: &Device, bytes: usize) -> Result<wgpu::Buffer> {
    let size = bytes.next_multiple_of(16) as u64;
    let scope = device.wgpu().push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let descriptor = wgpu::BufferDescriptor { label: None, size, usage: STORAGE, mapped_at_creation: false };
    let buffer = device.wgpu().create_buffer(&descriptor);
    match pollster::block_on(scope.pop()) {
        Some(error) => bail!("a buffer of {size} bytes: {error}"),
        None => Ok(buffer),
    }
}

/// Creates a buffer that holds `contents`, for storage, copies, or a uniform block.
pub fn buffer(device: &wgpu::Device, contents: &[u8]) -> wgpu::Buffer {
    let usage = STORAGE | wgpu::BufferUsages::UNIFORM;
    device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
}

/// Reads a buffer after all submitted work.
pub fn read(device: &Device, buffer: &wgpu::Buffer) -> Result<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    DownloadBuffer::read_buffer(device.wgpu(), device.queue(), &buffer.slice(..), move |bytes| {
        _ = send.send(bytes);
    });
    device.wait()?;
    Ok(receive.recv()??.to_vec())
}
