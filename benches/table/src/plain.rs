//! Pictures between pixels and planes on bare wgpu, as a program without this library would write them.

use anyhow::{Context, Result, ensure};
use half::f16;
use wgpu_clamp::{Affine, Bound, DType, wgpu};

use crate::bench::Bench;
use crate::case::{Case, Set};
use crate::clock::{Dispatch, Work};
use crate::data::{self, Random};
use crate::device::Device;
use crate::kernels;
use crate::row::{Goal, Rival, Row, Trial, Unit};
use crate::verify::{address, bits};

/// How many elements of a result are looked at.
const SAMPLE: usize = 1 << 16;

/// A kernel that does what a case does; the case's shape is `[channels, pixels]`.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// Whether the pixels are in the source.
    pub to_planes: bool,
    /// From a pixel to the next, in elements.
    pub channels: usize,
    /// Whether all begins at words.
    pub aligned: bool,
}

impl Plain {
    /// A row of the table that holds the case against this kernel.
    #[must_use]
    pub fn row(self, case: &Case, section: &'static str, name: impl Into<String>) -> Row {
        let case = *case;
        let prepare = Box::new(move |bench: &Bench| self.trial(&case, bench));
        Row {
            section,
            name: name.into(),
            dtype: Some(case.clamp.dtype()),
            goals: [Goal::Speed(1.0); 2],
            unit: Unit::Seconds,
            case: None,
            prepare,
        }
    }

    fn trial(self, case: &Case, bench: &Bench) -> Result<Trial> {
        let bytes = case.bytes();
        let set = case.set(&bench.device, bench.sets(bytes))?;
        let pairs = set
            .buffers
            .iter()
            .map(|[src, _]| Ok([src.clone(), data::buffer(&bench.device, &set.dst_bytes)?]));
        let pairs = pairs.collect::<Result<Vec<_>>>()?;
        let work = self.work(case, &bench.device, &pairs)?;
        let ours = set.work();
        let case = *case;
        let check = move |bench: &Bench| {
            case.check(&bench.device, &set)?;
            alike(&case, &bench.device, &set, &pairs[0][1])
        };
        let rivals = vec![Rival { name: "plain kernel".to_owned(), work }];
        Ok(Trial { bytes, ours, rivals, check: Box::new(check) })
    }

    fn work(self, case: &Case, device: &Device, pairs: &[[wgpu::Buffer; 2]]) -> Result<Work> {
        let pipeline = self.pipeline(case, device);
        let params = params(case, device)?;
        let groups = match self.pixels_per_invocation(case) {
            Some(pixels) => case.dst.shape()[1].div_ceil(pixels).div_ceil(256),
            None => usize::try_from(pairs[0][1].size())?.div_ceil(4).div_ceil(256),
        };
        let [x, y] = kernels::grid(groups as u64);
        let dispatches = pairs.iter().map(|pair| {
            let [src, dst] = pair.each_ref().map(wgpu::Buffer::as_entire_binding);
            let group = kernels::bind(device, &pipeline, &[params.as_entire_binding(), src, dst]);
            let pipeline = pipeline.clone();
            Box::new(move |pass: &mut wgpu::ComputePass<'_>| {
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(x, y, 1);
            }) as Dispatch
        });
        Ok(Work::Pass(dispatches.collect()))
    }

    /// As many as there are elements in a word; `None` for the kernel that takes words of the destination.
    fn pixels_per_invocation(self, case: &Case) -> Option<usize> {
        let smaller = case.clamp.source().size().min(case.clamp.dtype().size());
        (self.aligned || smaller == 4).then_some(4 / smaller)
    }

    fn pipeline(self, case: &Case, device: &Device) -> wgpu::ComputePipeline {
        macro_rules! source {
            ($file:literal) => {
                concat!(include_str!("../shaders/plain.wgsl"), include_str!(concat!("../shaders/", $file)))
            };
        }
        let mut constants = vec![
            ("SRC_BITS", f64::from(case.clamp.source().bits())),
            ("DST_BITS", f64::from(case.clamp.dtype().bits())),
            ("CHANNELS", f64::from(self.channels as u32)),
            ("TAKEN", f64::from(case.dst.shape()[0] as u32)),
            ("AFFINE", f64::from(u8::from(case.clamp.affine().is_some()))),
        ];
        let (source, constant) = match (self.pixels_per_invocation(case), self.to_planes) {
            (Some(pixels), true) => (source!("plain_to_planes.wgsl"), ("PIXELS", pixels as u32)),
            (Some(pixels), false) => (source!("plain_to_pixels.wgsl"), ("PIXELS", pixels as u32)),
            (None, to_planes) => (source!("plain_words.wgsl"), ("TO_PLANES", u32::from(to_planes))),
        };
        constants.push((constant.0, constant.1.into()));
        kernels::pipeline_with(device, source, &constants)
    }
}

/// `Params` of the kernels.
fn params(case: &Case, device: &Device) -> Result<wgpu::Buffer> {
    let clamps = case.channels.map_or(std::slice::from_ref(&case.clamp), |(_, clamps)| clamps);
    let pixels = case.dst.shape()[1];
    let places = [pixels, case.src.offset(), case.dst.offset(), 0].map(|n| n as u32);
    let bounds = [case.clamp.min(), case.clamp.max()].map(|bound| match bound {
        Bound::Value(bits) => number(case.clamp.dtype(), bits),
        _ => 0.0,
    });
    let affine = |n: usize| clamps[n.min(clamps.len() - 1)].affine();
    let numbers = |of: fn(Affine) -> f64, absent: f64| {
        [0, 1, 2, 3].map(|n| (affine(n).map_or(absent, of) as f32).to_bits())
    };
    let words = [
        places,
        [bounds[0].to_bits(), bounds[1].to_bits(), bounds[0] as u32, bounds[1] as u32],
        numbers(Affine::scale, 1.0),
        numbers(Affine::bias, 0.0),
    ];
    let buffer = device.wgpu().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 64,
        usage: wgpu::BufferUsages::UNIFORM,
        mapped_at_creation: true,
    });
    let bytes = bytemuck::cast_slice(words.as_flattened());
    buffer.get_mapped_range_mut(..).context("a new buffer is not mapped")?.copy_from_slice(bytes);
    buffer.unmap();
    Ok(buffer)
}

/// What an element is, of the dtypes of pictures.
fn number(dtype: DType, bits: u64) -> f32 {
    match dtype {
        DType::F32 => f32::from_bits(bits as u32),
        DType::F16 => f16::from_bits(bits as u16).to_f32(),
        _ => f32::from(bits as u8),
    }
}

/// Whether a plain kernel has come to about what we have, so that both did the same work.
fn alike(case: &Case, device: &Device, set: &Set, theirs: &wgpu::Buffer) -> Result<()> {
    let (ours, theirs) = (data::read(device, &set.buffers[0][1])?, data::read(device, theirs)?);
    let dtype = case.clamp.dtype();
    let mut random = Random(11);
    let len = case.dst.len() as u64;
    for n in (0..64).chain(len - 64..len).chain((0..SAMPLE).map(|_| random.bits() % len)) {
        let [ours, theirs] = [&ours, &theirs]
            .map(|bytes| number(dtype, self::bits(bytes, address(&case.dst, n), dtype.size())));
        let far = if dtype.is_float() { ours.abs() / 500.0 + 1e-3 } else { 1.0 };
        ensure!((ours - theirs).abs() <= far, "element {n}: {ours}, the plain kernel has {theirs}");
    }
    Ok(())
}
