//! Random elements, buffers that hold them, and reading them back.

use anyhow::{Context, Result, bail};
use half::{bf16, f16};
use wgpu_clamp::{Clamp, DType, Element, Scalar, wgpu};

use crate::device::Device;

pub use clamp_testing::random::Random;

/// Elements that fill `bytes` bytes: integers of random bits, floats between −8 and 8.
#[must_use]
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
///
/// # Errors
///
/// None: the bounds fit.
pub fn bounds(dtype: DType) -> Result<Clamp> {
    let (min, max) = match dtype {
        DType::F32 => ((-4.1_f32).to_bits64(), 3.9_f32.to_bits64()),
        DType::F64 => ((-4.1_f64).to_bits64(), 3.9_f64.to_bits64()),
        DType::F16 => (f16::from_f64(-4.1).to_bits64(), f16::from_f64(3.9).to_bits64()),
        DType::BF16 => (bf16::from_f64(-4.1).to_bits64(), bf16::from_f64(3.9).to_bits64()),
        DType::I8 => ((-61_i8).to_bits64(), 59_i8.to_bits64()),
        DType::I16 => ((-16_001_i16).to_bits64(), 15_999_i16.to_bits64()),
        DType::I32 => ((-1_000_000_007_i32).to_bits64(), 999_999_937_i32.to_bits64()),
        DType::I64 => ((i64::MIN / 2 + 7).to_bits64(), (i64::MAX / 2 - 9).to_bits64()),
        DType::U8 => (61, 197),
        DType::U16 => (16_001, 48_999),
        DType::U32 => (1_000_000_007, 3_000_000_019),
        DType::U64 => (u64::MAX / 4 + 7, u64::MAX / 4 * 3 - 9),
    };
    Ok(Clamp::unbounded(dtype).with_bounds(Scalar::from_bits(dtype, min)?, Scalar::from_bits(dtype, max)?)?)
}

/// Creates a buffer for storage and copies that starts with `bytes`.
///
/// # Errors
///
/// There is no memory for it.
pub fn buffer(device: &Device, bytes: &[u8]) -> Result<wgpu::Buffer> {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let size = bytes.len().next_multiple_of(16) as u64;
    let scope = device.wgpu().push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let buffer = device.wgpu().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: true,
    });
    if let Some(error) = pollster::block_on(scope.pop()) {
        bail!("a buffer of {size} bytes: {error}");
    }
    let at = ..bytes.len().next_multiple_of(4) as u64;
    let mut padded;
    let whole = if bytes.len().is_multiple_of(4) {
        bytes
    } else {
        padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(4), 0);
        &padded
    };
    buffer.get_mapped_range_mut(at).context("a new buffer is not mapped")?.copy_from_slice(whole);
    buffer.unmap();
    Ok(buffer)
}

/// Reads a buffer after all submitted work.
///
/// # Errors
///
/// The device is lost.
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
    device.wgpu().poll(wgpu::PollType::wait_indefinitely())?;
    Ok(staging.get_mapped_range(..).context("nothing came back")?.to_vec())
}
