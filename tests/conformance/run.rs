//! One clamp of a packed tensor, on the reference and on the GPU.

use wgpu_clamp::{Bound, Clamp, DType, Layout, Operands, View, reference, verify};

use crate::harness::{Gpu, buffer, read, to_bytes};

/// What the reference makes of `x`.
pub fn on_reference(clamp: &Clamp, x: &[u64]) -> Vec<u64> {
    x.iter().map(|&x| reference::element(clamp, x)).collect()
}

/// What the GPU makes of `x`, which is also held to the reference. `on_gpu`: bounds are read from slots.
pub fn on_gpu(gpu: &Gpu, clamp: &Clamp, x: &[u64], shape: &[usize], on_gpu: bool) -> Vec<u64> {
    let dtype = clamp.dtype();
    let layout = Layout::packed(shape).unwrap();
    let bytes = to_bytes(dtype, x);
    let before = vec![0xa5; bytes.len()];
    let (src, dst) = (buffer(gpu, &bytes), buffer(gpu, &before));
    let slot = |bound| match bound {
        Bound::Value(bits) if on_gpu => Some(buffer(gpu, &to_bytes(dtype, &[bits]))),
        _ => None,
    };
    let (min, max) = (slot(clamp.min()), slot(clamp.max()));
    let one = Layout::packed(&[]).unwrap();
    let mut operands = Operands::new(View::new(&src, layout), View::new(&dst, layout));
    let mut bounds = (clamp.min(), clamp.max());
    if let Some(min) = &min {
        (operands, bounds.0) = (operands.with_min(View::new(min, one)), Bound::OnGpu);
    }
    if let Some(max) = &max {
        (operands, bounds.1) = (operands.with_max(View::new(max, one)), Bound::OnGpu);
    }
    let asked = clamp.with_bounds(bounds.0, bounds.1).unwrap();
    gpu.host.submit(&asked, operands).unwrap();
    let after = read(gpu, &dst);
    let report = verify::check(clamp, &layout, &bytes, &layout, &before, &after).unwrap();
    assert!(report.passed(), "{report}\n{clamp:?} on {}", gpu.name);
    elements(dtype, &after[..x.len() * dtype.size()])
}

/// The bits of little-endian elements.
pub fn elements(dtype: DType, bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks_exact(dtype.size())
        .map(|element| {
            let mut bits = [0; 8];
            bits[..element.len()].copy_from_slice(element);
            u64::from_le_bytes(bits)
        })
        .collect()
}
