//! Plain kernels: bare wgpu, as a program without this library would write it. One moves pictures between pixels and
//! planes, one takes any layout.

use anyhow::{Context, Result, ensure};
use half::f16;
use wgpu_clamp::{Clamp, DType, Number, Scalar, wgpu};

use crate::case::{Case, Set};
use crate::clock::Work;
use crate::data::{self, Random};
use crate::device::Device;
use crate::kernels;
use crate::verify::{address, bits, untouched};

/// Number of random elements of a result that are compared.
const SAMPLE: usize = 1 << 16;

/// The WGSL of a kernel: `shaders/plain.wgsl`, which all share, and a file of its own.
macro_rules! source {
    ($name:literal) => {
        concat!(include_str!("../shaders/plain.wgsl"), include_str!(concat!("../shaders/", $name, ".wgsl")))
    };
}

/// A plain kernel for a case.
pub struct Plain {
    /// Its WGSL, with one entry point.
    pub source: &'static str,
    /// The values of its constants.
    pub constants: Vec<(&'static str, f64)>,
    /// The contents of its uniform block, at binding 0.
    pub params: Vec<[u32; 4]>,
    /// The contents of its table, at binding 3. Source and destination are at 1 and 2.
    pub table: Vec<[f32; 4]>,
    /// Workgroups along x and y.
    pub grid: [u32; 2],
}

/// The plain kernel between pixels and planes, for a case whose shape is `[channels, pixels]`. Takes the kernel for any
/// layout instead if pixels or planes do not begin at words.
pub fn picture(case: &Case) -> Result<Plain> {
    let to_planes = case.src.strides()[1] > 1;
    let interleaved = if to_planes { case.src } else { case.dst };
    let (taken, pixels) = (case.dst.shape()[0], case.dst.shape()[1]);
    let smaller = case.clamp.source().size().min(case.clamp.dtype().size());
    let aligned = pixels.is_multiple_of(4) && interleaved.offset() == 0;
    if !aligned && smaller < 4 {
        return words(case);
    }
    let per_invocation = 4 / smaller;
    let constants = [
        ("CHANNELS", interleaved.strides()[1] as u32),
        ("TAKEN", taken as u32),
        ("PIXELS", per_invocation as u32),
        ("TO_PLANES", to_planes.into()),
    ];
    let invocations = pixels.div_ceil(per_invocation) as u64;
    Ok(Plain::new(case, source!("plain_picture"), &constants, &Dims::default(), invocations))
}

/// The plain kernel for any layout. Each invocation writes a word of the destination and finds its elements by
/// divisions. Fails if the layouts have more than three dimensions once merged, or if the destination has gaps other
/// than behind a short innermost dimension.
pub fn words(case: &Case) -> Result<Plain> {
    let dims = Dims::of(case)?;
    let constants = [
        ("CHANNELS", if dims.extents[0] <= COMPONENTS { dims.extents[0] } else { 0 }),
        ("TAKEN", dims.taken),
        ("RANK", dims.rank),
        ("AXIS", dims.axis),
    ];
    let words = case.sizes()?[1].div_ceil(4) as u64;
    Ok(Plain::new(case, source!("plain_words"), &constants, &dims, words))
}

impl Plain {
    /// A kernel with its own constants and the constants of all plain kernels.
    fn new(
        case: &Case,
        source: &'static str,
        own: &[(&'static str, u32)],
        dims: &Dims,
        invocations: u64,
    ) -> Self {
        let (clamp, clamps) = (case.clamp, case.clamps().as_slice());
        let shared = [
            ("SRC_BITS", clamp.source().bits()),
            ("DST_BITS", clamp.dtype().bits()),
            ("SRC_SIGNED", clamp.source().is_signed_integer().into()),
            ("DST_SIGNED", clamp.dtype().is_signed_integer().into()),
            ("AFFINE", (clamp.scale() != Number::Absent).into()),
            ("MANY", (clamps.len() > 4).into()),
        ];
        Self {
            source,
            constants: shared.iter().chain(own).map(|(name, value)| (*name, f64::from(*value))).collect(),
            params: params(case, dims),
            table: clamps.iter().map(numbers).collect(),
            grid: kernels::grid(invocations.div_ceil(256)),
        }
    }

    /// The kernel's dispatches on each pair of source and destination.
    pub fn work(&self, device: &Device, pairs: &[[wgpu::Buffer; 2]]) -> Result<Work> {
        let pipeline = kernels::pipeline(device, self.source, &self.constants);
        let params = data::uniform(device.wgpu(), bytemuck::cast_slice(&self.params));
        let table = data::buffer(device, bytemuck::cast_slice(&self.table))?;
        let dispatches = pairs.iter().map(|pair| {
            let [src, dst] = pair.each_ref().map(wgpu::Buffer::as_entire_binding);
            let resources = [params.as_entire_binding(), src, dst, table.as_entire_binding()];
            kernels::dispatch(&pipeline, vec![(kernels::bind(device, &pipeline, &resources), self.grid)])
        });
        Ok(Work::Pass(dispatches.collect()))
    }
}

/// The uniform block `Params` of `shaders/plain.wgsl`.
fn params(case: &Case, dims: &Dims) -> Vec<[u32; 4]> {
    let clamps = case.clamps().as_slice();
    let pixels = case.dst.shape().get(1).copied().unwrap_or(0);
    let places = [pixels, case.src.offset(), case.dst.offset(), dims.span].map(|n| n as u32);
    let channel = |n: usize| numbers(&clamps[n.min(clamps.len() - 1)]).map(f32::to_bits);
    [places, dims.extents, dims.strides].into_iter().chain([0, 1, 2, 3].map(channel)).collect()
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
        // Extents include the gap before the next dimension. The outermost dimension keeps its extent.
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

/// Min, Max, scale and bias of a clamp.
fn numbers(clamp: &Clamp) -> [f32; 4] {
    let [min, max] = [(clamp.min(), f32::MIN), (clamp.max(), f32::MAX)].map(|(bound, absent)| match bound {
        Number::Value(scalar) => number(clamp.dtype(), scalar.bits()),
        _ => absent,
    });
    let [scale, bias] = [(clamp.scale(), 1.0), (clamp.bias(), 0.0)]
        .map(|(number, absent)| number.value().and_then(Scalar::get::<f32>).unwrap_or(absent));
    [min, max, scale, bias]
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
pub fn alike(case: &Case, device: &Device, set: &Set, theirs: &wgpu::Buffer) -> Result<()> {
    let (ours, theirs) = (data::read(device, &set.buffers[0][1])?, data::read(device, theirs)?);
    let dtype = case.clamp.dtype();
    let before = case.before().bytes(case.sizes()?[1]);
    untouched(&case.dst, dtype.size(), &before, &theirs[..before.len()]).context("the plain kernel")?;
    let mut random = Random(11);
    let len = case.dst.len() as u64;
    for n in (0..64).chain(len - 64..len).chain((0..SAMPLE).map(|_| random.bits() % len)) {
        let [ours, theirs] = [&ours, &theirs]
            .map(|bytes| number(dtype, self::bits(bytes, address(&case.dst, n), dtype.size())));
        // The plain kernel computes in f32, which keeps only the upper 24 bits of an i32.
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
        for way in ways(PAIRS[0], 3 << 16).unwrap() {
            let case = way.case(PAIRS[0]).unwrap();
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
            assert!(walked.eq(places), "{}: {dims:?}", way.name);
        }
    }
}
