//! Where numbers on the GPU may lie, and when they are read. The self-test and `properties` test their values.

use wgpu_clamp::{Clamp, Clamps, DType, Layout, Number, Operands, Tensor, View};

use crate::harness::{Gpu, buffer, compare, gpus, packed, read, strided};
use crate::random::{Random, to_bytes};
use crate::values::{mask, scalar};

/// The clamp with some of Min, Max, scale and bias on the GPU.
fn on_gpu(clamp: &Clamp, which: [bool; 4]) -> Clamp {
    let by_value = [clamp.min(), clamp.max(), clamp.scale(), clamp.bias()];
    let [min, max, scale, bias] = std::array::from_fn(|n| if which[n] { Number::OnGpu } else { by_value[n] });
    clamp.with_bounds(min, max).unwrap().with_affine(scale, bias).unwrap()
}

/// The slots of both bounds behind the source, between the elements of the output, and beside them in their words.
#[test]
fn slots_lie_in_the_buffers_of_src_and_dst() {
    let n = 333_usize;
    let line = |stride, offset| strided(&[n], &[stride], offset);
    for gpu in gpus() {
        let mut rng = Random(43);
        for dtype in [DType::U8, DType::F16, DType::I32, DType::F64] {
            let [min, max] = [3, 100].map(|bits| scalar(dtype, bits));
            let clamp = Clamp::unbounded(dtype).with_bounds(min, max).unwrap();
            for (one_buffer, src, dst, slots) in [
                (false, line(1, 0), line(1, 0), [n + 2, n + 1]),
                (true, line(2, 0), line(2, 0), [1, 2 * n - 1]),
                (true, line(1, 0), line(-2, 3 * n + 5), [n + 8, n + 6]),
            ] {
                let mut data: Vec<u64> = (0..3 * n + 8).map(|_| rng.bits() & mask(dtype)).collect();
                for (slot, bound) in slots.into_iter().zip([min, max]) {
                    data[slot] = bound.bits();
                }
                let bytes = to_bytes(dtype, &data);
                let from = buffer(gpu, &bytes);
                let to = if one_buffer { from.clone() } else { buffer(gpu, &bytes) };
                let operands = Operands::new(View::new(&from, dtype, src), View::new(&to, dtype, dst));
                let [low, high] = slots.map(|slot| View::new(&from, dtype, strided(&[], &[], slot)));
                let asked = on_gpu(&clamp, [true, true, false, false]);
                gpu.host.submit(asked, operands.with_min(low).with_max(high)).unwrap();
                compare(gpu, clamp, operands, &bytes, &bytes);
            }
        }
    }
}

/// Numbers per channel in the shapes that frameworks hold, and in every second element of a buffer.
#[test]
fn slots_along_an_axis_have_any_shape_that_broadcasts() {
    for gpu in gpus() {
        let numbers = [3_i16, -1, 7, 20, 11];
        let input: Vec<u8> = (0..2 * 5 * 3 * 4_i16).flat_map(|x| (x % 40 - 20).to_le_bytes()).collect();
        let slot: Vec<u8> = numbers.iter().flat_map(|x| [*x, 99]).flat_map(i16::to_le_bytes).collect();
        let (src, slot) = (buffer(gpu, &input), buffer(gpu, &slot));
        let nchw = packed(&[2, 5, 3, 4]);
        let clamp = Clamp::unbounded(DType::I16).with_bounds(Number::OnGpu, 25_i16).unwrap();
        let by_value = numbers.map(|min| Clamp::new(min, 25));
        for (shape, strides) in
            [(&[5][..], &[2][..]), (&[5, 1, 1], &[2, 7, 0]), (&[1, 5, 1, 1], &[-3, 2, 1, 1])]
        {
            let dst = buffer(gpu, &vec![0; input.len()]);
            let operands = Operands::new(View::of::<i16>(&src, nchw), View::of::<i16>(&dst, nchw));
            let min = View::of::<i16>(&slot, strided(shape, strides, 0));
            gpu.host.submit(Clamps::slots_along(1, clamp), operands.with_min(min)).unwrap();
            compare(gpu, Clamps::along(1, &by_value), operands, &input, &vec![0; input.len()]);
        }
    }
}

