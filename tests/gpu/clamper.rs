//! Recording: passes, caches, threads.

use std::sync::Barrier;

use wgpu_clamp::{Clamp, Clamper, DType, Host, Operands, Precision, Prepared, Tensor, View, reference, wgpu};

use crate::harness::{alone_on_each, buffer, compare, gpus, packed, read};

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
                        let view = View::of::<u8>(&data, packed(&[1024]));
                        clamper.prepare(&clamp, Operands::in_place(view)).unwrap();
                    }
                });
            }
        });
        assert_eq!(clamper.compiled_pipelines(), 2);
        // Clones share pipelines, and other bounds and shapes use the same ones.
        let view = View::of::<u8>(&data, packed(&[2, 256]));
        clamper.clone().prepare(&Clamp::new(3_u8, 4), Operands::in_place(view)).unwrap();
        assert_eq!(clamper.compiled_pipelines(), 2);
    }
}

#[test]
fn recorded_calls_keep_their_own_parameters() {
    for gpu in gpus() {
        let input: Vec<f32> = (-8_i16..8).map(f32::from).collect();
        let input = bytemuck::cast_slice(&input);
        let src = buffer(gpu, input);
        let calls =
            [0_i16, 1, 2, 3, 4].map(|n| (Clamp::new(f32::from(-n), f32::from(n)), buffer(gpu, &[0; 64])));
        let operands =
            |dst| Operands::new(View::of::<f32>(&src, packed(&[16])), View::of::<f32>(dst, packed(&[16])));
        let mut encoder = gpu.encoder();
        for (clamp, dst) in &calls {
            gpu.clamper().encode(&mut encoder, clamp, operands(dst)).unwrap();
        }
        gpu.host.queue().submit([encoder.finish()]);
        for (clamp, dst) in &calls {
            compare(gpu, clamp, operands(dst), input, &[0; 64]);
        }
    }
}

#[test]
fn a_prepared_clamp_is_recorded_again_and_again() {
    for gpu in gpus() {
        let data = Tensor::upload(&gpu.host, &[4], &[1_i32, 2, 3, 4]).unwrap();
        // x + 1, up to 10: the result tells how often it ran.
        let clamp = Clamp::at_most(10_i32).with_affine(1.0, 1.0).unwrap();
        let step = gpu.clamper().prepare(&clamp, Operands::in_place(data.view())).unwrap();
        for _ in 0..2 {
            gpu.run(&[&step, &step, &step.clone()]);
        }
        assert_eq!(data.read_blocking::<i32>().unwrap(), [7, 8, 9, 10]);
    }
}

/// A chain over several dtypes, buffers and kernels in one pass, each clamp reading what the previous clamp wrote.
#[test]
fn clamps_of_one_pass_keep_their_order_and_skip_nothing() {
    for gpu in gpus() {
        let bytes: Vec<u8> = (0..128).map(|i| (i * 5) as u8).collect();
        let (a, b) = (buffer(gpu, &bytes), buffer(gpu, &bytes));
        let line = packed(&[128]);
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
        let prepared = calls.map(|(clamp, operands)| gpu.clamper().prepare(&clamp, operands).unwrap());
        gpu.run(&prepared.each_ref());

        let (mut x, mut y) = (bytes.clone(), bytes);
        for (clamp, operands) in calls {
            let src = if *operands.src().buffer() == a { x.clone() } else { y.clone() };
            let dst = if *operands.dst().buffer() == a { &mut x } else { &mut y };
            let (from, to) = (operands.src().layout(), operands.dst().layout());
            reference::apply(&clamp, &from, &src, &to, dst).unwrap();
        }
        assert_eq!((read(gpu, &a), read(gpu, &b)), (x, y));
    }
}

/// A caller's error scope sees nothing of the crate's own objects, and stays the caller's.
#[test]
fn error_scopes_of_the_caller_are_left_alone() {
    for gpu in gpus() {
        let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
        let data = Tensor::zeros(&gpu.host, DType::F32, &[4]).unwrap();
        gpu.host.submit(&Clamp::new(1.0_f32, 2.0), Operands::in_place(data.view())).unwrap();
        // A mistake of the caller: a buffer without usages.
        drop(gpu.zeros(4, wgpu::BufferUsages::empty()));
        assert!(pollster::block_on(scope.pop()).is_some());
    }
}

#[test]
fn futures_can_move_between_threads() {
    fn moves<T: Send>(_: &T) {}
    moves(&Host::open());
    for gpu in gpus() {
        let tensor = Tensor::zeros(&gpu.host, DType::U8, &[1]).unwrap();
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
    shared::<Tensor>();
}

/// Prepares more kinds of clamps than the cache keeps pipelines. A pipeline that the cache has dropped is compiled
/// again; a prepared clamp keeps its own pipelines.
#[test]
fn pipelines_are_kept_up_to_a_bound() {
    alone_on_each("clamper::pipelines_are_kept_up_to_a_bound", |gpu| {
        let clamper = gpu.clamper();
        let bytes: Vec<u8> = (0..4096).map(|i| (i * 37) as u8).collect();
        let (src, dst) = (buffer(&gpu, &bytes), buffer(&gpu, &bytes));
        let line = packed(&[61]);
        let layouts = [
            (line, line),
            (line.flip(0).unwrap(), line),
            (packed(&[7, 8]), packed(&[8, 7]).permute(&[1, 0]).unwrap()),
            (packed(&[4, 5, 3]).permute(&[2, 0, 1]).unwrap(), packed(&[3, 4, 5])),
            (packed(&[2, 1]).broadcast_to(&[2, 130]).unwrap(), packed(&[2, 130])),
            (packed(&[2, 130]).slice(1, 1..130).unwrap(), packed(&[2, 129])),
        ];
        let mut first = None;
        let mut most = 0;
        for dtype in DType::ALL {
            let plain = Clamp::unbounded(dtype);
            let affine = plain.with_affine(1.0, 2.0).unwrap();
            for clamp in [plain, affine, affine.with_precision(Precision::Exact)] {
                for (from, to) in layouts {
                    let (from, to) = (View::new(&src, dtype, from), View::new(&dst, dtype, to));
                    for operands in [Operands::new(from, to), Operands::in_place(to)] {
                        let prepared = clamper.prepare(&clamp, operands).unwrap();
                        first.get_or_insert((prepared, clamp, operands));
                        most = most.max(clamper.compiled_pipelines());
                        assert!(most <= Clamper::MAX_PIPELINES, "{most}");
                    }
                }
            }
        }
        // The cache was full, and preparing went on.
        assert_eq!(most, Clamper::MAX_PIPELINES, "{}", gpu.name);

        let (prepared, clamp, operands) = first.unwrap();
        for prepared in [prepared, clamper.prepare(&clamp, operands).unwrap()] {
            gpu.host.queue().write_buffer(&dst, 0, &[7; 4096]);
            gpu.run(&[&prepared]);
            compare(&gpu, &clamp, operands, &bytes, &[7; 4096]);
        }
        assert_eq!(clamper.compiled_pipelines(), Clamper::MAX_PIPELINES);
    });
}
