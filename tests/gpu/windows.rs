//! Tensors that exceed one binding. On devices with small bindings, `properties` tests windows of every kind.

use wgpu_clamp::{Clamp, DType, Layout, Operands, View};

use crate::harness::{Gpu, buffer, compare, exhaustive, gpus, packed};
use crate::random::Random;
use crate::values::scalar_of;

/// A tensor that needs more than one binding: rows of 4001 elements, out of 4096 and into 4099. With `--exhaustive`, tensors up
/// to the adapter's own limits: also transposed matrices, a line in place and a line to a reversed line.
#[test]
fn tensors_beyond_a_binding() {
    const MIB: usize = 1 << 20;
    for gpu in gpus() {
        let adapters = gpu.limited(|limits| {
            if exhaustive() {
                *limits = gpu.adapter.limits();
            }
        });
        let limit = adapters.device().limits().max_buffer_size;
        let sizes: &[usize] = if exhaustive() { &[136, 512, 1024, 2047] } else { &[136] };
        for size in sizes.iter().map(|size| size * MIB).filter(|&size| size as u64 <= limit) {
            let rows = size / 4 / 4099;
            let wide = packed(&[rows, 4096]).slice(1, 95..4096).unwrap();
            at_size(&adapters, DType::F32, &wide, &packed(&[rows, 4099]).slice(1, 0..4001).unwrap());
            if exhaustive() {
                let (line, eighth) = (packed(&[size - 3]), packed(&[size / 8]));
                let columns = size / 2 / 3001;
                let transposed = packed(&[columns, 3001]).permute(&[1, 0]).unwrap();
                at_size(&adapters, DType::U8, &line, &line);
                at_size(&adapters, DType::I64, &eighth, &eighth.flip(0).unwrap());
                at_size(&adapters, DType::F16, &transposed, &packed(&[3001, columns]));
            }
        }
        assert!(136 * MIB as u64 <= limit, "no size fits into a buffer of {}", gpu.name);
    }
}

/// Clamps in place, if both layouts are equal, or from one buffer to another.
fn at_size(gpu: &Gpu, dtype: DType, src: &Layout, dst: &Layout) {
    let mut random = Random(83);
    let mut bytes = |layout: &Layout| random.bytes(layout.required_bytes(dtype).next_multiple_of(4) as usize);
    let (from, to) = (bytes(src), if src == dst { vec![] } else { bytes(dst) });
    let clamp = Clamp::unbounded(dtype).with_bounds(scalar_of(dtype, 3.0), scalar_of(dtype, 90.0)).unwrap();
    let src_buffer = buffer(gpu, &from);
    let (to, dst_buffer) = if src == dst { (&from, src_buffer.clone()) } else { (&to, buffer(gpu, &to)) };
    let operands = Operands::new(View::new(&src_buffer, dtype, *src), View::new(&dst_buffer, dtype, *dst));
    gpu.host.submit(clamp, operands).unwrap();
    compare(gpu, clamp, operands, &from, to);
}
