//! Tensors that exceed one binding or one grid of workgroups.

use wgpu_clamp::{Clamp, DType, Layout, Number, Operands, Plan, Tensor, View};

use crate::harness::{
    Gpu, Place, buffer, check, compare, devices, exhaustive, gpus, packed, strided, with_limits,
};
use crate::layouts::{bytes_for, check_both, clamp};
use crate::random::Random;
use crate::values::scalar_of;

const BINDING: usize = 64 << 10;

/// A device with bindings of 64 KiB, 16 workgroups per dimension, and the same features.
fn small(gpu: &Gpu) -> Gpu {
    gpu.limited(|limits| {
        limits.max_storage_buffer_binding_size = BINDING as u64;
        limits.max_compute_workgroups_per_dimension = 16;
    })
}

#[test]
fn sizes_around_every_boundary() {
    for gpu in devices() {
        let gpu = small(gpu);
        let mut rng = Random(61);
        for &dtype in gpu.dtypes() {
            let binding = BINDING / dtype.size();
            for len in [binding - 1, binding, binding + 1, 2 * binding - 70, 5 * binding + 3] {
                for offset in [0, 3] {
                    let line = strided(&[len], &[1], offset);
                    check_both(&gpu, dtype, &line, &line, &mut rng);
                    // In reversed order, for other blocks.
                    check_both(&gpu, dtype, &line, &line.flip(0).unwrap(), &mut rng);
                }
            }
        }
    }
}

#[test]
fn layouts_of_every_kind() {
    for gpu in devices() {
        let gpu = small(gpu);
        let mut rng = Random(67);
        for &dtype in gpu.dtypes() {
            let image = packed(&[61, 83, 21]);
            let padded = packed(&[61, 90, 25]).slice(1, 2..85).unwrap().slice(2, 4..25).unwrap();
            for (src, dst) in [
                (image, padded),
                (padded, image),
                (packed(&[21, 61, 83]).permute(&[1, 2, 0]).unwrap(), image),
                (image, packed(&[83, 21, 61]).permute(&[2, 0, 1]).unwrap()),
                (packed(&[83, 1]).broadcast_to(&[61, 83, 21]).unwrap(), padded),
                (image.flip(0).unwrap().flip(2).unwrap(), padded.flip(1).unwrap()),
                // Long rows and squares, which suit packets.
                (packed(&[70, 401]), packed(&[70, 416]).slice(1, 0..401).unwrap()),
                (packed(&[192, 160]).permute(&[1, 0]).unwrap(), packed(&[160, 192])),
                (
                    packed(&[3, 131, 144]).permute(&[0, 2, 1]).unwrap(),
                    packed(&[3, 144, 160]).slice(2, 0..131).unwrap(),
                ),
                (packed(&[160, 1]).broadcast_to(&[160, 201]).unwrap(), packed(&[160, 201])),
                // A sliding window: neighbouring rows overlap.
                (strided(&[70, 208], &[1, 1], 3), packed(&[70, 208])),
            ] {
                check_both(&gpu, dtype, &src, &dst, &mut rng);
            }
        }
    }
}

/// Source and destination in one buffer, close enough for one binding or too far apart.
#[test]
fn one_buffer_near_and_far() {
    for gpu in devices() {
        let gpu = small(gpu);
        let mut rng = Random(71);
        for &dtype in gpu.dtypes() {
            let n = 150_000 / dtype.size();
            let line = packed(&[2 * n + 40]);
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
                let clamp = clamp(dtype, &mut rng);
                let bytes = bytes_for(&line, dtype, &mut rng);
                check(&gpu, &clamp, (&src, &bytes), (&dst, &[]), Place::Same);
            }
        }
    }
}

#[test]
fn bounds_on_the_gpu_reach_every_window() {
    for gpu in gpus() {
        let gpu = small(gpu);
        let mut rng = Random(73);
        for dtype in [DType::U8, DType::F16, DType::F32, DType::I64] {
            let clamp = clamp(dtype, &mut rng);
            let line = packed(&[200_000]);
            let bytes = bytes_for(&line, dtype, &mut rng);
            let data = buffer(&gpu, &bytes);
            let Number::Value(max) = clamp.max() else { unreachable!() };
            let slot = buffer(&gpu, &max.bits().to_le_bytes());
            let operands = Operands::in_place(View::new(&data, dtype, line));
            let from_slot = operands.with_max(View::new(&slot, dtype, packed(&[1])));
            gpu.host.submit(&clamp.with_bounds(clamp.min(), Number::OnGpu).unwrap(), from_slot).unwrap();
            compare(&gpu, &clamp, operands, &bytes, &bytes);
        }
    }
}

