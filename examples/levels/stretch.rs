//! Parts (a) and (b): the levels stretch.

use std::fmt;
use std::time::{Duration, Instant};

use image::{DynamicImage, Rgb32FImage, RgbImage};
use wgpu_clamp::{
    Clamp, DType, Host, Layout, Number, Operands, Precision, Scalar, Tensor, View, reference, verify,
};

use crate::{Result, clock};

/// Becomes 0: just under the empty sky, most of which is 8 to 18.
const BLACK: f32 = 5.0;
/// Becomes 255: only 1 sample in 40 is brighter, in stars and in the middle of large galaxies.
const WHITE: f32 = 107.0;

/// Part (a). The picture with its middle stretched, and whether the reference agrees.
pub fn rectangle_in_place(host: Option<&Host>, picture: &RgbImage) -> Result<(RgbImage, bool)> {
    let [width, height] = [picture.width() as usize, picture.height() as usize];
    let shape = [height, width, 3];
    // The rows of the rectangle lie a whole row of the picture apart, and start in the middle of a word:
    // the 4-byte words at both of its sides hold bytes that must stay.
    let rectangle = Layout::packed(&shape)?
        .slice(0, height / 5..height * 4 / 5)?
        .slice(1, width / 5 + 1..width * 4 / 5)?;
    let scale = 255.0 / (WHITE - BLACK);
    // The range that video keeps to. Its 16 evens out the noise of the sky, and is above the sky outside.
    let clamp = Clamp::new(16_u8, 235).with_affine(scale, -BLACK * scale)?;

    println!("\n(a) a rectangle of the 8-bit picture, in place");
    let stretch =
        Stretch { clamp, src_layout: rectangle, src: picture, dst_layout: rectangle, dst_before: picture };
    let (after, passed) = stretch.run(host, |host| {
        let tensor = Tensor::upload(host, &shape, picture)?;
        let view = View::new(tensor.buffer(), tensor.dtype(), rectangle);
        let time = clock::submit_and_wait(host, |encoder| {
            Ok(host.clamper().encode(encoder, &clamp, Operands::in_place(view))?)
        })?;
        Ok((tensor.read_blocking()?, time))
    })?;
    let after = RgbImage::from_raw(picture.width(), picture.height(), after)
        .ok_or("the result has the wrong size for a picture")?;
    Ok((after, passed))
}

/// Part (b). The whole picture, stretched, and whether the reference agrees.
pub fn interleaved_to_planar(host: Option<&Host>, picture: &RgbImage) -> Result<(RgbImage, bool)> {
    let [width, height] = [picture.width() as usize, picture.height() as usize];
    // Samples from 0 to 1, as neural networks take them: in planes.
    let samples = DynamicImage::ImageRgb8(picture.clone()).into_rgb32f();
    let interleaved = Layout::packed(&[height, width, 3])?;
    let by_plane = interleaved.permute(&[2, 0, 1])?;
    let planar = Layout::packed(&[3, height, width])?;
    let scale = 255.0 / (WHITE - BLACK);
    // Exact: the same bits on every device, also where its multiplication and addition round otherwise.
    let clamp =
        Clamp::new(0.0_f32, 1.0).with_affine(scale, -BLACK / 255.0 * scale)?.with_precision(Precision::Exact);

    println!("\n(b) the whole picture in f32, from interleaved to planar");
    let zeros = vec![0; size_of_val::<[f32]>(&samples)];
    let stretch = Stretch {
        clamp,
        src_layout: by_plane,
        src: bytemuck::cast_slice(&samples),
        dst_layout: planar,
        dst_before: &zeros,
    };
    let (after, passed) = stretch.run(host, |host| {
        let src = Tensor::upload(host, interleaved.shape(), &samples)?;
        let dst = Tensor::zeros(host, DType::F32, planar.shape())?;
        let by_plane = View::new(src.buffer(), src.dtype(), by_plane);
        let time = clock::submit_and_wait(host, |encoder| {
            Ok(host.clamper().encode(encoder, &clamp, Operands::new(by_plane, dst.view()))?)
        })?;
        Ok((bytemuck::cast_slice(&dst.read_blocking::<f32>()?).to_vec(), time))
    })?;

    // Back to interleaved, for the PNG.
    let after: Vec<f32> = bytemuck::pod_collect_to_vec(&after);
    let after = planar.permute(&[1, 2, 0])?.addresses().map(|address| after[address]).collect();
    let after = Rgb32FImage::from_raw(picture.width(), picture.height(), after)
        .ok_or("the result has the wrong size for a picture")?;
    Ok((DynamicImage::ImageRgb32F(after).into_rgb8(), passed))
}

/// A clamp, and the buffers that it starts from.
struct Stretch<'a> {
    clamp: Clamp,
    src_layout: Layout,
    src: &'a [u8],
    dst_layout: Layout,
    dst_before: &'a [u8],
}

impl Stretch<'_> {
    /// Stretches on the GPU with `gpu`, or here if there is none. The destination buffer, and whether the
    /// reference agrees.
    fn run(
        &self,
        host: Option<&Host>,
        gpu: impl Fn(&Host) -> Result<(Vec<u8>, Duration)>,
    ) -> Result<(Vec<u8>, bool)> {
        println!("{self}");
        let Self { clamp, src_layout, src, dst_layout, dst_before } = self;
        let Some(host) = host else {
            let mut after = dst_before.to_vec();
            let start = Instant::now();
            reference::apply(clamp, src_layout, src, dst_layout, &mut after)?;
            println!("  time: {:.1?} on the CPU", start.elapsed());
            println!("  not compared: this is the reference itself");
            return Ok((after, true));
        };
        let (mut after, first) = gpu(host)?;
        let mut best = Duration::MAX;
        for _ in 0..clock::RUNS {
            let (again, time) = gpu(host)?;
            (after, best) = (again, best.min(time));
        }
        println!("  time: {best:.1?} from call to completion, the best of {} runs", clock::RUNS);
        println!("  first run, with compiling: {first:.1?}");

        // Whole buffers, so the bytes outside the output are compared as well.
        let report = verify::check(
            clamp,
            verify::Buffers { src_layout, src, dst_layout, dst_before, dst_after: &after },
        )?;
        println!("  {report}");
        let outside = dst_before.len() - dst_layout.len() * clamp.dtype().size();
        if outside > 0 && report.stray.is_none() {
            println!("  the other {outside} bytes of the buffer are as they were");
        }
        Ok((after, report.passed()))
    }
}

/// A number of the affine step, or what an absent one stands for.
fn number(number: Number, absent: f32) -> f32 {
    number.value().and_then(Scalar::get).unwrap_or(absent)
}

impl fmt::Display for Stretch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clamp, src_layout, dst_layout, .. } = self;
        let (scale, bias) = (number(clamp.scale(), 1.0), number(clamp.bias(), 0.0));
        writeln!(f, "  dtype: {}, scale {scale}, bias {bias:.4}", clamp.dtype())?;
        write!(f, "  layout: {:?}", src_layout.shape())?;
        write!(f, ", strides {:?} from element {}", src_layout.strides(), src_layout.offset())?;
        if src_layout != dst_layout {
            write!(f, " to strides {:?} from element {}", dst_layout.strides(), dst_layout.offset())?;
        }
        write!(f, "\n  elements: {}", dst_layout.len())
    }
}
