//! The plain kernel (`shaders/plain.wgsl`) for a case.

use anyhow::Result;
use half::f16;
use wgpu_clamp::{Clamp, DType, Number, Precision, Scalar, wgpu};

use crate::case::Case;
use crate::clock::Work;
use crate::data;
use crate::device::Device;
use crate::kernels;

/// The plain kernel with everything but the tensors.
pub struct Plain {
    /// The values of its constants.
    pub constants: Vec<(&'static str, f64)>,
    /// The contents of its uniform block, at binding 0.
    pub params: Vec<[u32; 4]>,
    /// The contents of its table, at binding 3. Source and destination are at 1 and 2.
    pub table: Vec<[f32; 4]>,
    /// Workgroups along x and y.
    pub grid: [u32; 2],
}

/// The dtypes that the kernel takes.
const DTYPES: [DType; 5] = [DType::U8, DType::I8, DType::F16, DType::I32, DType::F32];

/// Largest innermost extent that a program knows at compile time, such as a number of components.
const COMPONENTS: usize = 64;

impl Plain {
    /// The WGSL, with the entry point `main`.
    pub const SOURCE: &str = include_str!("../shaders/plain.wgsl");

    /// The kernel for a case, if it can do the same: in two buffers, with numbers of the host, in up to three dimensions
    /// once merged, and without gaps in the destination other than behind a short innermost dimension.
    pub fn of(case: &Case) -> Option<Self> {
        let [source, dtype] = [case.clamp().source(), case.clamp().dtype()];
        let takes = [source, dtype].iter().all(|dtype| DTYPES.contains(dtype));
        // It rounds as the device does, which is not Exact.
        let is_exact = case.clamp().precision() == Precision::Exact;
        if !takes || is_exact || case.in_place || case.slots.is_some() || case.dst.is_empty() {
            return None;
        }
        let dims = dims(case);
        // Extents include the gap before the next dimension. The outermost dimension keeps its extent.
        let extents: Vec<_> = (0..dims.len())
            .map(|n| match dims.get(n + 1) {
                Some(outer) => (outer.dst / dims[n].dst.max(1)).cast_unsigned(),
                None => dims[n].extent,
            })
            .collect();
        let inner = extents.first().copied().unwrap_or(1);
        let is_full = |n: usize| extents[n] == dims[n].extent || n == 0 && inner <= COMPONENTS;
        if dims.len() > 3 || dims.first().is_some_and(|dim| dim.dst != 1) || !(0..dims.len()).all(is_full) {
            return None;
        }
        let constants = [
            ("SRC_BITS", source.bits()),
            ("DST_BITS", dtype.bits()),
            ("SRC_SIGNED", source.is_signed_integer().into()),
            ("DST_SIGNED", dtype.is_signed_integer().into()),
            ("AFFINE", (case.clamp().scale() != Number::Absent).into()),
            ("MANY", (case.clamps.len() > 4).into()),
            ("CHANNELS", if inner <= COMPONENTS { inner as u32 } else { 0 }),
            ("TAKEN", dims.first().map_or(1, |dim| dim.extent as u32)),
            ("RANK", dims.len() as u32),
            ("AXIS", dims.iter().position(|dim| dim.is_channel).unwrap_or(3) as u32),
        ];
        let (first, last) = case.dst.span()?;
        let places = [case.src.offset() as u32, first as u32, (last - first + 1) as u32, 0];
        let of_dims =
            |of: &dyn Fn(usize) -> u32| [0, 1, 2, 3].map(|n| if n < dims.len() { of(n) } else { 0 });
        let dims = [of_dims(&|n| extents[n] as u32), of_dims(&|n| dims[n].src as u32)];
        let table: Vec<_> = case.clamps.iter().map(numbers).collect();
        let few = [0, 1, 2, 3].map(|n| table[n.min(table.len() - 1)].map(f32::to_bits));
        let words = case.dst.required_bytes(dtype).div_ceil(4);
        Some(Self {
            constants: constants.iter().map(|(name, value)| (*name, f64::from(*value))).collect(),
            params: [places].into_iter().chain(dims).chain(few).collect(),
            table,
            grid: kernels::grid(words.div_ceil(256)),
        })
    }

    /// The kernel's dispatches on each pair of source and destination.
    pub fn work(&self, device: &Device, pairs: &[[wgpu::Buffer; 2]]) -> Result<Work> {
        let pipeline = kernels::pipeline(device, Self::SOURCE, None, None, &self.constants);
        let params = data::uniform(device.wgpu(), bytemuck::cast_slice(&self.params));
        let table = data::buffer(device, bytemuck::cast_slice(&self.table));
        let layout = pipeline.get_bind_group_layout(0);
        let dispatches = pairs.iter().map(|[src, dst]| {
            let resources = [&params, src, dst, &table].map(wgpu::Buffer::as_entire_binding);
            let group = kernels::bind(device.wgpu(), &layout, (0..).zip(resources));
            kernels::dispatch(&pipeline, group, self.grid)
        });
        Ok(Work::Pass(dispatches.collect()))
    }
}

/// A dimension: extent, strides, and whether it is the channels'.
struct Dim {
    extent: usize,
    src: isize,
    dst: isize,
    is_channel: bool,
}

/// The dimensions of a case, merged, the destination's innermost first.
fn dims(case: &Case) -> Vec<Dim> {
    let strides = case.src.strides().iter().zip(case.dst.strides());
    let mut all: Vec<_> = case.dst.shape().iter().zip(strides).enumerate().collect();
    all.retain(|(_, (extent, _))| **extent > 1);
    all.sort_by_key(|(_, (_, (_, dst)))| **dst);
    let mut dims: Vec<Dim> = Vec::new();
    for (n, (&extent, (&src, &dst))) in all {
        let is_channel = case.axis == Some(n);
        let merges = |inner: &&mut Dim| {
            let extent = inner.extent.cast_signed();
            !is_channel && !inner.is_channel && dst == inner.dst * extent && src == inner.src * extent
        };
        match dims.last_mut().filter(merges) {
            Some(inner) => inner.extent *= extent,
            None => dims.push(Dim { extent, src, dst, is_channel }),
        }
    }
    dims
}

/// Min, Max, scale and bias of a clamp.
fn numbers(clamp: &Clamp) -> [f32; 4] {
    let bound = |number: Number, absent| match number {
        Number::Value(scalar) => number_of(clamp.dtype(), scalar.bits()),
        _ => absent,
    };
    let scalar = |number: Number, absent| number.value().and_then(Scalar::get::<f32>).unwrap_or(absent);
    let [min, max] = [bound(clamp.min(), f32::MIN), bound(clamp.max(), f32::MAX)];
    [min, max, scalar(clamp.scale(), 1.0), scalar(clamp.bias(), 0.0)]
}

/// Value of an element, for the dtypes that the kernel takes.
pub fn number_of(dtype: DType, bits: u64) -> f32 {
    match dtype {
        DType::F32 => f32::from_bits(bits as u32),
        DType::F16 => f16::from_bits(bits as u16).to_f32(),
        #[expect(clippy::cast_precision_loss, reason = "as the kernel does")]
        DType::I32 => bits as i32 as f32,
        DType::I8 => f32::from(bits as i8),
        _ => f32::from(bits as u8),
    }
}
