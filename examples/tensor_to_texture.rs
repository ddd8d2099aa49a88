//! Turns a network's output into a texture, in one encoder: `cargo run --example tensor_to_texture`.
//!
//! The way back of `frame_to_tensor`. Planes of f16 from -1 to 1 become RGBA bytes in a buffer whose rows begin at multiples of
//! 256 bytes, and wgpu copies the buffer to a texture. Nothing leaves the GPU before the picture is shown; this program reads
//! the texture back to compare it with the CPU reference, and writes it to target/demo/texture.png.

use wgpu_clamp::half::f16;
use wgpu_clamp::{Clamp, DType, Host, Layout, Operands, Precision, Rounding, Tensor, View, reference, wgpu};

// A row has 1000 bytes; copies to textures take rows of 1024.
const WIDTH: u32 = 250;
const HEIGHT: u32 = 141;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `Host::new` takes the device and the queue of a program that has them.
    let host = Host::open_blocking()?;
    let (device, clamper) = (host.clamper().device(), host.clamper());
    let pitch = (4 * WIDTH).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let [width, height, row] = [WIDTH as usize, HEIGHT as usize, pitch as usize];

    let output = network_output();
    let planes = Tensor::upload(&host, &[3, height, width], &output)?;
    let pixels = Tensor::zeros(&host, DType::U8, &[height, row])?;
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width: WIDTH, height: HEIGHT, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        // A program that shows it adds TEXTURE_BINDING.
        usage: wgpu::TextureUsages::COPY_DST | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });

    let to_bytes = Clamp::new(0_u8, 255)
        .with_source(DType::F16)?
        .with_affine(127.5, 127.5)?
        .with_rounding(Rounding::NearestEven)
        // The same bits on every device.
        .with_precision(Precision::Exact);
    let rgba = Layout::texels([WIDTH, HEIGHT], pitch, 4, DType::U8)?;
    let (rgb, alpha) = (rgba.slice(0, 0..3)?, rgba.slice(0, 3..4)?);
    let [to_rgb, to_alpha] = [rgb, alpha].map(|layout| View::of::<u8>(pixels.buffer(), layout));
    let opaque = Clamp::new(255_u8, 255);

    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    // Once for a buffer: the frames leave alpha alone.
    clamper.encode(&mut encoder, opaque, Operands::in_place(to_alpha))?;
    // For each frame. A program with many calls `prepare` once, and records in each.
    clamper.encode(&mut encoder, to_bytes, Operands::new(planes.view(), to_rgb))?;
    encoder.copy_buffer_to_texture(to_rgb.texel_copy()?, texture.as_image_copy(), texture.size());
    // A real program draws the texture here. This one reads it.
    let shown = Tensor::zeros(&host, DType::U8, &[height, row])?;
    let copy = View::of::<u8>(shown.buffer(), rgba).texel_copy()?;
    encoder.copy_texture_to_buffer(texture.as_image_copy(), copy, texture.size());
    host.queue().submit([encoder.finish()]);
    let shown = shown.read_bytes_blocking()?;

    let mut expected = vec![0; shown.len()];
    let src: Vec<u8> = output.iter().flat_map(|x| x.to_le_bytes()).collect();
    reference::apply(to_bytes, &Layout::packed(&[3, height, width])?, &src, &rgb, &mut expected)?;
    reference::apply_in_place(opaque, &alpha, &mut expected)?;
    let texels = |bytes: &[u8]| -> Vec<u8> {
        bytes.chunks(row).flat_map(|row| row[..4 * width].iter().copied()).collect()
    };
    println!("[3, {HEIGHT}, {WIDTH}] of f16 became a texture of RGBA bytes on {}", host.description());
    if texels(&shown) != texels(&expected) {
        return Err("the texture differs from the CPU reference".into());
    }
    println!("bit-exact with the CPU reference: {WIDTH} x {HEIGHT} texels");
    let folder = std::path::Path::new("target/demo");
    std::fs::create_dir_all(folder)?;
    image::save_buffer(folder.join("texture.png"), &texels(&shown), WIDTH, HEIGHT, image::ColorType::Rgba8)?;
    println!("target/demo/texture.png shows it");
    Ok(())
}

/// Stands for the output of a generator: planes from -1.2 to 1.2, so that both ends saturate.
fn network_output() -> Vec<f16> {
    let line = |n: u32| (0..n as u16).map(move |i| 2.4 * f32::from(i) / f32::from(n as u16) - 1.2);
    let plane = |value: fn(f32, f32) -> f32| {
        line(HEIGHT).flat_map(move |y| line(WIDTH).map(move |x| f16::from_f32(value(x, y))))
    };
    plane(|x, _| x).chain(plane(|_, y| y)).chain(plane(|x, y| -f32::midpoint(x, y))).collect()
}