/// A tensor that needs more than one binding.
#[test]
fn a_tensor_of_several_bindings() {
    for gpu in gpus() {
        let limits = gpu.clamper().limits();
        let n = usize::try_from(limits.max_binding_size).unwrap() + 100_001;
        let layout = packed(&[n]);
        let clamp = Clamp::new(100_u8, 200);
        assert_eq!(Plan::in_one_buffer(&clamp, &layout, &layout, limits).unwrap().dispatches(), 3);
        let src = Random(79).bytes(n);
        let tensor = Tensor::upload(&gpu.host, &[n], &src).unwrap();
        gpu.host.submit(&clamp, Operands::in_place(tensor.view())).unwrap();
        let dst = tensor.read_blocking::<u8>().unwrap();
        let wrong = src.iter().zip(&dst).position(|(&x, &y)| y != x.clamp(100, 200));
        assert_eq!(wrong, None, "{}", gpu.name);
    }
}

/// Buffers up to the largest ones, with the adapter's own limits. If its bindings end at 128 MiB, a tensor takes
/// several windows. Without `--exhaustive`, each layout runs on one adapter.
#[test]
fn tensors_at_the_real_limits() {
    let sizes: &[usize] =
        if exhaustive() { &[136 << 20, 512 << 20, 1 << 30, (2 << 30) - 64] } else { &[136 << 20] };
    for (n, gpu) in gpus().iter().enumerate() {
        let gpu = with_limits(&gpu.adapter, gpu.adapter.limits());
        let limit = gpu.device().limits().max_buffer_size;
        println!("{}: buffers of up to {limit} bytes, {:?}", gpu.name, gpu.clamper().limits());
        assert!(sizes[0] as u64 <= limit, "no size fits into a buffer of {}", gpu.name);
        for &size in sizes.iter().filter(|&&size| size as u64 <= limit) {
            let mut rng = Random(83);
            let line = packed(&[size - 3]);
            // Rows of 4001 elements, out of 4096 and into 4099; transposed matrices; a line to a reversed line.
            let rows = size / 4 / 4099;
            let wide = packed(&[rows, 4096]).slice(1, 95..4096).unwrap();
            let wider = packed(&[rows, 4099]).slice(1, 0..4001).unwrap();
            let columns = size / 2 / 3001;
            let transposed = packed(&[columns, 3001]).permute(&[1, 0]).unwrap();
            let eighth = packed(&[size / 8]);
            let all = [
                (DType::U8, line, line, Place::Same),
                (DType::F32, wide, wider, Place::Apart),
                (DType::I64, eighth, eighth.flip(0).unwrap(), Place::Apart),
                (DType::F16, transposed, packed(&[3001, columns]), Place::Apart),
            ];
            let turn = |layout: &usize| exhaustive() || layout % gpus().len() == n;
            for (_, (dtype, src, dst, place)) in all.iter().enumerate().filter(|(layout, _)| turn(layout)) {
                at_size(&gpu, *dtype, src, dst, *place, &mut rng);
            }
        }
    }
}

fn at_size(gpu: &Gpu, dtype: DType, src: &Layout, dst: &Layout, place: Place, rng: &mut Random) {
    let started = std::time::Instant::now();
    let bound = |x| scalar_of(dtype, x);
    let clamp = Clamp::unbounded(dtype).with_bounds(bound(3.0), bound(90.0)).unwrap();
    let mut bytes = |layout: &Layout| rng.bytes(layout.required_bytes(dtype) as usize);
    let (from, to) = (bytes(src), if place == Place::Apart { bytes(dst) } else { vec![] });
    check(gpu, &clamp, (src, &from), (dst, &to), place);
    println!("{dtype}, {} bytes, {place:?}: {:?}", src.required_bytes(dtype), started.elapsed());
}
