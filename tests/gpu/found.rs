//! Scales and biases in slots on the GPU, with bounds beside them: one number each, or one per index of an axis.
//! Also all pairs of dtypes, with numbers by value too.

use wgpu_clamp::testing::Found;
use wgpu_clamp::{
    Clamp, Clamps, DType, Error, Layout, NanRule, Number, Operands, Order, Precision, Rounding, Tensor, View,
    wgpu,
};

use crate::assert_error::assert_error;
use crate::harness::{Gpu, buffer, exhaustive, gpus, read, with_limits};
use crate::random::{Random, to_bytes};
use crate::values::{bits_of, edges, elements, mask, scalar};

/// The destination dtypes for which a scale may lie on the GPU.
const TO: [DType; 7] = [DType::F32, DType::F16, DType::BF16, DType::U8, DType::I8, DType::U16, DType::I16];

/// The numbers of a channel as bits: Min, Max, scale and bias.
type Numbers = [u64; 4];

/// A clamp with numbers on the GPU, and its layouts.
struct Case<'a> {
    clamp: Clamp,
    /// The axis along which each index has its own line of `numbers`; without an axis, the first line serves all.
    axis: Option<usize>,
    numbers: &'a [Numbers],
    src: Layout,
    dst: Layout,
}

/// For each number that the clamp has on the GPU, a buffer and the layout of the slot. The slots of Min and Max run
/// backwards, and two elements lie between two biases.
fn slots(
    gpu: &Gpu,
    clamp: &Clamp,
    axis: Option<usize>,
    numbers: &[Numbers],
) -> [Option<(wgpu::Buffer, Layout)>; 4] {
    let of = [clamp.min(), clamp.max(), clamp.scale(), clamp.bias()];
    std::array::from_fn(|n| {
        if of[n] != Number::OnGpu {
            return None;
        }
        let dtype = if n < 2 { clamp.dtype() } else { DType::F32 };
        let count = if axis.is_some() { numbers.len() } else { 1 };
        let stride = [-1_isize, -1, 1, 3][n];
        let last = 1 + (count - 1) * stride.unsigned_abs();
        let layout = match axis {
            Some(_) => Layout::strided(&[count], &[stride], if stride < 0 { last } else { 1 }),
            None => Layout::packed_at(&[], 1),
        }
        .unwrap();
        let mut data = vec![0x3c3c_3c3c_3c3c_3c3c & mask(dtype); last + 3];
        for (address, numbers) in layout.addresses().zip(numbers) {
            data[address] = numbers[n] & mask(dtype);
        }
        let mut bytes = to_bytes(dtype, &data);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        Some((buffer(gpu, &bytes), layout))
    })
}

impl Case<'_> {
    /// Runs the case from one buffer to another; checks each element, and that no byte around them changes.
    fn check(&self, gpu: &Gpu, values: &[u64]) {
        let Self { clamp, axis, numbers, src, dst } = self;
        let (source, dtype) = (clamp.source(), clamp.dtype());
        let data: Vec<_> =
            values.iter().copied().cycle().take(src.span().map_or(0, |(_, last)| last + 1)).collect();
        let mut bytes = to_bytes(source, &data);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let before = vec![0xa5; dst.required_bytes(dtype) as usize];
        let (from, to) = (buffer(gpu, &bytes), buffer(gpu, &before));
        let slots = slots(gpu, clamp, *axis, numbers);
        let view = |n: usize| {
            let dtype = if n < 2 { dtype } else { DType::F32 };
            slots[n].as_ref().map(|(buffer, layout)| View::new(buffer, dtype, *layout))
        };
        let operands = Operands::new(View::new(&from, source, *src), View::new(&to, dtype, *dst))
            .with_min(view(0))
            .with_max(view(1))
            .with_scale(view(2))
            .with_bias(view(3));
        let clamps = axis.map_or_else(|| clamp.into(), |axis| Clamps::slots_along(axis, clamp));
        gpu.host.submit(clamps, operands).unwrap();
        let after = read(gpu, &to);
        let found: Vec<_> = numbers.iter().map(|numbers| Found::new(clamp, *numbers)).collect();
        let size = dtype.size();
        let mut expected = before;
        let step: usize = axis.map_or(1, |axis| src.shape()[axis + 1..].iter().product());
        for (n, (from, to)) in src.addresses().zip(dst.addresses()).enumerate() {
            let found = &found[if axis.is_some() { n / step % found.len() } else { 0 }];
            let got = &after[to * size..][..size];
            let bits = got.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte));
            let allowed = found.allowed(data[from]);
            assert!(
                allowed.contains(bits),
                "{:#x} became {bits:#x}, not one of {:x?}: {clamp:?}\n{found:?}\n{} along {axis:?}, {src} to {dst}, on {}",
                data[from],
                allowed.values(),
                numbers.len(),
                gpu.name
            );
            expected[to * size..][..size].copy_from_slice(got);
        }
        assert_eq!(after, expected, "a byte outside changed, on {}", gpu.name);
    }
}

