//! Bounds that lie on the GPU.

use wgpu_clamp::{Clamp, DType, Layout, NanRule, Number, Operands, Order, View, verify, wgpu};

use crate::assert_error::assert_error;
use crate::harness::{Gpu, buffer, devices, gpus, read, with_limits};
use crate::random::{Random, to_bytes};
use crate::values::{bits_of, edges, mask, scalar, with_precisions};

/// Which bounds lie on the GPU.
const WHERE: [(bool, bool); 3] = [(true, true), (true, false), (false, true)];

/// Where src, dst and the slots are.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Four buffers.
    Apart,
    /// Slots behind the source, in its buffer.
    WithSrc,
    /// In place, the slots between the elements of the output.
    Between,
    /// One buffer, disjoint views; the slots share words with elements of the output where they can.
    Neighbours,
}

const PLACES: [Place; 4] = [Place::Apart, Place::WithSrc, Place::Between, Place::Neighbours];

/// Runs `clamp` with the bounds that `on_gpu` names in slots, and compares the result with the reference of the
/// clamp by value.
fn check(gpu: &Gpu, clamp: &Clamp, on_gpu: (bool, bool), elements: &[u64], place: Place) {
    let dtype = clamp.dtype();
    let n = elements.len();
    let value = |bound| match bound {
        Number::Value(value) => value.bits(),
        _ => panic!("no value: {clamp:?}"),
    };
    let slots = [value(clamp.min()), value(clamp.max())];
    let line = |stride, offset| Layout::strided(&[n], &[stride], offset).unwrap();
    let one = |offset| Layout::strided(&[], &[], offset).unwrap();

    // The elements of one buffer, the layouts of src, dst and both slots in it.
    let junk = 0x3c3c_3c3c_3c3c_3c3c & mask(dtype);
    let mut data = vec![junk; 3 * n + 8];
    let (src, dst, min, max) = match place {
        Place::Apart => (line(1, 0), line(1, 0), one(1), one(4)),
        Place::WithSrc => (line(1, 0), line(1, 0), one(n + 2), one(n + 1)),
        Place::Between => (line(2, 0), line(2, 0), one(1), one(2 * n - 1)),
        Place::Neighbours => (line(1, 0), line(-2, 3 * n + 5), one(n + 8), one(n + 6)),
    };
    for (address, &bits) in src.addresses().zip(elements) {
        data[address] = bits;
    }
    let apart = matches!(place, Place::Apart);
    let mut slot_data = vec![junk; 6];
    for (layout, bits) in [(min, slots[0]), (max, slots[1])] {
        *if apart { &mut slot_data[layout.offset()] } else { &mut data[layout.offset()] } = bits;
    }

    let bytes = to_bytes(dtype, &data);
    let src_buffer = buffer(gpu, &bytes);
    let two_buffers = matches!(place, Place::Apart | Place::WithSrc);
    let dst_buffer = if two_buffers { buffer(gpu, &bytes) } else { src_buffer.clone() };
    let slot_buffer = if apart { buffer(gpu, &to_bytes(dtype, &slot_data)) } else { src_buffer.clone() };

    let pick = |on_gpu, bound| if on_gpu { Number::OnGpu } else { bound };
    let asked = clamp.with_bounds(pick(on_gpu.0, clamp.min()), pick(on_gpu.1, clamp.max())).unwrap();
    let slot = |on_gpu: bool, layout| on_gpu.then_some(View::new(&slot_buffer, dtype, layout));
    let operands = Operands::new(View::new(&src_buffer, dtype, src), View::new(&dst_buffer, dtype, dst))
        .with_min(slot(on_gpu.0, min))
        .with_max(slot(on_gpu.1, max));
    gpu.host.submit(&asked, operands).unwrap();
    let report = verify::check(
        clamp,
        verify::Buffers {
            src_layout: &src,
            src: &bytes,
            dst_layout: &dst,
            dst_before: &bytes,
            dst_after: &read(gpu, &dst_buffer),
        },
    )
    .unwrap();
    assert!(report.passed(), "{report}\n{clamp:?}\n{on_gpu:?} {place:?} on {}", gpu.name);
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
                let random = |rng: &mut Random| match rng.below(4) {
                    0 => rng.bits() & mask(dtype),
                    1 => rng.pick(&zeros),
                    _ => rng.pick(&edges),
                };
                let order = [Order::MinWins, Order::MaxWins][rng.below(2)];
                let rule = [NanRule::Propagate, NanRule::ToMin, NanRule::ToMax][rng.below(3)];
                let (min, max) = (random(&mut rng), random(&mut rng));
                let clamp = clamp(dtype, min, max).with_order(order).with_nan_rule(rule);
                check(gpu, &clamp, WHERE[n % 3], &edges, PLACES[rng.below(4)]);
            }
        }
    }
}

