//! Part (c): bytes to the input of a neural network, and back.

use std::time::Instant;

use image::RgbImage;
use wgpu_clamp::{
    Clamp, Clamps, DType, Host, Layout, Operands, Precision, Rounding, Tensor, View, reference, verify, wgpu,
};

use crate::{Result, clock};

const CHANNELS: [&str; 3] = ["red", "green", "blue"];
/// What networks trained on `ImageNet` take: (x / 255 - mean) / deviation, per channel.
const MEAN: [f32; 3] = [0.485, 0.456, 0.406];
const DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];
/// Cuts on both sides: black is -2.12 in red, white 2.64 in blue.
const LIMIT: f32 = 2.0;

/// The picture after the way to the tensor and back, and whether all is as it should be.
pub fn there_and_back(host: Option<&Host>, picture: &RgbImage) -> Result<(RgbImage, bool)> {
    let [width, height] = [picture.width() as usize, picture.height() as usize];
    let planes = Layout::packed(&[3, height, width])?;
    let there = Way {
        name: "interleaved u8 to planar f32, normalised",
        clamps: [normalise(0, DType::U8)?, normalise(1, DType::U8)?, normalise(2, DType::U8)?],
        src_layout: interleaved(&planes)?,
        dst_layout: planes,
        step_by_step: there_step_by_step,
    };
    let back = Way {
        name: "planar f32 to interleaved u8, rounded to the nearest",
        clamps: [restore(0, DType::U8)?, restore(1, DType::U8)?, restore(2, DType::U8)?],
        src_layout: planes,
        dst_layout: interleaved(&planes)?,
        step_by_step: back_step_by_step,
    };

    println!("\n(c) the whole picture as a network takes it, by one clamp per channel, and back");
    let (tensor, there_passed) = there.run(host, picture)?;
    let (after, back_passed) = back.run(host, &tensor)?;
    let after = RgbImage::from_raw(picture.width(), picture.height(), after)
        .ok_or("the result has the wrong size for a picture")?;
    let returned = count(picture, bytemuck::cast_slice(&tensor), &after);
    Ok((after, there_passed && back_passed && returned))
}

/// The elements of interleaved pixels, plane by plane.
fn interleaved(planes: &Layout) -> Result<Layout> {
    let [channels, height, width] = planes.shape() else {
        return Err("a picture has three dimensions".into());
    };
    Ok(Layout::packed(&[*height, *width, *channels])?.permute(&[2, 0, 1])?)
}

/// From a channel's samples of 0 to 255 to what the network takes.
fn normalise(channel: usize, source: DType) -> Result<Clamp> {
    let (mean, deviation) = (MEAN[channel], DEVIATION[channel]);
    Ok(Clamp::new(-LIMIT, LIMIT)
        .with_source(source)?
        .with_affine(1.0 / (255.0 * deviation), -mean / deviation)?)
}

/// The inverse. A sample comes back off by some millionths, which the rounding takes away.
fn restore(channel: usize, dtype: DType) -> Result<Clamp> {
    let (mean, deviation) = (MEAN[channel], DEVIATION[channel]);
    let limits = if dtype == DType::U8 { Clamp::new(0_u8, 255) } else { Clamp::new(0.0_f32, 255.0) };
    Ok(limits
        .with_source(DType::F32)?
        .with_affine(255.0 * deviation, 255.0 * mean)?
        .with_rounding(Rounding::NearestEven))
}

/// One way, in one pass and step by step.
struct Way {
    name: &'static str,
    /// One for each channel.
    clamps: [Clamp; 3],
    src_layout: Layout,
    dst_layout: Layout,
    step_by_step: fn(&Steps<'_>, &mut wgpu::CommandEncoder) -> Result<()>,
}

impl Way {
    /// The destination buffer, the same on every device, and whether the reference agrees.
    fn run(&self, host: Option<&Host>, src: &[u8]) -> Result<(Vec<u8>, bool)> {
        let Self { name, src_layout, dst_layout, .. } = self;
        println!("  {name}");
        let Some(host) = host else {
            let clamps = self.clamps(Precision::Exact);
            let mut after = vec![0; dst_layout.len() * clamps[0].dtype().size()];
            let start = Instant::now();
            reference::apply(Clamps::along(0, &clamps), src_layout, src, dst_layout, &mut after)?;
            println!("    time: {:.1?} on the CPU", start.elapsed());
            println!("    not compared: this is the reference itself");
            return Ok((after, true));
        };
        let (_, fast_passed) = self.run_on(host, src, Precision::Fast)?;
        let (after, passed) = self.run_on(host, src, Precision::Exact)?;
        Ok((after, fast_passed && passed))
    }

    fn clamps(&self, precision: Precision) -> [Clamp; 3] {
        self.clamps.map(|clamp| clamp.with_precision(precision))
    }