/// A scale and a bias. Ordinary numbers, the identity, zeros, and NaN or ∞ all come often.
fn factors(rng: &mut Random) -> [u64; 2] {
    let ordinary = [1.0 / 255.0, -1.7, 0.5, 77.0, 3e-5, -1e-4, 1e30, f32::from_bits(3)];
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0x7f80_0001)];
    let scale = match rng.below(8) {
        0 => rng.pick(&odd),
        1 => rng.pick(&[0.0, -0.0]),
        2 | 3 => 1.0,
        _ => rng.pick(&ordinary),
    };
    let bias = match rng.below(8) {
        0 => rng.pick(&odd),
        1..4 => rng.pick(&[0.0, -0.0]),
        _ => rng.pick(&[0.5, -1.25, 128.0, -3e4, 1e-40, -1e38]),
    };
    [scale, bias].map(|number| number.to_bits().into())
}

fn numbers(rng: &mut Random, dtype: DType) -> Numbers {
    let bounds = edges(dtype);
    let [scale, bias] = factors(rng);
    let ordinary = [bits_of(dtype, 3.0), bits_of(dtype, 100.0)];
    let bound = |rng: &mut Random, n: usize| if rng.below(2) == 0 { ordinary[n] } else { rng.pick(&bounds) };
    [bound(rng, 0), bound(rng, 1), scale, bias]
}

#[test]
fn every_pair_takes_scale_and_bias_from_slots() {
    for gpu in gpus() {
        let mut rng = Random(28);
        for (n, (source, dtype)) in
            DType::CONVERTIBLE.into_iter().flat_map(|source| TO.map(|dtype| (source, dtype))).enumerate()
        {
            let plain = Clamp::unbounded(dtype).with_source(source).unwrap();
            for m in 0..4 {
                let rule = [NanRule::Propagate, NanRule::ToMin, NanRule::ToMax][rng.below(3)];
                let clamp = plain
                    .with_precision([Precision::Fast, Precision::Exact][m % 2])
                    .with_rounding([Rounding::TowardZero, Rounding::NearestEven][m / 2])
                    .with_order([Order::MinWins, Order::MaxWins][rng.below(2)])
                    .with_nan_rule(rule);
                let values = elements(&Clamp::unbounded(source), 200, n as u64);
                // For 16 bits, only some of the values.
                let values: Vec<_> =
                    values.into_iter().step_by(if source.bits() == 16 { 64 } else { 1 }).collect();
                let bounds = match rng.below(3) {
                    0 => [Number::Absent; 2],
                    1 => [Number::OnGpu; 2],
                    _ => [Number::from(scalar(dtype, bits_of(dtype, 2.0))), Number::OnGpu],
                };
                let affine = match rng.below(4) {
                    0 => [Number::OnGpu, Number::Absent],
                    1 => [Number::Absent, Number::OnGpu],
                    2 => [Number::OnGpu, 0.5_f32.into()],
                    _ => [Number::OnGpu; 2],
                };
                let clamp = clamp.with_bounds(bounds[0], bounds[1]).unwrap();
                let clamp = clamp.with_scale_bias(affine[0], affine[1]).unwrap();
                let line = Layout::packed(&[values.len()]).unwrap();
                for _ in 0..12 {
                    let numbers = [numbers(&mut rng, dtype)];
                    Case { clamp, axis: None, numbers: &numbers, src: line, dst: line }.check(gpu, &values);
                }
                // Channels as rows, columns or planes, in some order: few, many, and more than fit into a uniform
                // block.
                let channels = [3, 40, 300][(n + m) % 3];
                let each = values.len().max(2 * channels) / channels;
                let layout = |shape: &[usize]| Layout::packed(shape).unwrap();
                let (axis, src, dst) = match (n / 3 + m) % 4 {
                    0 => (0, layout(&[channels, each]), layout(&[channels, each])),
                    1 => (1, layout(&[each, channels]), layout(&[each, channels])),
                    2 => (1, layout(&[each, channels]), layout(&[each, channels]).flip(1).unwrap()),
                    _ => (
                        2,
                        layout(&[2, channels, each]).permute(&[0, 2, 1]).unwrap(),
                        layout(&[2, each, channels]),
                    ),
                };
                let all: Vec<_> = (0..channels).map(|_| numbers(&mut rng, dtype)).collect();
                Case { clamp, axis: Some(axis), numbers: &all, src, dst }.check(gpu, &values);
            }
        }
    }
}

