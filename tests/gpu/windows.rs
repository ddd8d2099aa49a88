//! Tensors that exceed one binding. On devices with small bindings, `properties` tests windows of every kind.

use wgpu_clamp::{Clamp, DType, Layout};

use crate::harness::{Gpu, Place, check, devices, exhaustive, gpus, packed, strided};
use crate::random::Random;
use crate::values::scalar_of;

fn clamp(dtype: DType) -> Clamp {
    let bound = |x| scalar_of(dtype, x);
    Clamp::unbounded(dtype).with_bounds(bound(3.0), bound(90.0)).unwrap()
}

/// Source and destination in one buffer, close enough for one binding or too far apart.
#[test]
fn one_buffer_near_and_far() {
    for gpu in devices() {
        let gpu = gpu.limited(|limits| {
            limits.max_storage_buffer_binding_size = 64 << 10;
            // Two rows of workgroups.
            limits.max_compute_workgroups_per_dimension = 2;
        });
        let mut rng = Random(71);
        for &dtype in gpu.dtypes() {
            let n = 150_000 / dtype.size();
            let [front, back, even, odd] = [(1, 0), (1, n + 16), (2, 0), (2, 1)]
                .map(|(stride, offset)| strided(&[n], &[stride], offset));
            // dst directly behind src: their windows meet in one word, and in one unit of the bindings' alignment.
            let close = strided(&[n], &[1], n);
            for (src, dst) in [
                (front, back),
                (back, front),
                (even, odd),
                (odd.flip(0).unwrap(), even),
                (front, close),
                (close.flip(0).unwrap(), front),
            ] {
                let bytes = rng.bytes((2 * n + 40) * dtype.size());
                check(&gpu, &clamp(dtype), (&src, &bytes), (&dst, &[]), Place::Same);
            }
        }
    }
}

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
            let mut rng = Random(83);
            let rows = size / 4 / 4099;
            let wide = packed(&[rows, 4096]).slice(1, 95..4096).unwrap();
            let wider = packed(&[rows, 4099]).slice(1, 0..4001).unwrap();
            at_size(&adapters, DType::F32, &wide, &wider, Place::Apart, &mut rng);
            if exhaustive() {
                let (line, eighth) = (packed(&[size - 3]), packed(&[size / 8]));
                let columns = size / 2 / 3001;
                let transposed = packed(&[columns, 3001]).permute(&[1, 0]).unwrap();
                at_size(&adapters, DType::U8, &line, &line, Place::Same, &mut rng);
                at_size(&adapters, DType::I64, &eighth, &eighth.flip(0).unwrap(), Place::Apart, &mut rng);
                at_size(
                    &adapters,
                    DType::F16,
                    &transposed,
                    &packed(&[3001, columns]),
                    Place::Apart,
                    &mut rng,
                );
            }
        }
        assert!(136 * MIB as u64 <= limit, "no size fits into a buffer of {}", gpu.name);
    }
}

fn at_size(gpu: &Gpu, dtype: DType, src: &Layout, dst: &Layout, place: Place, rng: &mut Random) {
    let mut bytes = |layout: &Layout| rng.bytes(layout.required_bytes(dtype) as usize);
    let (from, to) = (bytes(src), if place == Place::Apart { bytes(dst) } else { vec![] });
    check(gpu, &clamp(dtype), (src, &from), (dst, &to), place);
}
