//! Plain kernels: bare wgpu, as a program without this library would write it. Two move pictures between pixels and
//! planes, one takes any layout.

use anyhow::{Context, Result, ensure};
use half::f16;
use wgpu_clamp::{Clamp, DType, Number, Scalar, wgpu};

use crate::bench::Bench;
use crate::case::{Case, Set};
use crate::clock::{Dispatch, Work};
use crate::data::{self, Random};
use crate::device::Device;
use crate::kernels;
use crate::row::{Goal, Rival, Row, Trial, Unit};
use crate::verify::{Side, address, bits, untouched};

/// Number of random elements of a result that are compared.
const SAMPLE: usize = 1 << 16;

/// The WGSL of a kernel: `shaders/plain.wgsl`, which all share, and a file of its own.
macro_rules! source {
    ($name:literal) => {
        concat!(include_str!("../shaders/plain.wgsl"), include_str!(concat!("../shaders/", $name, ".wgsl")))
    };
}

/// A plain kernel for a case whose shape is `[channels, pixels]`.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// Whether the source has the pixels, and the destination the planes.
    pub to_planes: bool,
    /// Elements from one pixel to the next.
    pub channels: usize,
    /// Whether the pixels and every plane begin at a word.
    pub aligned: bool,
}

impl Plain {
    /// A row of the table that compares the case with this kernel.
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
        let pairs = set.beside(&bench.device)?;
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
        let Some(pixels) = self.pixels_per_invocation(case) else { return words(case, device, pairs) };
        let mut constants = constants(case);
        constants.extend([
            ("CHANNELS", self.channels as u32),
            ("TAKEN", case.dst.shape()[0] as u32),
            ("PIXELS", pixels as u32),
        ]);
        let source = if self.to_planes { source!("plain_to_planes") } else { source!("plain_to_pixels") };
        let invocations = case.dst.shape()[1].div_ceil(pixels) as u64;
        Kernel { source, constants, dims: Dims::default(), invocations }.work(case, device, pairs)
    }

    /// Elements of the smaller dtype per word; `None` if the case takes the kernel for words of the destination.
    fn pixels_per_invocation(self, case: &Case) -> Option<usize> {
        let smaller = case.clamp.source().size().min(case.clamp.dtype().size());
        (self.aligned || smaller == 4).then_some(4 / smaller)
    }
}

/// The plain kernel for any layout. Each invocation writes a word of the destination and finds its elements by
/// divisions.
///
/// # Errors
///
/// The layouts have more than three dimensions once merged, or the destination has gaps other than behind a short
/// innermost dimension.
pub fn words(case: &Case, device: &Device, pairs: &[[wgpu::Buffer; 2]]) -> Result<Work> {
    let dims = Dims::of(case)?;
    let mut constants = constants(case);
    constants.extend([
        ("CHANNELS", if dims.extents[0] <= COMPONENTS { dims.extents[0] } else { 0 }),
        ("TAKEN", dims.taken),
        ("RANK", dims.rank),
        ("AXIS", dims.axis),
    ]);
    let words = pairs.first().map_or(0, |[_, dst]| dst.size().div_ceil(4));
    Kernel { source: source!("plain_words"), constants, dims, invocations: words }.work(case, device, pairs)
}

/// A kernel's text, constants, dimensions and number of invocations.
struct Kernel {
    source: &'static str,
    constants: Vec<(&'static str, u32)>,
    dims: Dims,
    invocations: u64,
}

impl Kernel {
    fn work(&self, case: &Case, device: &Device, pairs: &[[wgpu::Buffer; 2]]) -> Result<Work> {
        let constants: Vec<_> =
            self.constants.iter().map(|(name, value)| (*name, f64::from(*value))).collect();
        let pipeline = kernels::pipeline_with(device, self.source, &constants);
        let (params, table) = (self.params(case, device)?, table(case, device)?);
        let [x, y] = kernels::grid(self.invocations.div_ceil(256));
        let dispatches = pairs.iter().map(|pair| {
            let [src, dst] = pair.each_ref().map(wgpu::Buffer::as_entire_binding);
            let resources = [params.as_entire_binding(), src, dst, table.as_entire_binding()];
            let group = kernels::bind(device, &pipeline, &resources);
            let pipeline = pipeline.clone();
            Box::new(move |pass: &mut wgpu::ComputePass<'_>| {
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(x, y, 1);
            }) as Dispatch
        });
        Ok(Work::Pass(dispatches.collect()))
    }