/// All pairs of the nine dtypes, by value and from slots: every value of 8 and 16 bits; for wider sources edges and
/// random patterns, a million with `cargo xtask test --exhaustive`.
#[test]
fn every_pair_on_every_value() {
    let random = if exhaustive() { 1_000_000 } else { 3_000 };
    for gpu in gpus() {
        for (n, (source, dtype)) in DType::CONVERTIBLE
            .into_iter()
            .flat_map(|source| DType::CONVERTIBLE.map(|dtype| (source, dtype)))
            .enumerate()
        {
            let plain = Clamp::unbounded(dtype).with_source(source).unwrap();
            let nearest = plain.with_rounding(Rounding::NearestEven);
            let line = |values: &[u64]| Layout::packed(&[values.len()]).unwrap();
            for (m, clamp) in
                [plain, nearest].into_iter().enumerate().take(if dtype.is_float() { 1 } else { 2 })
            {
                // Steps with results near 0 and near integers, too.
                let affine =
                    [(0.731_25_f32, -1.5_f32), (-3.1e-4, 0.25), (130.9, 1e4), (1.0, 0.5)][(n + m) % 4];
                let stepped = clamp.with_affine(affine.0, affine.1).unwrap();
                let numbers = [[0, 0, affine.0.to_bits().into(), affine.1.to_bits().into()]];
                let values = elements(&Clamp::unbounded(source), random, n as u64);
                let check = |clamp: Clamp| {
                    let (src, dst) = (line(&values), line(&values));
                    Case { clamp, axis: None, numbers: &numbers, src, dst }.check(gpu, &values);
                };
                check(clamp);
                for precision in [Precision::Fast, Precision::Exact] {
                    let stepped = stepped.with_precision(precision);
                    check(stepped);
                    if TO.contains(&dtype) {
                        check(stepped.with_scale_bias(Number::OnGpu, Number::OnGpu).unwrap());
                    }
                }
            }
        }
    }
}