#[test]
fn every_specialization_takes_slots() {
    for gpu in devices() {
        let mut rng = Random(43);
        for &dtype in gpu.dtypes() {
            let (low, high) = (bits_of(dtype, 3.0), bits_of(dtype, 100.0));
            let plain = clamp(dtype, low, high);
            for clamp in [vec![plain], with_precisions(plain, (0.75, 1.5))].concat() {
                for place in PLACES {
                    for on_gpu in WHERE {
                        let elements: Vec<u64> = (0..333).map(|_| rng.bits() & mask(dtype)).collect();
                        check(gpu, &clamp, on_gpu, &elements, place);
                    }
                }
            }
        }
    }
}

/// A slot is read when the dispatch runs: a clamp before it in the same pass writes it.
#[test]
fn a_slot_is_read_when_the_dispatch_runs() {
    for gpu in gpus() {
        let layout = Layout::packed(&[4]).unwrap();
        let data = buffer(gpu, &to_bytes(DType::I16, &[1, 20, 300, 4000]));
        let out = buffer(gpu, &to_bytes(DType::I16, &[0; 4]));
        let slot = buffer(gpu, &to_bytes(DType::I16, &[50, 7]));
        let slot = View::of::<i16>(&slot, Layout::packed(&[2]).unwrap().slice(0, 0..1).unwrap());
        let clamp = Clamp::at_most(0_i16).with_bounds(Number::Absent, Number::OnGpu).unwrap();
        let operands =
            Operands::new(View::of::<i16>(&data, layout), View::of::<i16>(&out, layout)).with_max(slot);
        let cut = gpu.clamper().prepare(&clamp, operands).unwrap();
        let double = Clamp::unbounded(DType::I16).with_affine(2.0, 0.0).unwrap();
        let double = gpu.clamper().prepare(&double, Operands::in_place(slot)).unwrap();
        for expected in [100, 200, 400] {
            let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                for prepared in [&double, &cut] {
                    prepared.record(&mut pass);
                }
            }
            gpu.host.queue().submit([encoder.finish()]);
            let clamped = [1, 20, 300, 4000].map(|x: u64| x.min(expected));
            assert_eq!(read(gpu, &out), to_bytes(DType::I16, &clamped));
        }
    }
}