    /// The uniform buffer `Params` of `shaders/plain.wgsl`.
    fn params(&self, case: &Case, device: &Device) -> Result<wgpu::Buffer> {
        let clamps = clamps(case);
        let pixels = case.dst.shape().get(1).copied().unwrap_or(0);
        let places = [pixels, case.src.offset(), case.dst.offset(), self.dims.span].map(|n| n as u32);
        let channel = |n: usize| numbers(clamps[n.min(clamps.len() - 1)]).map(f32::to_bits);
        let tensor = [places, self.dims.extents, self.dims.strides];
        let words = [tensor.as_slice(), [0, 1, 2, 3].map(channel).as_slice()].concat();
        uniform(device, bytemuck::cast_slice(words.as_flattened()))
    }
}

/// The constants that every plain kernel has.
fn constants(case: &Case) -> Vec<(&'static str, u32)> {
    let [source, dtype] = [case.clamp.source(), case.clamp.dtype()];
    vec![
        ("SRC_BITS", source.bits()),
        ("DST_BITS", dtype.bits()),
        ("SRC_SIGNED", u32::from(matches!(source, DType::I8 | DType::I32))),
        ("DST_SIGNED", u32::from(matches!(dtype, DType::I8 | DType::I32))),
        ("AFFINE", u32::from(case.clamp.scale() != Number::Absent)),
        ("MANY", u32::from(clamps(case).len() > 4)),
    ]
}

/// Largest innermost extent that a program knows at compile time, such as a number of components.
const COMPONENTS: u32 = 64;

/// The dimensions of a case as `words` walks them: the destination's innermost first.
#[derive(Debug, Default)]
struct Dims {
    rank: u32,
    /// Extents in the destination, including a gap behind the innermost dimension.
    extents: [u32; 4],
    /// The source's strides in elements, modulo 2^32.
    strides: [u32; 4],
    /// Extent of the innermost dimension without its gap.
    taken: u32,
    /// The dimension of the channels, or 3 without channels.
    axis: u32,
    /// Elements from the destination's first to its last, both included.
    span: usize,
}

impl Dims {
    fn of(case: &Case) -> Result<Self> {
        struct Dim {
            extent: usize,
            src: isize,
            dst: isize,
            channels: bool,
        }
        let axis = case.channels.map(|(axis, _)| axis);
        let strides = case.src.strides().iter().zip(case.dst.strides());
        let mut dims: Vec<Dim> = Vec::new();
        let mut all: Vec<_> = case.dst.shape().iter().zip(strides).enumerate().collect();
        all.retain(|(_, (extent, _))| **extent > 1);
        all.sort_by_key(|(_, (_, (_, dst)))| **dst);
        for (n, (&extent, (&src, &dst))) in all {
            let channels = axis == Some(n);
            match dims.last_mut() {
                Some(inner)
                    if !channels
                        && !inner.channels
                        && dst == inner.dst * inner.extent.cast_signed()
                        && src == inner.src * inner.extent.cast_signed() =>
                {
                    inner.extent *= extent;
                }
                _ => dims.push(Dim { extent, src, dst, channels }),
            }
        }
        let taken = dims.first().map_or(1, |dim| dim.extent) as u32;
        // A dimension extends to the next one, gap included. The outermost one keeps its extent.
        let mut extents: Vec<_> = dims.iter().map(|dim| dim.extent).collect();
        for n in 1..dims.len() {
            extents[n - 1] = (dims[n].dst / dims[n - 1].dst.max(1)).cast_unsigned();
        }
        // The kernel knows a gap behind components from its constants.
        let may_end_in_a_gap = |n: usize| n == 0 && extents[0] <= COMPONENTS as usize;
        let fills = dims.iter().enumerate().all(|(n, dim)| extents[n] == dim.extent || may_end_in_a_gap(n));
        let packed = dims.first().is_none_or(|dim| dim.dst == 1);
        ensure!(
            packed && fills && dims.len() <= 3,
            "the plain kernel takes three dimensions that fill the destination, not {:?} of {:?}",
            case.dst,
            case.src
        );
        let place = |of: &dyn Fn(usize) -> u32| [0, 1, 2, 3].map(|n| if n < dims.len() { of(n) } else { 0 });
        Ok(Self {
            rank: dims.len() as u32,
            extents: place(&|n| extents[n] as u32),
            strides: place(&|n| dims[n].src as u32),
            taken,
            axis: dims.iter().position(|dim| dim.channels).unwrap_or(3) as u32,
            span: case.dst.span().map_or(0, |(first, last)| last - first + 1),
        })
    }
}

