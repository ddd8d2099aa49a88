//! A frame to the input of a neural network, in one pass: `cargo run --example frame_to_tensor`.
//!
//! The frame is a texture of RGBA bytes, as a camera or a render target leaves it. wgpu copies it into a buffer whose
//! rows begin at multiples of 256 bytes. One call, in the same encoder, makes planes of f16 of it: the gaps between the
//! rows and the alpha are skipped by strides, bytes become floats, and each channel has its own scale and bias.
//! The way back, from a network's output to pixels, is in the crate's documentation, `manual::conversion`.

use std::process::ExitCode;

use wgpu_clamp::half::f16;
use wgpu_clamp::{Clamp, Clamper, Clamps, DType, Layout, Operands, Precision, View, verify, wgpu};

// 1000 bytes to a row, of which wgpu's copy makes 1024.
const WIDTH: u32 = 250;
const HEIGHT: u32 = 141;

/// What networks trained on `ImageNet` take: (x / 255 - mean) / deviation, for red, green and blue.
const MEAN: [f32; 3] = [0.485, 0.456, 0.406];
const DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];

fn main() -> ExitCode {
    match pollster::block_on(run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (device, queue) = open().await?;
    let frame = frame(&device, &queue);

    let pitch = (4 * WIDTH).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let [width, height, pitch_elements] = [WIDTH as usize, HEIGHT as usize, pitch as usize];
    // Elements of the source are bytes, so its strides are too: from a channel to the next, a row, a pixel. The shape
    // has three channels, which leaves the fourth of each pixel out.
    let rgb = Layout::strided(&[1, 3, height, width], &[0, 1, pitch_elements.cast_signed(), 4], 0)?;
    let nchw = Layout::packed(&[1, 3, height, width])?;
    let mut channels = Vec::new();
    for (mean, deviation) in MEAN.into_iter().zip(DEVIATION) {
        channels.push(
            // The whole range would be -2.1 to 2.6; `Clamp::unbounded(DType::F16)` leaves it as it is.
            Clamp::new(f16::from_f32(-2.0), f16::from_f32(2.0))
                .with_source(DType::U8)?
                .with_affine(1.0 / (255.0 * deviation), -mean / deviation)?
                // The same bits on every device.
                .with_precision(Precision::Exact),
        );
    }
    // Along axis 1, the C of NCHW.
    let normalise = Clamps::along(1, &channels);

    let buffer = |label, size, usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        })
    };
    let pixels = buffer(
        "pixels",
        u64::from(pitch * HEIGHT),
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
    );
    let tensor = buffer(
        "tensor",
        nchw.required_bytes(DType::F16),
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    );

    let clamper = Clamper::new(&device)?;
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_texture_to_buffer(
        frame.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &pixels,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(pitch),
                rows_per_image: None,
            },
        },
        frame.size(),
    );
    // Prepares and records. A program with frame after frame calls `prepare` once, and records in each.
    clamper.encode(
        &mut encoder,
        normalise,
        Operands::new(View::of::<u8>(&pixels, rgb), View::of::<f16>(&tensor, nchw)),
    )?;
    // The network would go on here. This program looks at what it would get.
    let readbacks = [&pixels, &tensor].map(|from| {
        let usage = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ;
        let readback = buffer("readback", from.size(), usage);
        encoder.copy_buffer_to_buffer(from, 0, &readback, 0, from.size());
        readback
    });
    queue.submit([encoder.finish()]);

    for readback in &readbacks {
        // A failure to map shows below, where the range is asked for.
        readback.map_async(wgpu::MapMode::Read, .., |_| ());
    }
    device.poll(wgpu::PollType::wait_indefinitely())?;
    let [pixels, tensor] = &readbacks;
    let (pixels, tensor) = (pixels.get_mapped_range(..)?, tensor.get_mapped_range(..)?);

    println!("{WIDTH} x {HEIGHT} pixels of RGBA bytes, {pitch} bytes from row to row");
    println!("became [1, 3, {HEIGHT}, {WIDTH}] of f16 on {}", device.adapter_info().name);
    // A new buffer is zeros.
    let before = vec![0; tensor.len()];
    let report = verify::check(
        normalise,
        verify::Buffers {
            src_layout: &rgb,
            src: &pixels,
            dst_layout: &nchw,
            dst_before: &before,
            dst_after: &tensor,
        },
    )?;
    println!("{report}");
    for (plane, name) in ["red", "green", "blue"].into_iter().enumerate() {
        let values = tensor.chunks_exact(2).skip(plane * width * height).take(width * height);
        let values = values.map(|bytes| f16::from_le_bytes([bytes[0], bytes[1]]).to_f32());
        let (least, most) = values.fold((f32::MAX, f32::MIN), |(a, b), x| (a.min(x), b.max(x)));
        println!("  {name:5} from {least:.3} to {most:.3}");
    }
    if report.passed() { Ok(()) } else { Err("the tensor differs from the CPU reference".into()) }
}

/// What a camera would have filled or a render pass drawn: a gradient in each channel, half transparent.
fn frame(device: &wgpu::Device, queue: &wgpu::Queue) -> wgpu::Texture {
    let size = wgpu::Extent3d { width: WIDTH, height: HEIGHT, depth_or_array_layers: 1 };
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("frame"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::COPY_DST | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let texels: Vec<u8> = (0..HEIGHT)
        .flat_map(|y| (0..WIDTH).flat_map(move |x| [x, y, 255 - x, 128]))
        .map(|byte| byte as u8)
        .collect();
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * WIDTH), rows_per_image: None };
    queue.write_texture(texture.as_image_copy(), &texels, layout, size);
    texture
}

/// The device of the program. A real one has it already.
async fn open() -> Result<(wgpu::Device, wgpu::Queue), String> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let adapter = instance
        .request_adapter(&wgpu::RequestAdapterOptions::default())
        .await
        .map_err(|error| format!("no GPU can be used: {error}"))?;
    adapter
        .request_device(&wgpu::DeviceDescriptor {
            // The crate needs no feature and no more than these.
            required_limits: wgpu::Limits::downlevel_defaults(),
            ..Default::default()
        })
        .await
        .map_err(|error| format!("the GPU gives no device: {error}"))
}
