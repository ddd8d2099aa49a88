//! Recording: passes, caches, threads.

use std::sync::Barrier;

use wgpu_clamp::{
    Clamp, Clamper, DType, Host, Layout, Operands, Precision, Prepared, View, reference, verify, wgpu,
};

use crate::harness::{alone, buffer, gpus, read, with_limits};
use crate::random::to_bytes;

fn f32s(bytes: &[u8]) -> Vec<f32> {
    bytemuck::pod_collect_to_vec(bytes)
}

#[test]
fn eight_threads_compile_a_pipeline_once() {
    for gpu in gpus() {
        let clamper = Clamper::new(gpu.device()).unwrap();
        let data = buffer(gpu, &[0; 1024]);
        let barrier = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    barrier.wait();
                    for clamp in [Clamp::new(0_u8, 9), Clamp::new(0_u8, 9).with_affine(2.0, 0.0).unwrap()] {
                        let view = View::of::<u8>(&data, Layout::packed(&[1024]).unwrap());
                        clamper.prepare(&clamp, Operands::in_place(view)).unwrap();
                    }
                });
            }
        });
        assert_eq!(clamper.compiled_pipelines(), 2);
        // Clones share pipelines; other bounds and shapes need no others.
        let view = View::of::<u8>(&data, Layout::packed(&[2, 256]).unwrap());
        clamper.clone().prepare(&Clamp::new(3_u8, 4), Operands::in_place(view)).unwrap();
        assert_eq!(clamper.compiled_pipelines(), 2);
    }
}

#[test]
fn recorded_calls_keep_their_own_parameters() {
    for gpu in gpus() {
        let input: Vec<f32> = (-8_i16..8).map(f32::from).collect();
        let layout = Layout::packed(&[16]).unwrap();
        let src = buffer(gpu, bytemuck::cast_slice(&input));
        let outputs: Vec<_> = (0..5).map(|_| buffer(gpu, &[0; 64])).collect();
        let clamps: Vec<_> = (0..5_i16).map(|n| Clamp::new(f32::from(-n), f32::from(n))).collect();

        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (clamp, dst) in clamps.iter().zip(&outputs) {
            let operands = Operands::new(View::of::<f32>(&src, layout), View::of::<f32>(dst, layout));
            gpu.clamper().encode(&mut encoder, clamp, operands).unwrap();
        }
        gpu.host.queue().submit([encoder.finish()]);
        for (clamp, dst) in clamps.iter().zip(&outputs) {
            let mut expected = input.clone();
            reference::clamp_slice(clamp, &input, &mut expected).unwrap();
            assert_eq!(f32s(&read(gpu, dst)), expected);
        }
    }
}

#[test]
fn a_prepared_clamp_is_recorded_again_and_again() {
    for gpu in gpus() {
        let layout = Layout::packed(&[4]).unwrap();
        let data = buffer(gpu, bytemuck::cast_slice(&[1_i32, 2, 3, 4]));
        // x + 1, up to 10: the result tells how often it ran.
        let clamp = Clamp::at_most(10_i32).with_affine(1.0, 1.0).unwrap();
        let step = gpu.clamper().prepare(&clamp, Operands::in_place(View::of::<i32>(&data, layout))).unwrap();
        for _ in 0..2 {
            let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                for prepared in [&step, &step, &step.clone()] {
                    prepared.record(&mut pass);
                }
            }
            gpu.host.queue().submit([encoder.finish()]);
        }
        assert_eq!(read(gpu, &data), to_bytes(DType::I32, &[7, 8, 9, 10]));
    }
}