/// If scale or bias is NaN or ∞, a NaN stays and each other element becomes the quiet NaN. With such a number for one row
/// alone, the other row is as ever.
#[test]
fn a_scale_or_bias_that_is_not_finite_gives_nan() {
    const NAN: u32 = 0x7fc0_0000;
    let row = [0x3f80_0000_u32, 0, 0x7f80_0000, 0x8000_0001, 0xff80_0001].map(f32::from_bits);
    let asked = Clamp::unbounded(DType::F32).with_affine(Number::OnGpu, Number::OnGpu).unwrap();
    for gpu in gpus() {
        let tensor = Tensor::upload(&gpu.host, &[2, 5], &[row, row].concat()).unwrap();
        let out = Tensor::zeros(&gpu.host, DType::F32, &[2, 5]).unwrap();
        for not_finite in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0x7f80_0001)] {
            for numbers in [[[1.0, not_finite], [0.0, 0.0]], [[1.0, 1.0], [0.0, not_finite]]] {
                let [scale, bias] = numbers.map(|pair| Tensor::upload(&gpu.host, &[2], &pair).unwrap());
                let operands = Operands::new(tensor.view(), out.view());
                let operands = operands.with_scale(scale.view()).with_bias(bias.view());
                gpu.host.submit(Clamps::slots_along(0, asked), operands).unwrap();
                let results = out.read_blocking::<f32>().unwrap();
                let words: Vec<u32> = results.iter().map(|x| x.to_bits()).collect();
                assert_eq!(words[..5], row.map(f32::to_bits), "{}", gpu.name);
                assert_eq!(words[5..], [NAN, NAN, NAN, NAN, 0xff80_0001], "{not_finite} on {}", gpu.name);
            }
        }
    }
}

