//! Turns a frame into the input of a neural network, in one pass: `cargo run --example frame_to_tensor`.
//!
//! The frame is a texture of RGBA bytes, as a camera or a render target leaves it. wgpu copies it into a buffer whose
//! rows begin at multiples of 256 bytes. One call, in the same encoder, turns the buffer into planes of f16: strides
//! skip the gaps between rows and the alpha, bytes become floats, and each channel has its own scale and bias.
//! `tensor_to_texture` is the way back, from a network's output to a texture.

use wgpu_clamp::half::f16;
use wgpu_clamp::{Clamp, Clamps, DType, Host, Layout, Operands, Precision, Tensor, View, verify, wgpu};

// A row has 1000 bytes; wgpu's copy pads it to 1024.
const WIDTH: u32 = 250;
const HEIGHT: u32 = 141;

/// What networks trained on `ImageNet` take: (x / 255 - mean) / deviation, for red, green and blue.
const MEAN: [f64; 3] = [0.485, 0.456, 0.406];
const DEVIATION: [f64; 3] = [0.229, 0.224, 0.225];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `Host::new` takes the device and the queue of a program that has them.
    let host = Host::open_blocking()?;
    let frame = frame(&host);

    let pitch = (4 * WIDTH).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let [width, height, row] = [WIDTH as usize, HEIGHT as usize, pitch as usize];
    let pixels = Tensor::zeros(&host, DType::U8, &[height, row])?;
    // As [1, 3, height, width], a batch of one picture: the same bytes.
    let tensor = Tensor::zeros(&host, DType::F16, &[3, height, width])?;
    // Three of four components: alpha is left out.
    let rgb = Layout::texels([WIDTH, HEIGHT], pitch, 4, DType::U8)?.slice(0, 0..3)?;
    let rgb = View::of::<u8>(pixels.buffer(), rgb);
    // Without bounds, the results lie between -2.1 and 2.6: `Clamp::unbounded(DType::F16)` keeps them all.
    let channels = Clamp::new(f16::from_f32(-2.0), f16::from_f32(2.0))
        .with_source(DType::U8)?
        // The same bits on every device.
        .with_precision(Precision::Exact)
        .normalize(255.0, MEAN, DEVIATION)?;
    let normalise = Clamps::along(0, &channels);

    let mut encoder =
        host.clamper().device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_texture_to_buffer(frame.as_image_copy(), rgb.texel_copy()?, frame.size());
    // `encode` prepares and records. A program with many frames calls `prepare` once, and records in each frame.
    host.clamper().encode(&mut encoder, normalise, Operands::new(rgb, tensor.view()))?;
    // A real program would run the network here. This one checks the network's input instead.
    host.queue().submit([encoder.finish()]);
    let (bytes, after) = (pixels.read_bytes_blocking()?, tensor.read_bytes_blocking()?);

    println!("{WIDTH} x {HEIGHT} pixels of RGBA bytes, {pitch} bytes from row to row");
    println!("became [3, {HEIGHT}, {WIDTH}] of f16 on {}", host.description());
    let report = verify::check(
        normalise,
        verify::Buffers {
            src_layout: &rgb.layout(),
            src: &bytes,
            dst_layout: &tensor.layout(),
            dst_before: &vec![0; after.len()],
            dst_after: &after,
        },
    )?;
    println!("{report}");
    let planes: Vec<f16> = tensor.read_blocking()?;
    for (plane, name) in planes.chunks(width * height).zip(["red", "green", "blue"]) {
        let (least, most) = plane.iter().fold((f16::MAX, f16::MIN), |(a, b), &x| (a.min(x), b.max(x)));
        println!("  {name:5} from {least:.3} to {most:.3}");
    }
    if report.passed() { Ok(()) } else { Err("the tensor differs from the CPU reference".into()) }
}

/// Stands for the picture of a camera or a render pass: a gradient in each colour channel, half transparent.
fn frame(host: &Host) -> wgpu::Texture {
    let size = wgpu::Extent3d { width: WIDTH, height: HEIGHT, depth_or_array_layers: 1 };
    let texture = host.clamper().device().create_texture(&wgpu::TextureDescriptor {
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
    // From host memory, without padding.
    let rows =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * WIDTH), rows_per_image: None };
    host.queue().write_texture(texture.as_image_copy(), &texels, rows, size);
    texture
}