    fn run_on(&self, host: &Host, src: &[u8], precision: Precision) -> Result<(Vec<u8>, bool)> {
        let Self { src_layout, dst_layout, .. } = self;
        let clamps = self.clamps(precision);
        let channels = Clamps::along(0, &clamps);
        let [source, dtype] = [clamps[0].source(), clamps[0].dtype()];
        let src_tensor = Tensor::upload_bytes(host, source, &[src_layout.len()], src)?;
        let dst = Tensor::zeros(host, dtype, &[dst_layout.len()])?;
        let from = View::new(src_tensor.buffer(), src_tensor.dtype(), *src_layout);
        let to = View::new(dst.buffer(), dst.dtype(), *dst_layout);
        let one = clock::best(host, |encoder| {
            Ok(host.clamper().encode(encoder, channels, Operands::new(from, to))?)
        })?;
        let after = dst.read_bytes_blocking()?;

        let steps = Steps::new(host, src_tensor.buffer(), self, precision)?;
        let three = clock::best(host, |encoder| (self.step_by_step)(&steps, encoder))?;
        let same = steps.dst.read_bytes_blocking()? == after;
        println!(
            "    {precision:?}: {one:.1?} in one pass, {three:.1?} in three, the best of {} runs; the bits are {}",
            clock::RUNS,
            if same { "the same" } else { "not the same" },
        );

        let before = vec![0; after.len()];
        let report = verify::check(
            channels,
            verify::Buffers { src_layout, src, dst_layout, dst_before: &before, dst_after: &after },
        )?;
        println!("      {report}");
        // With Fast, each may be another number of the set.
        Ok((after, report.passed() && (same || precision == Precision::Fast)))
    }
}

/// What the three passes need: two buffers more.
struct Steps<'a> {
    host: &'a Host,
    src: &'a wgpu::Buffer,
    interleaved: Tensor,
    planar: Tensor,
    dst: Tensor,
    pixels: Layout,
    planes: Layout,
    precision: Precision,
}

impl<'a> Steps<'a> {
    fn new(host: &'a Host, src: &'a wgpu::Buffer, way: &Way, precision: Precision) -> Result<Self> {
        let planes = Layout::packed(way.dst_layout.shape())?;
        let floats = || Tensor::zeros(host, DType::F32, &[planes.len()]);
        Ok(Self {
            host,
            src,
            interleaved: floats()?,
            planar: floats()?,
            dst: Tensor::zeros(host, way.clamps[0].dtype(), &[planes.len()])?,
            pixels: interleaved(&planes)?,
            planes,
            precision,
        })
    }
}

/// Convert, interleaved as it is; to planes; each plane by a clamp of its own, in place.
fn there_step_by_step(steps: &Steps<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
    let Steps { host, src, interleaved, dst, pixels, planes, precision, .. } = steps;
    let clamper = host.clamper();
    let to_floats = Clamp::unbounded(DType::F32).with_source(DType::U8)?;
    clamper.encode(
        encoder,
        &to_floats,
        Operands::new(View::of::<u8>(src, interleaved.layout()), interleaved.view()),
    )?;
    let pixels = View::of::<f32>(interleaved.buffer(), *pixels);
    clamper.encode(
        encoder,
        &Clamp::unbounded(DType::F32),
        Operands::new(pixels, View::of::<f32>(dst.buffer(), *planes)),
    )?;
    for channel in 0..CHANNELS.len() {
        let plane = View::of::<f32>(dst.buffer(), planes.slice(0, channel..channel + 1)?);
        let clamp = normalise(channel, DType::F32)?.with_precision(*precision);
        clamper.encode(encoder, &clamp, Operands::in_place(plane))?;
    }
    Ok(())
}

/// Each plane by a clamp of its own; to interleaved; convert.
fn back_step_by_step(steps: &Steps<'_>, encoder: &mut wgpu::CommandEncoder) -> Result<()> {
    let Steps { host, src, interleaved, planar, dst, pixels, planes, precision } = steps;
    let clamper = host.clamper();
    for channel in 0..CHANNELS.len() {
        let plane = planes.slice(0, channel..channel + 1)?;
        let views = Operands::new(View::of::<f32>(src, plane), View::of::<f32>(planar.buffer(), plane));
        clamper.encode(encoder, &restore(channel, DType::F32)?.with_precision(*precision), views)?;
    }
    let views = Operands::new(
        View::of::<f32>(planar.buffer(), *planes),
        View::of::<f32>(interleaved.buffer(), *pixels),
    );
    clamper.encode(encoder, &Clamp::unbounded(DType::F32), views)?;
    let to_bytes = Clamp::unbounded(DType::U8).with_source(DType::F32)?.with_rounding(Rounding::NearestEven);
    clamper.encode(encoder, &to_bytes, Operands::new(interleaved.view(), dst.view()))?;
    Ok(())
}

/// Prints what became of the samples; whether each that was not cut has come back as it was.
fn count(before: &RgbImage, tensor: &[f32], after: &RgbImage) -> bool {
    println!("  samples          cut below    cut above    not cut, came back as they were");
    let plane = tensor.len() / CHANNELS.len();
    let mut all_returned = true;
    for (channel, name) in CHANNELS.iter().enumerate() {
        let (mut below, mut above, mut returned) = (0, 0, 0);
        let samples = before.pixels().zip(after.pixels()).zip(&tensor[channel * plane..]);
        for ((before, after), &normalised) in samples {
            // No sample lies on a limit, so that what is there was cut.
            if normalised <= -LIMIT {
                below += 1;
            } else if normalised >= LIMIT {
                above += 1;
            } else if before[channel] == after[channel] {
                returned += 1;
            }
        }
        let others = plane - below - above;
        println!("    {name:8} {below:>15} {above:>12} {returned:>12} of {others}");
        all_returned &= returned == others;
    }
    all_returned
}
