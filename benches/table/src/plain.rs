//! The plain kernel (`shaders/plain.wgsl`) for a case.

use anyhow::{Result, ensure};
use half::f16;
use wgpu_clamp::{Clamp, DType, Layout, Number, Precision, Scalar};

use crate::case::Case;
use crate::kernels::Kernels;

/// The dtypes that the kernel takes.
const DTYPES: [DType; 5] = [DType::U8, DType::I8, DType::F16, DType::I32, DType::F32];

/// Largest innermost extent that a program knows at compile time, such as a number of components.
const COMPONENTS: usize = 64;

/// The kernel for a case, if it can do the same: in two buffers, with numbers of the host, in up to three dimensions once
/// merged, and without gaps in the destination other than behind a short innermost dimension.
pub(crate) fn plain(case: &Case) -> Option<Kernels> {
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
    let of_dims = |of: &dyn Fn(usize) -> u32| [0, 1, 2, 3].map(|n| if n < dims.len() { of(n) } else { 0 });
    let dims = [of_dims(&|n| extents[n] as u32), of_dims(&|n| dims[n].src as u32)];
    let table: Vec<_> = case.clamps.iter().map(numbers).collect();
    let few = [0, 1, 2, 3].map(|n| table[n.min(table.len() - 1)].map(f32::to_bits));
    let words = case.dst.required_bytes(dtype).div_ceil(4);
    let params: Vec<_> = [places].into_iter().chain(dims).chain(few).collect();
    Some(Kernels::one(
        include_str!("../shaders/plain.wgsl").to_owned(),
        constants.iter().map(|(name, value)| (*name, f64::from(*value))).collect(),
        case.sizes().ok()?.map(|size| size.next_multiple_of(4) as u64),
        vec![bytemuck::cast_slice(&params).to_vec(), bytemuck::cast_slice(&table).to_vec()],
        words.div_ceil(256),
    ))
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

/// Min, Max, scale and bias of a clamp. A bound that is absent is the dtype's.
fn numbers(clamp: &Clamp) -> [f32; 4] {
    let [least, most] = match clamp.dtype() {
        DType::U8 => [0.0, 255.0],
        DType::I8 => [-128.0, 127.0],
        DType::I32 => [-2_147_483_648.0, 2_147_483_520.0],
        _ => [f32::MIN, f32::MAX],
    };
    let bound = |number: Number, absent| match number {
        Number::Value(scalar) => number_of(clamp.dtype(), scalar.bits()),
        _ => absent,
    };
    let scalar = |number: Number, absent| number.value().and_then(Scalar::get::<f32>).unwrap_or(absent);
    let [min, max] = [bound(clamp.min(), least), bound(clamp.max(), most)];
    let scale = scalar(clamp.scale(), 1.0);
    let [scale, bias] = match clamp.zero_point() {
        None => [scale, scalar(clamp.bias(), 0.0)],
        Some(zero_point) if clamp.source().is_float() => [1.0 / scale, f32::from(zero_point as i16)],
        Some(zero_point) => [scale, -scale * f32::from(zero_point as i16)],
    };
    [min, max, scale, bias]
}

/// Checks that the plain kernel's results are close to ours, so that both did the same work.
pub(crate) fn alike(dtype: DType, layout: &Layout, destinations: [&[u8]; 2]) -> Result<()> {
    for address in layout.addresses() {
        let [ours, theirs] = destinations.map(|bytes| {
            let element = &bytes[address * dtype.size()..][..dtype.size()];
            number_of(dtype, element.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
        });
        // The plain kernel computes in f32, which keeps only the upper 24 bits of an i32.
        let far = if dtype.is_float() { ours.abs() / 500.0 + 1e-3 } else { (ours.abs() / 1e6).max(1.0) };
        let is_close = ours.to_bits() == theirs.to_bits() || (ours - theirs).abs() <= far;
        ensure!(is_close, "element at {address}: {ours}, the plain kernel has {theirs}");
    }
    Ok(())
}

/// Value of an element, for the dtypes that the kernel takes.
fn number_of(dtype: DType, bits: u64) -> f32 {
    match dtype {
        DType::F32 => f32::from_bits(bits as u32),
        DType::F16 => f16::from_bits(bits as u16).to_f32(),
        #[expect(clippy::cast_precision_loss, reason = "as the kernel does")]
        DType::I32 => bits as i32 as f32,
        DType::I8 => f32::from(bits as i8),
        _ => f32::from(bits as u8),
    }
}
