//! Where numbers on the GPU may lie, when they are read, and what is refused. The module `found` tests their values.

use clamp_testing::found::Found;
use wgpu_clamp::{Clamp, Clamps, DType, Error, Layout, NanRule, Number, Operands, Order, Tensor, View, wgpu};

use crate::harness::{Gpu, buffer, compare, devices, gpus, packed, read, strided};
use crate::random::{Random, to_bytes};
use crate::refused::{AXIS_2, assert_refused, no_f32, no_storage, too_small};
use crate::values::{bits_of, edges, mask, scalar, with_precisions};

/// The clamp with some of Min, Max, scale and bias on the GPU.
fn on_gpu(clamp: &Clamp, which: [bool; 4]) -> Clamp {
    let by_value = [clamp.min(), clamp.max(), clamp.scale(), clamp.bias()];
    let [min, max, scale, bias] = std::array::from_fn(|n| if which[n] { Number::OnGpu } else { by_value[n] });
    clamp.with_bounds(min, max).unwrap().with_scale_bias(scale, bias).unwrap()
}

/// Operands with slots of Min, Max, scale and bias.
pub fn with_slots<'a>(
    operands: &Operands<'a>,
    [min, max, scale, bias]: &[Option<View<'a>>; 4],
) -> Operands<'a> {
    operands.with_min(*min).with_max(*max).with_scale(*scale).with_bias(*bias)
}

/// Slots of Min, Max, scale and bias: all absent, except number `n`.
fn only(n: usize, slot: View<'_>) -> [Option<View<'_>>; 4] {
    std::array::from_fn(|i| (i == n).then_some(slot))
}

/// Whether Min and whether Max lie on the GPU.
const WHERE: [[bool; 2]; 3] = [[true, true], [true, false], [false, true]];

/// Where src, dst and the slots are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// Three buffers: src, dst, and one with the slots.
    Apart,
    /// Slots behind the source, in its buffer.
    WithSrc,
    /// In place, the slots between the elements of the output.
    Between,
    /// One buffer, disjoint views; the slots share words with elements of the output where they can.
    Neighbours,
}

const PLACES: [Place; 4] = [Place::Apart, Place::WithSrc, Place::Between, Place::Neighbours];

/// Runs `clamp` with bounds in slots, and compares the result with the reference for bounds by value.
#[track_caller]
fn check(gpu: &Gpu, clamp: &Clamp, [min_on_gpu, max_on_gpu]: [bool; 2], elements: &[u64], place: Place) {
    let dtype = clamp.dtype();
    let n = elements.len();
    let line = |stride, offset| strided(&[n], &[stride], offset);
    // The layouts of src and dst, and the addresses of the slots.
    let (src, dst, slots) = match place {
        Place::Apart => (line(1, 0), line(1, 0), [1, 4]),
        Place::WithSrc => (line(1, 0), line(1, 0), [n + 2, n + 1]),
        Place::Between => (line(2, 0), line(2, 0), [1, 2 * n - 1]),
        Place::Neighbours => (line(1, 0), line(-2, 3 * n + 5), [n + 8, n + 6]),
    };
    let junk = 0x3c3c_3c3c_3c3c_3c3c & mask(dtype);
    let (mut data, mut slot_data) = (vec![junk; 3 * n + 8], vec![junk; 6]);
    for (address, &bits) in src.addresses().zip(elements) {
        data[address] = bits;
    }
    for (address, bound) in slots.into_iter().zip([clamp.min(), clamp.max()]) {
        let Number::Value(value) = bound else { panic!("no value: {clamp:?}") };
        *if place == Place::Apart { &mut slot_data[address] } else { &mut data[address] } = value.bits();
    }

    let bytes = to_bytes(dtype, &data);
    let src_buffer = buffer(gpu, &bytes);
    let two_buffers = matches!(place, Place::Apart | Place::WithSrc);
    let dst_buffer = if two_buffers { buffer(gpu, &bytes) } else { src_buffer.clone() };
    let slot_buffer =
        if place == Place::Apart { buffer(gpu, &to_bytes(dtype, &slot_data)) } else { src_buffer.clone() };
    let [min, max] = slots.map(|offset| View::new(&slot_buffer, dtype, strided(&[], &[], offset)));
    let operands = Operands::new(View::new(&src_buffer, dtype, src), View::new(&dst_buffer, dtype, dst))
        .with_min(min_on_gpu.then_some(min))
        .with_max(max_on_gpu.then_some(max));
    gpu.host.submit(&on_gpu(clamp, [min_on_gpu, max_on_gpu, false, false]), operands).unwrap();
    compare(gpu, clamp, operands, &bytes, &bytes);
}