/// A slot of one element serves all indices of the axis, beside slots with an element for each.
#[test]
fn one_number_serves_all_channels() {
    for gpu in gpus() {
        let scales = buffer(gpu, &to_bytes(DType::F32, &[1.0, 2.0, 3.0].map(|x: f32| x.to_bits().into())));
        let bias = buffer(gpu, &to_bytes(DType::F32, &[10.0_f32.to_bits().into()]));
        let most = buffer(gpu, &[22, 23, 24, 0]);
        let layout = Layout::packed(&[2, 3]).unwrap();
        let tensor = Tensor::upload(&gpu.host, &[2, 3], &[1_u8, 2, 3, 4, 5, 6]).unwrap();
        let clamp = Clamp::at_most(0_u8).with_bounds(Number::Absent, Number::OnGpu).unwrap();
        let clamp = clamp.with_scale_bias(Number::OnGpu, Number::OnGpu).unwrap();
        let operands = Operands::in_place(View::of::<u8>(tensor.buffer(), layout))
            .with_scale(View::of::<f32>(&scales, Layout::packed(&[3]).unwrap()))
            .with_bias(View::of::<f32>(&bias, Layout::packed(&[1, 1]).unwrap()))
            .with_max(View::of::<u8>(&most, Layout::packed(&[3]).unwrap().flip(0).unwrap()));
        gpu.host.submit(Clamps::slots_along(1, &clamp), operands).unwrap();
        let got: Vec<u8> = tensor.read_blocking().unwrap();
        assert_eq!(got, [11, 14, 19, 14, 20, 22]);
        // If each slot has one element, there is one clamp and no table.
        let operands = Operands::in_place(View::of::<u8>(tensor.buffer(), layout))
            .with_scale(View::of::<f32>(&scales, Layout::packed(&[1]).unwrap()))
            .with_bias(View::of::<f32>(&bias, Layout::packed(&[]).unwrap()))
            .with_max(View::of::<u8>(&most, Layout::packed(&[]).unwrap()));
        let prepared = gpu.clamper().prepare(Clamps::slots_along(1, &clamp), operands).unwrap();
        let plain = gpu.clamper().prepare(&clamp, operands).unwrap();
        assert_eq!(prepared.dispatches(), plain.dispatches());
    }
}

/// A dispatch reads a slot as the dispatch before it in the pass wrote it, each time that both are recorded.
#[test]
fn a_scale_is_read_when_the_dispatch_runs() {
    for gpu in gpus() {
        let rows = Layout::packed(&[2, 2]).unwrap();
        let of = |numbers: &[f32]| {
            let bits: Vec<u64> = numbers.iter().map(|x| x.to_bits().into()).collect();
            buffer(gpu, &to_bytes(DType::F32, &bits))
        };
        let (src, scales) = (of(&[1.0, 2.0, 3.0, 4.0]), of(&[1.0, 10.0]));
        let dst = buffer(gpu, &[0; 4]);
        let scales = View::of::<f32>(&scales, Layout::packed(&[2]).unwrap());
        let clamp = Clamp::unbounded(DType::U8).with_source(DType::F32).unwrap();
        let clamp = clamp.with_scale_bias(Number::OnGpu, Number::Absent).unwrap();
        let operands =
            Operands::new(View::of::<f32>(&src, rows), View::of::<u8>(&dst, rows)).with_scale(scales);
        let quantize = gpu.clamper().prepare(Clamps::slots_along(0, &clamp), operands).unwrap();
        let double = Clamp::unbounded(DType::F32).with_affine(2.0, 0.0).unwrap();
        let double = gpu.clamper().prepare(&double, Operands::in_place(scales)).unwrap();
        for expected in [[2, 4, 60, 80], [4, 8, 120, 160], [8, 16, 240, 255]] {
            let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                double.record(&mut pass);
                quantize.record(&mut pass);
            }
            gpu.host.queue().submit([encoder.finish()]);
            assert_eq!(read(gpu, &dst), expected, "{}", gpu.name);
        }
    }
}

/// All four numbers take two dispatches, since a stage has at most four storage buffers; three take one.
#[test]
fn slots_take_as_few_dispatches_as_can_be() {
    for gpu in gpus() {
        let layout = Layout::packed(&[64]).unwrap();
        let data = Tensor::zeros(&gpu.host, DType::F32, &[64]).unwrap();
        let slot = Tensor::zeros(&gpu.host, DType::F32, &[64]).unwrap();
        let view = |wanted: bool, by_index: bool| {
            let layout = Layout::packed(if by_index { &[64] } else { &[] }).unwrap();
            wanted.then(|| View::of::<f32>(slot.buffer(), layout))
        };
        let number = |wanted: bool| if wanted { Number::OnGpu } else { Number::Absent };
        for n in 0..16 {
            let [min, max, scale, bias] = [0, 1, 2, 3].map(|bit| n >> bit & 1 == 1);
            let clamp = Clamp::unbounded(DType::F32).with_bounds(number(min), number(max)).unwrap();
            let clamp = clamp.with_scale_bias(number(scale), number(bias)).unwrap();
            for by_index in [false, true] {
                let operands = Operands::in_place(View::of::<f32>(data.buffer(), layout))
                    .with_min(view(min, by_index))
                    .with_max(view(max, by_index))
                    .with_scale(view(scale, by_index))
                    .with_bias(view(bias, by_index));
                let clamps = if by_index { Clamps::slots_along(0, &clamp) } else { (&clamp).into() };
                let prepared = gpu.clamper().prepare(clamps, operands).unwrap();
                let resolves = [0, 1, 2][usize::from(n > 0) + usize::from(n == 15)];
                assert_eq!(prepared.dispatches(), 1 + resolves, "{n:04b}, {by_index}");
            }
        }
    }
}

