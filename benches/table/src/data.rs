//! Random elements, buffers that hold them, and reading them back.

use anyhow::{Context, Result, bail};
use half::{bf16, f16};
use wgpu_clamp::wgpu::util::{BufferInitDescriptor, DeviceExt as _};
use wgpu_clamp::{Clamp, DType, wgpu};

use crate::device::Device;

pub(crate) use clamp_testing::random::Random;

/// Initial byte of every output, so that unwritten elements are noticed.
pub(crate) const POISON: u8 = 0xa5;

/// Elements that fill `bytes` bytes: integers of random bits, floats between −8 and 8.
pub fn random(dtype: DType, bytes: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut data = Vec::with_capacity(bytes + 8);
    while data.len() < bytes {
        match dtype {
            DType::F32 => data.extend((random.number() as f32).to_le_bytes()),
            DType::F64 => data.extend(random.number().to_le_bytes()),
            DType::F16 => data.extend(f16::from_f64(random.number()).to_le_bytes()),
            DType::BF16 => data.extend(bf16::from_f64(random.number()).to_le_bytes()),
            _ => data.extend(random.bits().to_le_bytes()),
        }
    }
    data.truncate(bytes);
    data
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
    }
}

/// Creates a buffer for storage and copies that starts with `bytes`.
pub fn buffer(device: &Device, bytes: &[u8]) -> Result<wgpu::Buffer> {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let size = bytes.len().next_multiple_of(16) as u64;
    let scope = device.wgpu().push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: true };
    let buffer = device.wgpu().create_buffer(&descriptor);
    if let Some(error) = pollster::block_on(scope.pop()) {
        bail!("a buffer of {size} bytes: {error}");
    }
    let mut mapped = buffer.get_mapped_range_mut(..).context("a new buffer is not mapped")?;
    mapped.slice(..bytes.len()).copy_from_slice(bytes);
    drop(mapped);
    buffer.unmap();
    Ok(buffer)
}

/// Creates a uniform buffer.
pub fn uniform(device: &wgpu::Device, contents: &[u8]) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::UNIFORM;
    device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
}

/// Reads a buffer after all submitted work.
pub fn read(device: &Device, buffer: &wgpu::Buffer) -> Result<Vec<u8>> {
    let staging = device.wgpu().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: buffer.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.wgpu().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
    device.queue().submit([encoder.finish()]);
    staging.map_async(wgpu::MapMode::Read, .., |_| {});
    device.wait()?;
    Ok(staging.get_mapped_range(..).context("nothing came back")?.to_vec())
}