/// A dispatch reads a slot as the dispatch before it in the pass wrote it, each time that both are recorded.
#[test]
fn a_slot_is_read_when_the_dispatch_runs() {
    fn doubled<const N: usize>(
        gpu: &Gpu,
        slots: View<'_>,
        clamps: Clamps<'_>,
        operands: &Operands<'_>,
        expected: [[u64; 4]; N],
    ) {
        let double = Clamp::unbounded(slots.dtype()).with_affine(2.0, 0.0).unwrap();
        let double = gpu.clamper().prepare(double, Operands::in_place(slots)).unwrap();
        let reads = gpu.clamper().prepare(clamps, *operands).unwrap();
        for expected in expected {
            gpu.run(&[&double, &reads]);
            let dst = operands.dst();
            assert_eq!(read(gpu, dst.buffer()), to_bytes(dst.dtype(), &expected), "{}", gpu.name);
        }
    }
    for gpu in gpus() {
        // An upper bound whose word holds another element, too.
        let words = Tensor::upload(&gpu.host, &[4], &[1_i16, 20, 300, 4000]).unwrap();
        let out = Tensor::zeros(&gpu.host, DType::I16, &[4]).unwrap();
        let slots = Tensor::upload(&gpu.host, &[2], &[50_i16, 7]).unwrap();
        let slot = View::of::<i16>(slots.buffer(), packed(&[1]));
        let clamp = Clamp::unbounded(DType::I16).with_bounds(Number::Absent, Number::OnGpu).unwrap();
        let operands = Operands::new(words.view(), out.view()).with_max(slot);
        let expected = [100, 200, 400].map(|most| [1, 20, 300, 4000].map(|x: u64| x.min(most)));
        doubled(gpu, slot, (&clamp).into(), &operands, expected);

        // A scale for each row.
        let rows = Tensor::upload(&gpu.host, &[2, 2], &[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
        let out = Tensor::zeros(&gpu.host, DType::U8, &[2, 2]).unwrap();
        let scales = Tensor::upload(&gpu.host, &[2], &[1.0_f32, 10.0]).unwrap();
        let clamp = Clamp::unbounded(DType::U8).with_source(DType::F32).unwrap();
        let clamp = clamp.with_affine(Number::OnGpu, Number::Absent).unwrap();
        let operands = Operands::new(rows.view(), out.view()).with_scale(scales.view());
        let expected = [[2, 4, 60, 80], [4, 8, 120, 160], [8, 16, 240, 255]];
        doubled(gpu, scales.view(), Clamps::slots_along(0, clamp), &operands, expected);
    }
}

/// A slot of one element serves all indices of the axis, beside slots with an element for each.
#[test]
fn one_number_serves_all_channels() {
    for gpu in gpus() {
        let scales = Tensor::upload(&gpu.host, &[3], &[1.0_f32, 2.0, 3.0]).unwrap();
        let bias = Tensor::upload(&gpu.host, &[1, 1], &[10.0_f32]).unwrap();
        let most = Tensor::upload(&gpu.host, &[3], &[22_u8, 23, 24]).unwrap();
        let tensor = Tensor::upload(&gpu.host, &[2, 3], &[1_u8, 2, 3, 4, 5, 6]).unwrap();
        let clamp = on_gpu(&Clamp::unbounded(DType::U8), [false, true, true, true]);
        let in_place = Operands::in_place(tensor.view());
        let backwards = View::of::<u8>(most.buffer(), packed(&[3]).flip(0).unwrap());
        let operands = in_place.with_scale(scales.view()).with_bias(bias.view()).with_max(backwards);
        gpu.host.submit(Clamps::slots_along(1, clamp), operands).unwrap();
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [11, 14, 19, 14, 20, 22]);
        // If each slot has one element, there is one clamp and no table.
        let operands = in_place
            .with_scale(View::of::<f32>(scales.buffer(), packed(&[1])))
            .with_bias(View::of::<f32>(bias.buffer(), packed(&[])))
            .with_max(View::of::<u8>(most.buffer(), packed(&[])));
        let prepared = gpu.clamper().prepare(Clamps::slots_along(1, clamp), operands).unwrap();
        let plain = gpu.clamper().prepare(clamp, operands).unwrap();
        assert_eq!(prepared.dispatches(), plain.dispatches());
    }
}

/// All four numbers take two dispatches, since a stage has at most four storage buffers; three take one.
#[test]
fn slots_take_as_few_dispatches_as_can_be() {
    for gpu in gpus() {
        let data = Tensor::zeros(&gpu.host, DType::F32, &[64]).unwrap();
        let slot = Tensor::zeros(&gpu.host, DType::F32, &[64]).unwrap();
        for n in 0..16 {
            let which = [0, 1, 2, 3].map(|bit| n >> bit & 1 == 1);
            let clamp = on_gpu(&Clamp::unbounded(DType::F32), which);
            for (clamps, shape) in [(Clamps::from(&clamp), &[][..]), (Clamps::slots_along(0, clamp), &[64])] {
                let view = View::of::<f32>(slot.buffer(), packed(shape));
                let [min, max, scale, bias] = which.map(|wanted| wanted.then_some(view));
                let operands = Operands::in_place(data.view()).with_min(min).with_max(max);
                let prepared =
                    gpu.clamper().prepare(clamps, operands.with_scale(scale).with_bias(bias)).unwrap();
                let gathers = [0, 1, 2][usize::from(n > 0) + usize::from(n == 15)];
                assert_eq!(prepared.dispatches(), 1 + gathers, "{n:04b}, {shape:?}");
            }
        }
    }
}

/// All windows of a call share the table, so one dispatch reads the slot, also with a limit of one workgroup.
#[test]
fn many_windows_read_a_slot_once() {
    for (gpu, workgroups) in gpus().flat_map(|gpu| [(gpu, 65_535), (gpu, 1)]) {
        let small = gpu.limited(|limits| {
            limits.max_storage_buffer_binding_size = 8192;
            limits.max_compute_workgroups_per_dimension = workgroups;
        });
        let data = Random(3).bytes(100_000);
        let (src, dst) = (buffer(&small, &data), buffer(&small, &data));
        let slot = buffer(&small, &to_bytes(DType::U8, &[0, 77]));
        let slot = View::of::<u8>(&slot, Layout::packed_at(&[], 1).unwrap());
        let [from, to] = [&src, &dst].map(|buffer| View::of::<u8>(buffer, strided(&[99_000], &[1], 5)));
        let clamp = Clamp::new(20_u8, 77);
        let asked = on_gpu(&clamp, [false, true, false, false]);
        let operands = Operands::new(from, to);
        let by_value = small.clamper().prepare(clamp, operands).unwrap().dispatches();
        let prepared = small.clamper().prepare(asked, operands.with_max(slot)).unwrap();
        let windows = by_value - 1;
        assert!(windows > 12, "{windows}");
        assert_eq!(prepared.dispatches() - by_value, 1);
        small.run(&[&prepared]);
        compare(&small, clamp, operands, &data, &data);
    }
}