fn clamp(dtype: DType, min: u64, max: u64) -> Clamp {
    Clamp::unbounded(dtype).with_bounds(scalar(dtype, min), scalar(dtype, max)).unwrap()
}

#[test]
fn any_value_in_a_slot_follows_the_rules() {
    for gpu in gpus() {
        let mut rng = Random(41);
        for dtype in DType::ALL {
            let edges = edges(dtype);
            // The zeros of floats.
            let zeros = [0, 1 << (dtype.bits() - 1)];
            for n in 0..80 {
                let [min, max] = [(); 2].map(|()| match rng.below(4) {
                    0 => rng.bits() & mask(dtype),
                    1 => rng.pick(&zeros),
                    _ => rng.pick(&edges),
                });
                let clamp = clamp(dtype, min, max)
                    .with_order(rng.pick(&[Order::MinWins, Order::MaxWins]))
                    .with_nan_rule(rng.pick(&[NanRule::Propagate, NanRule::ToMin, NanRule::ToMax]));
                check(gpu, &clamp, WHERE[n % 3], &edges, rng.pick(&PLACES));
            }
        }
    }
}

#[test]
fn every_specialization_takes_slots() {
    for gpu in devices() {
        let mut rng = Random(43);
        for &dtype in gpu.dtypes() {
            let plain = clamp(dtype, bits_of(dtype, 3.0), bits_of(dtype, 100.0));
            for clamp in [vec![plain], with_precisions(plain, (0.75, 1.5))].concat() {
                for (place, which) in PLACES.into_iter().flat_map(|place| WHERE.map(|which| (place, which))) {
                    let elements: Vec<u64> = (0..333).map(|_| rng.bits() & mask(dtype)).collect();
                    check(gpu, &clamp, which, &elements, place);
                }
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
        let double = gpu.clamper().prepare(&double, Operands::in_place(slots)).unwrap();
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
        let clamp = clamp.with_scale_bias(Number::OnGpu, Number::Absent).unwrap();
        let operands = Operands::new(rows.view(), out.view()).with_scale(scales.view());
        let expected = [[2, 4, 60, 80], [4, 8, 120, 160], [8, 16, 240, 255]];
        doubled(gpu, scales.view(), Clamps::slots_along(0, &clamp), &operands, expected);
    }
}

/// Asserts that the call is refused, that wgpu reports nothing, and that dst, 64 bytes of 7, is not written.
#[track_caller]
fn refuse(gpu: &Gpu, clamps: Clamps<'_>, operands: &Operands<'_>, variant: &str, said: &str) {
    let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
    let mut encoder = gpu.encoder();
    assert_refused(gpu.clamper().encode(&mut encoder, clamps, *operands), variant, said);
    gpu.host.queue().submit([encoder.finish()]);
    assert!(pollster::block_on(scope.pop()).is_none());
    assert_eq!(read(gpu, operands.dst().buffer()), [7; 64]);
}

#[test]
fn slots_that_do_not_fit_are_refused() {
    let rows = packed(&[4, 2]);
    let plain = Clamp::new(1_u8, 2).with_affine(2.0, 0.5).unwrap();
    for gpu in gpus() {
        let (data, other, short) = (buffer(gpu, &[7; 64]), buffer(gpu, &[7; 64]), buffer(gpu, &[7; 4]));
        let bare = gpu.zeros(4, wgpu::BufferUsages::COPY_DST);
        let in_place = Operands::in_place(View::of::<u8>(&data, rows));
        for (n, argument) in ["min", "max", "scale", "bias"].into_iter().enumerate() {
            let is_bound = n < 2;
            let dtype = if is_bound { DType::U8 } else { DType::F32 };
            let size = dtype.size();
            let asked = on_gpu(&plain, std::array::from_fn(|i| i == n));
            let (one, along) = (Clamps::from(&asked), Clamps::slots_along(0, &asked));
            let slot = |buffer, layout| only(n, View::new(buffer, dtype, layout));
            let at = |buffer, offset| slot(buffer, Layout::packed_at(&[], offset).unwrap());
            let wrong_shape = |shape: &[usize], needed| {
                format!("{argument}: the slot has shape {shape:?}; 1 element is needed{needed}")
            };
            let unexpected = format!(
                "{argument}: there is a slot, but the number is not `Number::OnGpu`; set the number to \
                 `Number::OnGpu` with `Clamp::{}`, or give no slot",
                if is_bound { "with_bounds" } else { "with_scale_bias" }
            );
            let all_but_this = on_gpu(&plain, std::array::from_fn(|i| i != n));
            let all = [DType::U8, DType::U8, DType::F32, DType::F32];
            let all = all.map(|dtype| Some(View::new(&other, dtype, packed(&[]))));
            let along_axis = ", or [4], one for each index of axis 0";
            for (clamps, slots, variant, said) in [
                (
                    one,
                    [None; 4],
                    "Argument",
                    format!(
                        "{argument}: the number is `Number::OnGpu`, and there is no slot; give the slot with \
                         `Operands::with_{argument}`"
                    ),
                ),
                ((&plain).into(), at(&other, 0), "Argument", unexpected.clone()),
                ((&all_but_this).into(), all, "Argument", unexpected),
                (
                    one,
                    slot(&other, packed(&[4])),
                    "Argument",
                    wrong_shape(&[4], "; `Clamps::slots_along` takes one for each index of an axis"),
                ),
                (along, slot(&other, packed(&[4, 1])), "Argument", wrong_shape(&[4, 1], along_axis)),
                (along, slot(&other, packed(&[2])), "Argument", wrong_shape(&[2], along_axis)),
                (along, slot(&other, packed(&[5])), "Argument", wrong_shape(&[5], along_axis)),
                (along, slot(&other, packed(&[0])), "Argument", wrong_shape(&[0], along_axis)),
                (Clamps::slots_along(2, &asked), at(&other, 0), "Argument", AXIS_2.to_owned()),
                (
                    one,
                    only(n, View::of::<i32>(&other, packed(&[]))),
                    "DType",
                    if is_bound {
                        format!("{argument}: i32 is not the dtype of the clamp, u8; view its slot as u8")
                    } else {
                        format!("{argument}: its slot is a view of i32; a scale or bias on the GPU is f32")
                    },
                ),
                (
                    one,
                    slot(&short, strided(&[1], &[1], 4)),
                    "Buffer",
                    too_small(
                        argument,
                        &format!("{dtype} elements of shape [1], strides [1], offset 4"),
                        (5 * size).next_multiple_of(4) as u64,
                        4,
                    ),
                ),
                (one, at(&bare, 0), "Buffer", no_storage(argument, "COPY_DST")),
                // Overlap counts in bytes: the output has eight.
                (
                    one,
                    at(&data, 8 / size - 1),
                    "Overlap",
                    format!(
                        "{argument}: the slot shares a byte with dst; a slot must lie outside the output"
                    ),
                ),
            ] {
                refuse(gpu, clamps, &with_slots(&in_place, &slots), variant, &said);
            }
            // Directly behind the output.
            gpu.clamper().prepare(one, with_slots(&in_place, &at(&data, 8 / size))).unwrap();
            let beside = slot(&data, Layout::packed_at(&[4], 8 / size).unwrap());
            gpu.clamper().prepare(along, with_slots(&in_place, &beside)).unwrap();
            // Without an element there is nothing to do, but slots are checked.
            let nothing = Operands::in_place(View::of::<u8>(&data, packed(&[0, 2])));
            for (shape, fits) in [(&[0][..], true), (&[], true), (&[2], false)] {
                let prepared =
                    gpu.clamper().prepare(along, with_slots(&nothing, &slot(&other, packed(shape))));
                match prepared {
                    Ok(prepared) => assert!(fits && prepared.dispatches() == 0, "{shape:?}"),
                    Err(error) => assert!(!fits && matches!(error, Error::Argument(_)), "{error:?}"),
                }
            }
        }
    }
}

#[test]
fn dtypes_that_take_no_slots_are_refused() {
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
            let said = format!(
                "{argument}: it is `Number::OnGpu`, which a clamp from {source} to {dtype} does not take; give its value, or clamp to one of f32, \
                 f16, bf16, i8, i16, u8, u16"
            );
            assert_refused(clamp.with_scale_bias(scale, bias), "DType", said);
        }
    }
    assert_refused(
        Clamp::unbounded(DType::F16).with_scale_bias(half::f16::ONE, Number::Absent),
        "DType",
        no_f32("scale", "1.0 has dtype f16", DType::F16),
    );
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
        gpu.host.submit(Clamps::slots_along(1, &clamp), operands).unwrap();
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [11, 14, 19, 14, 20, 22]);
        // If each slot has one element, there is one clamp and no table.
        let operands = in_place
            .with_scale(View::of::<f32>(scales.buffer(), packed(&[1])))
            .with_bias(View::of::<f32>(bias.buffer(), packed(&[])))
            .with_max(View::of::<u8>(most.buffer(), packed(&[])));
        let prepared = gpu.clamper().prepare(Clamps::slots_along(1, &clamp), operands).unwrap();
        let plain = gpu.clamper().prepare(&clamp, operands).unwrap();
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
            for (clamps, shape) in [(Clamps::from(&clamp), &[][..]), (Clamps::slots_along(0, &clamp), &[64])]
            {
                let view = View::of::<f32>(slot.buffer(), packed(shape));
                let slots = which.map(|wanted| wanted.then_some(view));
                let operands = with_slots(&Operands::in_place(data.view()), &slots);
                let prepared = gpu.clamper().prepare(clamps, operands).unwrap();
                let resolves = [0, 1, 2][usize::from(n > 0) + usize::from(n == 15)];
                assert_eq!(prepared.dispatches(), 1 + resolves, "{n:04b}, {shape:?}");
            }
        }
    }
}