fn clamps(case: &Case) -> &[Clamp] {
    case.channels.map_or(std::slice::from_ref(&case.clamp), |(_, clamps)| clamps)
}

/// Min, Max, scale and bias of a clamp.
fn numbers(clamp: Clamp) -> [f32; 4] {
    let [min, max] = [(clamp.min(), f32::MIN), (clamp.max(), f32::MAX)].map(|(bound, absent)| match bound {
        Number::Value(scalar) => number(clamp.dtype(), scalar.bits()),
        _ => absent,
    });
    let [scale, bias] = [(clamp.scale(), 1.0), (clamp.bias(), 0.0)]
        .map(|(number, absent)| number.value().and_then(Scalar::get::<f32>).unwrap_or(absent));
    [min, max, scale, bias]
}

/// Uploads the numbers of all channels if there are more than four, else those of the first.
fn table(case: &Case, device: &Device) -> Result<wgpu::Buffer> {
    let clamps = clamps(case);
    let clamps = if clamps.len() > 4 { clamps } else { &clamps[..1] };
    let numbers: Vec<_> = clamps.iter().map(|clamp| numbers(*clamp)).collect();
    data::buffer(device, bytemuck::cast_slice(numbers.as_flattened()))
}

fn uniform(device: &Device, bytes: &[u8]) -> Result<wgpu::Buffer> {
    let buffer = device.wgpu().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage: wgpu::BufferUsages::UNIFORM,
        mapped_at_creation: true,
    });
    buffer.get_mapped_range_mut(..).context("a new buffer is not mapped")?.copy_from_slice(bytes);
    buffer.unmap();
    Ok(buffer)
}

/// Value of an element, for the dtypes that plain kernels take.
fn number(dtype: DType, bits: u64) -> f32 {
    match dtype {
        DType::F32 => f32::from_bits(bits as u32),
        DType::F16 => f16::from_bits(bits as u16).to_f32(),
        #[expect(clippy::cast_precision_loss, reason = "as the kernel does")]
        DType::I32 => bits as i32 as f32,
        DType::I8 => f32::from(bits as i8),
        _ => f32::from(bits as u8),
    }
}

/// Checks that the plain kernel's result is close to ours, so that both did the same work.
pub(crate) fn alike(case: &Case, device: &Device, set: &Set, theirs: &wgpu::Buffer) -> Result<()> {
    let (ours, theirs) = (data::read(device, &set.buffers[0][1])?, data::read(device, theirs)?);
    let dtype = case.clamp.dtype();
    let dst = Side { layout: &case.dst, bytes: &set.dst_bytes };
    untouched(&dst, dtype.size(), &theirs[..set.dst_bytes.len()]).context("the plain kernel")?;
    let mut random = Random(11);
    let len = case.dst.len() as u64;
    for n in (0..64).chain(len - 64..len).chain((0..SAMPLE).map(|_| random.bits() % len)) {
        let [ours, theirs] = [&ours, &theirs]
            .map(|bytes| number(dtype, self::bits(bytes, address(&case.dst, n), dtype.size())));
        // An f32 keeps the upper 24 bits of an i32.
        let far = if dtype.is_float() { ours.abs() / 500.0 + 1e-3 } else { (ours.abs() / 1e6).max(1.0) };
        ensure!((ours - theirs).abs() <= far, "element {n}: {ours}, the plain kernel has {theirs}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::layouts::{PAIRS, ways};

    /// The kernel visits each element of the case once: in the order of dst, with the matching source element.
    #[test]
    fn dimensions_are_those_of_the_case() {
        for way in ways() {
            let case = way.case(PAIRS[0], 3 << 16, u64::MAX).unwrap();
            let dims = Dims::of(&case).unwrap();
            let mut places: Vec<_> = case.dst.addresses().zip(case.src.addresses()).collect();
            places.sort_unstable();
            let [inner, middle, ..] = dims.extents.map(|extent| extent.max(1) as usize);
            let walked = (0..dims.span).filter_map(|n| {
                let index = match dims.rank {
                    0 | 1 => [n, 0, 0],
                    2 => [n % inner, n / inner, 0],
                    _ => [n % inner, n / inner % middle, n / inner / middle],
                };
                let step = |axis: usize| index[axis] as isize * dims.strides[axis].cast_signed() as isize;
                let src = case.src.offset().cast_signed() + step(0) + step(1) + step(2);
                (index[0] < dims.taken as usize).then(|| (case.dst.offset() + n, src.cast_unsigned()))
            });
            assert!(walked.eq(places), "{}: {dims:?}", way.name());
        }
    }
}