/// A chain over several dtypes, buffers and kernels in one pass, each clamp reading what the one before wrote.
#[test]
fn clamps_of_one_pass_keep_their_order_and_skip_nothing() {
    for gpu in gpus() {
        let bytes: Vec<u8> = (0..128).map(|i| (i * 5) as u8).collect();
        let (a, b) = (buffer(gpu, &bytes), buffer(gpu, &bytes));
        let line = Layout::packed(&[128]).unwrap();
        let (even, odd) = (line.step(0, 2).unwrap(), line.slice(0, 1..128).unwrap().step(0, 2).unwrap());
        let half = |scale| Clamp::new(3_u8, 250).with_affine(scale, 7.0).unwrap();
        let (of_a, of_b) = (|layout| View::of::<u8>(&a, layout), |layout| View::of::<u8>(&b, layout));
        let calls = [
            (half(0.5), Operands::new(of_a(line), of_b(line))),
            (half(0.5), Operands::new(of_b(line), of_a(line))),
            (half(1.5), Operands::new(of_a(even), of_a(odd))),
            (half(1.5), Operands::in_place(of_a(line))),
            (Clamp::at_least(9_u8), Operands::in_place(of_a(line))),
            (half(0.25), Operands::new(of_a(odd), of_b(even))),
        ];
        let prepared: Vec<_> =
            calls.iter().map(|(clamp, operands)| gpu.clamper().prepare(clamp, *operands).unwrap()).collect();
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for prepared in &prepared {
                prepared.record(&mut pass);
            }
        }
        gpu.host.queue().submit([encoder.finish()]);

        let (mut x, mut y) = (bytes.clone(), bytes);
        reference::apply(&calls[0].0, &line, &x, &line, &mut y).unwrap();
        reference::apply(&calls[1].0, &line, &y, &line, &mut x).unwrap();
        let before = x.clone();
        reference::apply(&calls[2].0, &even, &before, &odd, &mut x).unwrap();
        reference::apply_in_place(&calls[3].0, &line, &mut x).unwrap();
        reference::apply_in_place(&calls[4].0, &line, &mut x).unwrap();
        reference::apply(&calls[5].0, &odd, &x, &even, &mut y).unwrap();
        assert_eq!((read(gpu, &a), read(gpu, &b)), (x, y));
    }
}

#[test]
fn threads_clamp_at_once() {
    for gpu in gpus() {
        std::thread::scope(|scope| {
            for thread in 0..4_i64 {
                scope.spawn(move || {
                    for round in 0..20_i64 {
                        let (low, high) = (-thread * 10, round);
                        let mut data: Vec<i64> = (-50..50).collect();
                        let clamp = Clamp::new(low, high);
                        gpu.host.clamp_slice_in_place(&clamp, &mut data).run_blocking().unwrap();
                        assert!(data.iter().zip(-50..).all(|(&y, x)| y == low.max(high.min(x))));
                    }
                });
            }
        });
    }
}

/// A caller's error scope sees nothing of the crate's own objects, and stays the caller's.
#[test]
fn error_scopes_of_the_caller_are_left_alone() {
    for gpu in gpus() {
        let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
        let data = buffer(gpu, &[0; 16]);
        let view = View::of::<f32>(&data, Layout::packed(&[4]).unwrap());
        gpu.host.submit(&Clamp::new(1.0_f32, 2.0), Operands::in_place(view)).unwrap();
        // A mistake of the caller: a buffer without usages.
        let _ = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4,
            usage: wgpu::BufferUsages::empty(),
            mapped_at_creation: false,
        });
        assert!(pollster::block_on(scope.pop()).is_some());
    }
}

/// A buffer of another device is a mistake of the caller that only wgpu can see.
#[test]
fn a_buffer_of_another_device_is_refused_by_wgpu_and_reported() {
    for gpu in gpus() {
        let other = crate::harness::with_limits(&gpu.adapter, wgpu::Limits::downlevel_defaults());
        let data = buffer(gpu, &[0; 16]);
        let clamper = other.clamper();
        let view = View::of::<f32>(&data, Layout::packed(&[4]).unwrap());
        let error = clamper.prepare(&Clamp::new(1.0_f32, 2.0), Operands::in_place(view)).unwrap_err();
        assert!(matches!(error, wgpu_clamp::Error::Wgpu { .. }), "{error:?}");
    }
}