/// Slots that one binding does not span are read by several dispatches. A stride may be 0, and slots may overlap.
#[test]
fn slots_may_have_any_stride() {
    for gpu in gpus() {
        let small = gpu.limited(|limits| limits.max_storage_buffer_binding_size = 1 << 14);
        let (rows, wide) = (90, 3000_usize);
        let single = |x: f32| u64::from(x.to_bits());
        let numbers: Vec<_> = (0..rows * wide).map(|n| single(f32::from((n % 977) as u16) / 64.0)).collect();
        let slots = buffer(&small, &to_bytes(DType::F32, &numbers));
        let values: Vec<_> = (0..rows * 4).map(|n| single(f32::from((n % 7) as u8))).collect();
        let values = to_bytes(DType::F32, &values);
        let clamp = Clamp::unbounded(DType::F32).with_scale_bias(Number::OnGpu, Number::OnGpu).unwrap();
        let clamps = Clamps::slots_along(0, &clamp);
        let pitch = wide.cast_signed();
        for strides in [[pitch, 1], [-pitch, 0], [0, -1], [3, 0]] {
            let [scale, bias] = strides.map(|stride| {
                let offset = if stride < 0 { (rows - 1) * stride.unsigned_abs() + 5 } else { 5 };
                strided(&[rows], &[stride], offset)
            });
            let src = buffer(&small, &values);
            let operands = Operands::in_place(View::of::<f32>(&src, packed(&[rows, 4])))
                .with_scale(View::of::<f32>(&slots, scale))
                .with_bias(View::of::<f32>(&slots, bias));
            let prepared = small.clamper().prepare(clamps, operands).unwrap();
            // At the wide stride, a binding has the numbers of one row or two.
            let far = strides[0].unsigned_abs() == wide;
            assert_eq!(prepared.dispatches() > rows / 3, far, "{}", prepared.dispatches());
            small.run(&[&prepared]);
            let by_value: Vec<_> = scale
                .addresses()
                .zip(bias.addresses())
                .map(|(scale, bias)| {
                    Found::new(&clamp, [0, 0, numbers[scale], numbers[bias]]).clamp().unwrap()
                })
                .collect();
            compare(&small, Clamps::along(0, &by_value), operands, &values, &values);
        }
    }
}

/// A binding of 8192 bytes holds 16 uniform blocks of 384 bytes, each at a multiple of 256. One dispatch reads the
/// slot for up to 16 windows. One invocation writes all blocks of a channel, so a limit of one workgroup changes
/// nothing.
#[test]
fn many_windows_read_a_slot_once() {
    for (gpu, workgroups) in gpus().iter().flat_map(|gpu| [(gpu, 65_535), (gpu, 1)]) {
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
        let by_value = small.clamper().prepare(&clamp, operands).unwrap().dispatches();
        let prepared = small.clamper().prepare(&asked, operands.with_max(slot)).unwrap();
        let windows = by_value - 1;
        assert!(windows > 12, "{windows}");
        assert_eq!(prepared.dispatches() - by_value, windows.div_ceil(16));
        small.run(&[&prepared]);
        compare(&small, &clamp, operands, &data, &data);
    }
}