#[test]
fn slots_that_do_not_fit_are_refused() {
    for gpu in gpus() {
        let data = buffer(gpu, &[7; 64]);
        let other = buffer(gpu, &[7; 4]);
        let line = Layout::packed(&[60]).unwrap();
        let one = |offset| Layout::strided(&[1], &[1], offset).unwrap();
        let operands = Operands::in_place(View::of::<u8>(&data, line));
        let names = [("max", (Number::Absent, Number::OnGpu)), ("min", (Number::OnGpu, Number::Absent))];
        for (argument, (min, max)) in names {
            let with_slot = |buffer, layout| {
                let view = View::of::<u8>(buffer, layout);
                if argument == "min" { operands.with_min(view) } else { operands.with_max(view) }
            };
            let host = Clamp::new(1_u8, 2);
            let on_gpu = host.with_bounds(min, max).unwrap();
            let no_storage = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 4,
                usage: wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
            let refused = |clamp: &Clamp, operands: Operands<'_>| {
                let mut encoder =
                    gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                let error = gpu.clamper().encode(&mut encoder, clamp, operands).unwrap_err();
                gpu.host.queue().submit([encoder.finish()]);
                assert_eq!(read(gpu, &data), [7; 64]);
                error
            };
            assert_error!(
                refused(&on_gpu, operands),
                Argument,
                format!(
                    "{argument}: the number is `Number::OnGpu`, and there is no slot; give the slot with \
                     `Operands::with_{argument}`"
                )
            );
            assert_error!(
                refused(&host, with_slot(&other, one(0))),
                Argument,
                format!(
                    "{argument}: there is a slot, but the clamp's number is not `Number::OnGpu`; make it so with \
                     `Clamp::with_bounds`, or give no slot"
                )
            );
            assert_error!(
                refused(&on_gpu, with_slot(&other, Layout::packed(&[4]).unwrap())),
                Argument,
                format!(
                    "{argument}: the slot has shape [4]; 1 element is needed; `Clamps::slots_along` takes one for each \
                     index of an axis"
                )
            );
            assert_error!(
                refused(&on_gpu, with_slot(&other, one(4))),
                Buffer,
                format!(
                    "{argument}: u8 elements of shape [1], strides [1], offset 4 need a buffer of 8 bytes, this one has 4; \
                     shape, strides and offset count elements"
                )
            );
            assert_error!(
                refused(&on_gpu, with_slot(&no_storage, one(0))),
                Buffer,
                format!(
                    "{argument}: the buffer lacks BufferUsages(STORAGE); it was created with BufferUsages(COPY_DST); add \
                     the usage where the buffer is created"
                )
            );
            assert_error!(
                refused(&on_gpu, with_slot(&data, one(59))),
                Overlap,
                format!("{argument}: the slot shares a byte with dst; a slot must lie outside the output")
            );
            assert!(pollster::block_on(scope.pop()).is_none());
            gpu.host.submit(&on_gpu, with_slot(&data, one(60))).unwrap();
        }
    }
}

/// A binding of 8192 bytes holds 16 uniform blocks of 384 bytes, each at a multiple of 256. One dispatch reads the
/// slots for so many windows.
#[test]
fn many_windows_read_a_slot_once() {
    for gpu in gpus() {
        let limits =
            wgpu::Limits { max_storage_buffer_binding_size: 8192, ..wgpu::Limits::downlevel_defaults() };
        many_windows(&with_limits(&gpu.adapter, limits.clone()), 16);
        // Each invocation serves one block, so a single workgroup serves as many.
        let limits = wgpu::Limits { max_compute_workgroups_per_dimension: 1, ..limits };
        many_windows(&with_limits(&gpu.adapter, limits), 16);
    }
}

/// Runs a clamp of many windows, of which one dispatch serves `per_dispatch`.
fn many_windows(small: &Gpu, per_dispatch: usize) {
    let data = Random(3).bytes(100_000);
    let (src, dst) = (buffer(small, &data), buffer(small, &data));
    let slot = buffer(small, &to_bytes(DType::U8, &[0, 77]));
    let layout = Layout::strided(&[99_000], &[1], 5).unwrap();
    let clamp = Clamp::new(20_u8, 77);
    let on_gpu = clamp.with_bounds(clamp.min(), Number::OnGpu).unwrap();
    let operands = Operands::new(View::of::<u8>(&src, layout), View::of::<u8>(&dst, layout));
    let by_value = small.clamper().prepare(&clamp, operands).unwrap().dispatches();
    let slot = View::of::<u8>(&slot, Layout::strided(&[], &[], 1).unwrap());
    let prepared = small.clamper().prepare(&on_gpu, operands.with_max(slot)).unwrap();
    let windows = by_value - 1;
    assert!(windows > 12, "{windows}");
    assert_eq!(prepared.dispatches() - by_value, windows.div_ceil(per_dispatch));
    let mut encoder = small.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    prepared.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
    small.host.queue().submit([encoder.finish()]);
    let report = verify::check(
        &clamp,
        verify::Buffers {
            src_layout: &layout,
            src: &data,
            dst_layout: &layout,
            dst_before: &data,
            dst_after: &read(small, &dst),
        },
    )
    .unwrap();
    assert!(report.passed(), "{report} on {}", small.name);
}