/// Slots that one binding does not span are read by several dispatches; strides may be 0 and overlap.
#[test]
fn slots_may_have_any_stride() {
    for gpu in gpus() {
        let limits =
            wgpu::Limits { max_storage_buffer_binding_size: 1 << 14, ..wgpu::Limits::downlevel_defaults() };
        let small = with_limits(&gpu.adapter, limits);
        let rows = 90;
        let wide = 3000;
        let numbers: Vec<u64> =
            (0..rows * wide).map(|n| (f32::from((n % 977) as u16) / 64.0).to_bits().into()).collect();
        let slots = buffer(&small, &to_bytes(DType::F32, &numbers));
        let values: Vec<u64> = (0..rows * 4).map(|n| f32::from((n % 7) as u8).to_bits().into()).collect();
        let layout = Layout::packed(&[rows, 4]).unwrap();
        let clamp = Clamp::unbounded(DType::F32).with_scale_bias(Number::OnGpu, Number::OnGpu).unwrap();
        for (scale, bias) in [(wide as isize, 1), (-(wide as isize), 0), (0, -1), (3, 0)] {
            let line = |stride: isize| {
                let offset = if stride < 0 { (rows - 1) * stride.unsigned_abs() + 5 } else { 5 };
                Layout::strided(&[rows], &[stride], offset).unwrap()
            };
            let src = buffer(&small, &to_bytes(DType::F32, &values));
            let view = View::of::<f32>(&src, layout);
            let slot = |stride| View::of::<f32>(&slots, line(stride));
            let operands = Operands::in_place(view).with_scale(slot(scale)).with_bias(slot(bias));
            let prepared = small.clamper().prepare(Clamps::slots_along(0, &clamp), operands).unwrap();
            // At the wide stride, a binding has the numbers of one row or two.
            let far = scale.unsigned_abs() == wide;
            assert_eq!(prepared.dispatches() > rows / 3, far, "{}", prepared.dispatches());
            small.host.submit(Clamps::slots_along(0, &clamp), operands).unwrap();
            let got = read(&small, &src);
            let (scales, biases) = (line(scale), line(bias));
            let of = |layout: &Layout| -> Vec<u64> {
                layout.addresses().map(|address| numbers[address]).collect()
            };
            let (scales, biases) = (of(&scales), of(&biases));
            for (n, (got, value)) in got.chunks(4).zip(&values).enumerate() {
                let found = Found::new(&clamp, [0, 0, scales[n / 4], biases[n / 4]]);
                let bits = u32::from_le_bytes(got.try_into().unwrap());
                assert!(found.allowed(*value).contains(bits.into()), "{n}: {found:?}");
            }
        }
    }
}