#[test]
fn futures_can_move_between_threads() {
    fn moves<T: Send>(_: &T) {}
    moves(&Host::open());
    for gpu in gpus() {
        let tensor = wgpu_clamp::Tensor::zeros(&gpu.host, DType::U8, &[1]).unwrap();
        moves(&tensor.read::<u8>());
        moves(&gpu.host.clamp_slice_in_place(&Clamp::new(0_u8, 1), &mut [1_u8]).run());
    }
}

#[test]
fn handles_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<Clamper>();
    shared::<Prepared>();
    shared::<Host>();
    shared::<wgpu_clamp::Tensor>();
}

/// Prepares more kinds of clamps than the cache keeps pipelines. A pipeline that was given up is compiled again; a
/// prepared clamp keeps its own.
#[test]
fn pipelines_are_kept_up_to_a_bound() {
    if !alone("clamper::pipelines_are_kept_up_to_a_bound") {
        return;
    }
    for gpu in gpus() {
        let gpu = with_limits(&gpu.adapter, wgpu::Limits::downlevel_defaults());
        let clamper = gpu.clamper();
        let bytes: Vec<u8> = (0..4096).map(|i| (i * 37) as u8).collect();
        let (src, dst) = (buffer(&gpu, &bytes), buffer(&gpu, &bytes));
        let packed = |shape: &[usize]| Layout::packed(shape).unwrap();
        let line = packed(&[61]);
        let layouts = [
            (line, line),
            (line.flip(0).unwrap(), line),
            (packed(&[7, 8]), packed(&[8, 7]).permute(&[1, 0]).unwrap()),
            (packed(&[4, 5, 3]).permute(&[2, 0, 1]).unwrap(), packed(&[3, 4, 5])),
            (packed(&[2, 1]).broadcast_to(&[2, 130]).unwrap(), packed(&[2, 130])),
            (packed(&[2, 130]).slice(1, 1..130).unwrap(), packed(&[2, 129])),
        ];
        let calls = DType::ALL.into_iter().flat_map(|dtype| {
            let plain = Clamp::unbounded(dtype);
            let affine = plain.with_affine(1.0, 2.0).unwrap();
            let clamps = [plain, affine, affine.with_precision(Precision::Exact)];
            clamps.into_iter().flat_map(move |clamp| {
                layouts.into_iter().flat_map(move |(from, to)| [(clamp, from, to), (clamp, to, to)])
            })
        });
        let mut first = None;
        let mut most = 0;
        for (n, (clamp, from, to)) in calls.enumerate() {
            let in_place = n % 2 == 1;
            let operands = if in_place {
                Operands::in_place(View::new(&dst, clamp.dtype(), to))
            } else {
                Operands::new(View::new(&src, clamp.dtype(), from), View::new(&dst, clamp.dtype(), to))
            };
            let prepared = clamper.prepare(&clamp, operands).unwrap();
            first.get_or_insert((prepared, clamp, operands));
            most = most.max(clamper.compiled_pipelines());
            assert!(most <= Clamper::MAX_PIPELINES, "{most}");
        }
        // The cache was full, and preparing went on.
        assert_eq!(most, Clamper::MAX_PIPELINES, "{}", gpu.name);

        let (prepared, clamp, operands) = first.unwrap();
        let run = |prepared: &Prepared| {
            gpu.host.queue().write_buffer(&dst, 0, &[7; 4096]);
            let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            prepared.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
            gpu.host.queue().submit([encoder.finish()]);
            let after = read(&gpu, &dst);
            let report = verify::check(
                &clamp,
                verify::Buffers {
                    src_layout: &line,
                    src: &bytes,
                    dst_layout: &line,
                    dst_before: &[7; 4096],
                    dst_after: &after,
                },
            )
            .unwrap();
            assert!(report.passed(), "{report}");
        };
        run(&prepared);
        run(&clamper.prepare(&clamp, operands).unwrap());
        assert_eq!(clamper.compiled_pipelines(), Clamper::MAX_PIPELINES);
    }
}