#[test]
fn scales_that_do_not_fit_are_refused() {
    for (dtype, source) in [
        (DType::I32, DType::F32),
        (DType::U32, DType::U32),
        (DType::I64, DType::I64),
        (DType::U64, DType::U64),
        (DType::F64, DType::F64),
    ] {
        let clamp = Clamp::unbounded(dtype).with_source(source).unwrap();
        for (argument, scale, bias) in
            [("scale", Number::OnGpu, Number::Absent), ("bias", 2.0_f32.into(), Number::OnGpu)]
        {
            assert_error!(
                clamp.with_scale_bias(scale, bias).unwrap_err(),
                DType,
                format!(
                    "{argument}: it is `Number::OnGpu`, from {source} to {dtype}; give its value, or clamp to one of f32, \
                     f16, bf16, i8, i16, u8, u16"
                )
            );
        }
    }
    assert_error!(
        Clamp::unbounded(DType::F16).with_scale_bias(half::f16::ONE, Number::Absent).unwrap_err(),
        DType,
        "scale: f16 takes no f16 numbers; a scale or bias is f32, or f64 in a clamp of dtype f64"
    );
    for gpu in gpus() {
        let data = buffer(gpu, &[7; 64]);
        let other = buffer(gpu, &[7; 64]);
        let rows = Layout::packed(&[4, 2]).unwrap();
        let clamp = Clamp::unbounded(DType::U8).with_scale_bias(Number::OnGpu, Number::Absent).unwrap();
        let refused = |clamps: Clamps<'_>, dst: Layout, slot: Option<View<'_>>| {
            let src = View::of::<u8>(&other, dst);
            let operands = Operands::new(src, View::of::<u8>(&data, dst)).with_scale(slot);
            let error = gpu.clamper().prepare(clamps, operands).unwrap_err();
            assert_eq!(read(gpu, &data), [7; 64]);
            error
        };
        let single = |buffer, layout| Some(View::of::<f32>(buffer, layout));
        let (one, along) = (Clamps::from(&clamp), Clamps::slots_along(0, &clamp));
        let shape = |shape: &[usize]| Layout::packed(shape).unwrap();
        assert_error!(
            refused(one, rows, None),
            Argument,
            "scale: the number is `Number::OnGpu`, and there is no slot; give the slot with `Operands::with_scale`"
        );
        assert_error!(
            refused(one, rows, single(&other, shape(&[4]))),
            Argument,
            "scale: the slot has shape [4]; 1 element is needed; `Clamps::slots_along` takes one for each index of an axis"
        );
        for wrong in [&[4, 1][..], &[2], &[5], &[0]] {
            assert_error!(
                refused(along, rows, single(&other, shape(wrong))),
                Argument,
                format!(
                    "scale: the slot has shape {wrong:?}; 1 element is needed, or [4], one for each index of axis 0"
                )
            );
        }
        assert_error!(
            refused(one, rows, Some(View::of::<i32>(&other, shape(&[])))),
            DType,
            "scale: its slot is a view of i32; a scale or bias on the GPU is f32"
        );
        // Overlap counts in bytes: the slot is f32, the output u8.
        assert_error!(
            refused(one, rows, single(&data, Layout::packed_at(&[], 1).unwrap())),
            Overlap,
            "scale: the slot shares a byte with dst; a slot must lie outside the output"
        );
        let beside = Operands::in_place(View::of::<u8>(&data, rows));
        let beside = beside.with_scale(single(&data, Layout::packed_at(&[4], 2).unwrap()));
        gpu.clamper().prepare(along, beside).unwrap();
        assert_error!(
            refused(Clamps::slots_along(2, &clamp), rows, single(&other, shape(&[]))),
            Argument,
            "axis: 2 is out of range for a layout of rank 2; axes count from 0"
        );
        let host = Clamp::unbounded(DType::U8).with_affine(2.0, 0.5).unwrap();
        let operands = beside.with_bias(single(&other, shape(&[])));
        assert_error!(
            gpu.clamper().prepare(&host, operands).unwrap_err(),
            Argument,
            "scale: there is a slot, but the clamp's number is not `Number::OnGpu`; make it so with \
             `Clamp::with_scale_bias`, or give no slot"
        );
        // Without an element there is nothing to do, but slots are checked.
        let none = Layout::packed(&[0, 2]).unwrap();
        let empty = |slot| {
            let views = Operands::in_place(View::of::<u8>(&data, none)).with_scale(single(&other, slot));
            gpu.clamper().prepare(along, views).map(|prepared| prepared.dispatches())
        };
        assert_eq!(empty(shape(&[0])), Ok(0));
        assert_eq!(empty(shape(&[])), Ok(0));
        assert!(matches!(empty(shape(&[2])), Err(Error::Argument(_))));
    }
}
