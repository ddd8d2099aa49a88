//! Slices that go through the device in chunks, and devices that fail meanwhile.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use wgpu_clamp::{Clamp, ClampSlice, Clamps, DType, Error, Number, Precision, Tensor, verify, wgpu};

use crate::harness::{Gpu, alone, alone_on_each, gpus, packed, with_features, with_limits};
use crate::random::Random;
use crate::refused::{AXIS_2, RANK_9, assert_refused, no_slots, wider_in_place};
use crate::values::scalar;

/// Bytes that go through the device at a time.
const CHUNK: usize = 16 << 20;

fn source(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 251) as u8).collect()
}

/// The clamp that the tests apply to [`source`].
fn clamp() -> Clamp {
    Clamp::new(50_u8, 201)
}

/// Asserts that the first `valid` elements of `dst` are results of [`clamp`], and that the others are still 7.
#[track_caller]
fn assert_valid(gpu: &Gpu, src: &[u8], dst: &[u8], valid: usize) {
    let (done, rest) = dst.split_at(valid);
    assert!(src.iter().zip(done).all(|(&x, &y)| y == x.clamp(50, 201)), "{valid} on {}", gpu.name);
    assert!(rest.iter().all(|&y| y == 7), "{valid} on {}", gpu.name);
}

/// Whether a future is done after one more poll. A quick device may be done at once.
fn is_done<T>(run: Pin<&mut impl Future<Output = T>>) -> bool {
    run.poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

#[test]
fn a_dropped_future_leaves_the_slice_alone_and_the_device_alive() {
    for gpu in gpus() {
        let clamp = Clamp::new(1_u32, 2);
        let mut data = vec![9_u32; 100_000];
        let ended = is_done(pin!(gpu.host.clamp_slice_in_place(&clamp, &mut data).run()));
        assert!(data.iter().all(|&x| x == if ended { 2 } else { 9 }));
        drop(gpu.host.clamp_slice_in_place(&clamp, &mut data).run());
        gpu.host.clamp_slice_in_place(&clamp, &mut data).run_blocking().unwrap();
        assert!(data.iter().all(|&x| x == 2));
    }
}

/// Drops a future after some chunks: exactly the elements that the progress function last reported are done.
#[test]
fn a_future_dropped_in_the_middle_leaves_what_it_said() {
    for gpu in gpus() {
        let src = source(6 * CHUNK);
        let mut dst = vec![7; src.len()];
        let said = AtomicUsize::new(0);
        {
            let clamp = clamp();
            let run = gpu.host.clamp_slice(&clamp, &src, &mut dst);
            let mut run = pin!(run.with_progress(|done, _| said.store(done, Ordering::Relaxed)).run());
            while said.load(Ordering::Relaxed) < 2 * CHUNK && !is_done(run.as_mut()) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        assert_valid(gpu, &src, &dst, said.into_inner());
        gpu.host.clamp_slice(&clamp(), &src, &mut dst).run_blocking().unwrap();
        assert_valid(gpu, &src, &dst, src.len());
    }
}

/// Lengths around the boundaries of the 16 MiB chunks, in place and not.
#[test]
fn slices_of_many_chunks_are_streamed() {
    for gpu in gpus() {
        for len in [CHUNK - 1, CHUNK, CHUNK + 1, 4 * CHUNK + 12_345] {
            let (src, clamp) = (source(len), clamp());
            let mut dst = vec![0; len];
            let mut calls = Vec::new();
            let run = gpu.host.clamp_slice(&clamp, &src, &mut dst);
            run.with_progress(|done, total| calls.push((done, total))).run_blocking().unwrap();
            assert_valid(gpu, &src, &dst, len);
            let expected: Vec<_> = (1..=len.div_ceil(CHUNK)).map(|n| ((n * CHUNK).min(len), len)).collect();
            assert_eq!(calls, expected);

            let mut data = src.clone();
            gpu.host.clamp_slice_in_place(&clamp, &mut data).run_blocking().unwrap();
            assert_valid(gpu, &src, &data, len);
        }
    }
}

/// A stopped run has done what it reported and no more; after the last chunk there is nothing to stop.
#[test]
fn a_progress_function_stops_the_run() {
    for gpu in gpus() {
        let (src, clamp) = (vec![7; 5 * CHUNK], clamp());
        for stop in [1, 3, 5] {
            let mut data = src.clone();
            let end = stop * CHUNK;
            let progress = |done: usize, _: usize| {
                if done < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            let run = gpu.host.clamp_slice_in_place(&clamp, &mut data).with_progress(progress);
            let stopped = Error::PartlyWritten { valid: 0..end, source: Box::new(Error::Stopped) };
            assert_eq!(run.run_blocking(), if stop == 5 { Ok(()) } else { Err(stopped) });
            assert_valid(gpu, &src, &data, end);
        }
    }
}

/// Where host and GPU share memory, chunks are clamped where the host wrote them. wgpu offers the feature for this on
/// every backend except GL; on DX12 the chunks are copied nevertheless.
#[test]
fn slices_in_shared_memory() {
    let feature = wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
    for gpu in gpus() {
        let backend = gpu.adapter.get_info().backend;
        let offered = gpu.adapter.features().contains(feature);
        assert_eq!(offered, backend != wgpu::Backend::Gl, "{}", gpu.name);
        if !offered {
            continue;
        }
        let gpu = with_features(&gpu.adapter, feature, wgpu::Limits::downlevel_defaults());
        for len in [1, 3, CHUNK / 2 + 7, 2 * CHUNK + 1] {
            let src: Vec<u16> = (0..len).map(|i| (i * 7 + i / 65_521) as u16).collect();
            let clamp = Clamp::new(50_u16, 60_001);
            let (mut dst, mut data) = (vec![0; len], src.clone());
            gpu.host.clamp_slice(&clamp, &src, &mut dst).run_blocking().unwrap();
            gpu.host.clamp_slice_in_place(&clamp, &mut data).run_blocking().unwrap();
            assert!(src.iter().zip(&dst).all(|(&x, &y)| y == x.clamp(50, 60_001)), "{len} on {}", gpu.name);
            assert!(data == dst, "{len} in place on {}", gpu.name);
        }
    }
}

#[test]
fn chunks_are_as_small_as_the_buffers_of_the_device() {
    for gpu in gpus() {
        let gpu = gpu.limited(|limits| limits.max_buffer_size = 1000);
        let mut data: Vec<i64> = (-500..501).collect();
        let mut chunks = 0;
        let clamp = Clamp::new(-9_i64, 9);
        let run = gpu.host.clamp_slice_in_place(&clamp, &mut data).with_progress(|_, _| chunks += 1);
        run.run_blocking().unwrap();
        assert!((-500..501).zip(&data).all(|(x, &y)| y == x.clamp(-9, 9)));
        // 992 bytes are 124 elements.
        assert_eq!(chunks, 1001_usize.div_ceil(124));
    }
}

/// The slice is streamed in pieces with axes of their own, but the error speaks of the axis of the caller's shape.
#[test]
fn a_table_of_channels_that_no_buffer_holds() {
    for gpu in gpus() {
        let gpu = gpu.limited(|limits| limits.max_buffer_size = 16 << 10);
        // The table takes more than 8 bytes per channel.
        let many: Vec<_> =
            (0..2000_u16).map(|n| Clamp::at_most(1_u8).with_affine(0.5, n.into()).unwrap()).collect();
        let mut bytes = [3; 2000];
        let run = gpu.host.clamp_bytes_in_place(Clamps::along(0, &many), &mut bytes).with_shape(&[2000]);
        let refused = run.run_blocking();
        let Err(Error::Limit { needed, limit, .. }) = refused else { panic!("{refused:?}") };
        assert!(needed > limit, "{needed}");
        let said = format!(
            "clamps: max_buffer_size is 16384, but {needed} is needed; each of the 2000 channels takes {} bytes of a table: split the tensor along their axis, or create the device with its adapter's limits",
            needed / 2000
        );
        assert_refused(refused, "Limit", said);
        assert_eq!(bytes, [3; 2000]);
    }
}

/// Bytes of dtypes known at run time, with a clamp per channel. A buffer holds whole rows, some channels of a row, or a
/// part of a channel.
#[test]
fn channels_are_streamed_in_rows_and_parts_of_rows() {
    let shapes =
        [(&[9999, 3][..], 1), (&[2, 3, 2000], 1), (&[3, 5, 900], 1), (&[2, 15_001], 0), (&[555, 40], 1)];
    let dtypes = [(DType::U8, DType::F32), (DType::F32, DType::I16), (DType::U16, DType::F16)];
    for gpu in gpus() {
        let gpu = gpu.limited(|limits| limits.max_buffer_size = 16 << 10);
        let mut random = Random(17);
        for ((shape, axis), (source, dtype)) in
            shapes.into_iter().flat_map(|shape| dtypes.map(|dtypes| (shape, dtypes)))
        {
            let channel = |n: u16| {
                let clamp = Clamp::unbounded(dtype).with_source(source).unwrap();
                let clamp = clamp.with_bounds(Number::Absent, scalar(dtype, u64::from(n) * 3)).unwrap();
                let clamp = clamp.with_affine(0.5 + f32::from(n), -f32::from(n)).unwrap();
                clamp.with_precision(Precision::Exact)
            };
            let list: Vec<_> = (0..shape[axis] as u16).map(channel).collect();
            let clamps = Clamps::along(axis, &list);
            let layout = &packed(shape);
            let mut src = random.bytes(layout.len() * source.size());
            let before = random.bytes(layout.len() * dtype.size());
            let mut dst = before.clone();
            let mut calls = Vec::new();
            let run = gpu.host.clamp_bytes(clamps, &src, &mut dst).with_shape(shape);
            run.with_progress(|done, total| calls.push((done, total))).run_blocking().unwrap();
            let buffers = verify::Buffers {
                src_layout: layout,
                src: &src,
                dst_layout: layout,
                dst_before: &before,
                dst_after: &dst,
            };
            let report = verify::check(clamps, buffers).unwrap();
            let case = format!("{shape:?}, {source} to {dtype} on {}", gpu.name);
            assert!(report.passed(), "{report}, {case}");
            assert!(calls.len() > 1 && calls.is_sorted(), "{calls:?}");
            assert_eq!(calls.last(), Some(&(layout.len(), layout.len())));
            if source.size() == dtype.size() {
                let run = gpu.host.clamp_bytes_in_place(clamps, &mut src).with_shape(shape);
                run.run_blocking().unwrap();
                assert!(src == dst, "in place, {case}");
            }
        }
    }
}

/// The message for a channel axis other than 0 in a call without a shape.
const NO_SHAPE: &str = "axis: 1 is out of range: without a shape, axis 0 is the only one; give the shape with \
                        `ClampSlice::with_shape`";

/// The run with a shape, if there is one.
fn shaped<'a>(run: ClampSlice<'a>, shape: Option<&[usize]>) -> ClampSlice<'a> {
    if let Some(shape) = shape { run.with_shape(shape) } else { run }
}

#[test]
fn bytes_that_are_no_tensor_of_the_shape() {
    for gpu in gpus() {
        let host = &gpu.host;
        let clamp = Clamp::at_most(7.0_f32).with_source(DType::U8).unwrap();
        let (one, channels) = (Clamps::from(&clamp), [clamp; 2]);
        let along = |axis| Clamps::along(axis, &channels);
        let mut dst = [9; 24];
        for (clamps, shape, src, len, said) in [
            (one, Some(&[2, 3][..]), 5, 24, "src: 5 bytes given; 6 needed"),
            (one, Some(&[2, 3]), 6, 23, "dst: 23 bytes given; 24 needed"),
            (one, Some(&[1; 9]), 1, 4, RANK_9),
            (one, Some(&[1]), 1, 1, "dst: 1 byte given; 4 needed"),
            // Without a shape, there are as many elements as src has.
            (one, None, 5, 24, "dst: 24 bytes given; 20 needed"),
            (one, None, 6, 23, "dst: 23 bytes given; 24 needed"),
            (
                along(1),
                Some(&[2, 3]),
                6,
                24,
                "clamps: 2 given for axis 1 of extent 3; one for each index is needed",
            ),
            (along(2), Some(&[2, 3]), 6, 24, AXIS_2),
            // Without a shape there is one dimension.
            (along(1), None, 6, 24, NO_SHAPE),
        ] {
            let run = host.clamp_bytes(clamps, &[1; 6][..src], &mut dst[..len]);
            assert_refused(shaped(run, shape).run_blocking(), "Argument", said);
            assert_eq!(dst, [9; 24]);
        }
        let words = Clamp::new(1_u16, 2);
        for (clamp, shape, len, variant, said) in [
            (&clamp, None, 24, "Overlap", &*wider_in_place("slice")),
            (&clamp, Some(&[6][..]), 24, "Overlap", &wider_in_place("slice")),
            (&words, Some(&[6]), 24, "Argument", "slice: 24 bytes given; 12 needed"),
            // A slice must hold whole elements.
            (
                &words,
                None,
                7,
                "Argument",
                "slice: 7 bytes given; a multiple of 2, the bytes of u16, is needed",
            ),
        ] {
            let run = host.clamp_bytes_in_place(clamp, &mut dst[..len]);
            assert_refused(shaped(run, shape).run_blocking(), variant, said);
            assert_eq!(dst, [9; 24]);
        }
        // A tensor without elements is no error, whatever its other extents are.
        for (clamps, shape) in [
            (one, None),
            (one, Some(&[0, usize::MAX][..])),
            (one, Some(&[usize::MAX, 2, 0])),
            (Clamps::along(0, &[]), Some(&[0, 3])),
        ] {
            shaped(host.clamp_bytes(clamps, &[], &mut []), shape).run_blocking().unwrap();
        }
    }
}

/// Slices of Rust values take shapes and channels as bytes do.
#[test]
fn values_are_clamped_by_channels_of_a_shape() {
    let channels = [1.0_f32, 2.0, 3.0].map(|scale| {
        let clamp = Clamp::at_most(100.0_f32).with_source(DType::U8).unwrap();
        clamp.with_affine(scale, 1.0).unwrap()
    });
    let caps = [2_u16, 5, 9].map(Clamp::at_most);
    for gpu in gpus() {
        let host = &gpu.host;
        let src: [u8; 12] = std::array::from_fn(|i| 5 * i as u8);
        let mut dst = [0.0_f32; 12];
        for (axis, shape, of) in [
            (1, &[4, 3][..], (|i| i % 3) as fn(usize) -> usize),
            (0, &[3, 4], |i| i / 4),
            (1, &[2, 3, 2], |i| i / 2 % 3),
        ] {
            let clamps = Clamps::along(axis, &channels);
            host.clamp_slice(clamps, &src, &mut dst).with_shape(shape).run_blocking().unwrap();
            let expected = src.iter().enumerate().map(|(i, &x)| {
                let scale = [1.0, 2.0, 3.0][of(i)];
                (f32::from(x) * scale + 1.0).min(100.0)
            });
            assert!(dst.iter().copied().eq(expected), "{dst:?}, {shape:?} on {}", gpu.name);
        }
        // In place, and without a shape a channel for each element. With one clamp, the shape only counts the elements.
        let cap = Clamp::at_most(5_u16);
        for (clamps, shape, expected) in [
            (Clamps::along(1, &caps), Some(&[2, 3][..]), &[2, 5, 7, 2, 5, 7][..]),
            (Clamps::along(0, &caps), None, &[2, 5, 7]),
            (Clamps::from(&cap), Some(&[2, 3]), &[5; 6]),
        ] {
            let mut data = [7_u16; 6];
            let data = &mut data[..expected.len()];
            shaped(host.clamp_slice_in_place(clamps, data), shape).run_blocking().unwrap();
            assert_eq!(data, expected, "{}", gpu.name);
        }

        let mut data = [7_u16; 6];
        for (clamps, shape, said) in [
            (Clamps::along(1, &caps), Some(&[3, 3][..]), "slice: 6 elements given; 9 needed"),
            (Clamps::along(1, &caps), Some(&[1, 3]), "slice: 6 elements given; 3 needed"),
            (
                Clamps::along(0, &caps),
                None,
                "clamps: 3 given for axis 0 of extent 6; one for each index is needed",
            ),
            (Clamps::along(1, &caps), None, NO_SHAPE),
            (Clamps::from(&cap), Some(&[2, 4]), "slice: 6 elements given; 8 needed"),
        ] {
            let run = shaped(host.clamp_slice_in_place(clamps, &mut data), shape);
            assert_refused(run.run_blocking(), "Argument", said);
            assert_eq!(data, [7; 6]);
        }
        let before = dst.map(f32::to_bits);
        for (len, shape, said) in [
            (12, [5, 3], "src: 12 elements given; 15 needed"),
            (11, [4, 3], "dst: 11 elements given; 12 needed"),
        ] {
            let run = host.clamp_slice(Clamps::along(1, &channels), &src, &mut dst[..len]);
            assert_refused(run.with_shape(&shape).run_blocking(), "Argument", said);
            assert_eq!(dst.map(f32::to_bits), before);
        }
    }
}

/// Slices have no slots: the error comes before anything is created, even without elements.
#[test]
fn bounds_on_the_gpu_are_refused_up_front() {
    for gpu in gpus() {
        let gpu = gpu.fresh();
        let host = &gpu.host;
        let made = || gpu.device().get_internal_counters().hal.buffers.read();
        let before = made();
        for len in [0, 5] {
            for (argument, min, max) in
                [("min", Number::OnGpu, 7_u8.into()), ("max", 1_u8.into(), Number::OnGpu)]
            {
                let clamp = Clamp::at_least(1_u8).with_bounds(min, max).unwrap();
                let (src, mut dst) = (vec![3_u8; len], vec![9_u8; len]);
                for result in [
                    host.clamp_slice(&clamp, &src, &mut dst).run_blocking(),
                    host.clamp_slice_in_place(&clamp, &mut dst).run_blocking(),
                    host.clamp_bytes(&clamp, &src, &mut dst).run_blocking(),
                    host.clamp_bytes_in_place(&clamp, &mut dst).run_blocking(),
                    host.clamp_bytes(&clamp, &src, &mut dst).with_shape(&[len]).run_blocking(),
                    host.clamp_bytes_in_place(&clamp, &mut dst).with_shape(&[len]).run_blocking(),
                ] {
                    assert_refused(result, "Argument", no_slots(argument));
                }
                assert!(dst.iter().all(|&x| x == 9));
            }
        }
        assert_eq!(made(), before, "{}", gpu.name);
    }
}

/// Destroys the device after some chunks of a stream. Exactly the elements that the error calls valid are written.
#[test]
fn a_device_destroyed_between_two_chunks() {
    alone_on_each("streaming::a_device_destroyed_between_two_chunks", |gpu| {
        let src = source(8 * CHUNK + 5);
        // After 7 of 9 chunks, the other two are in flight, so reading them fails, not starting them.
        for chunks in [1, 2, 5, 7] {
            let gpu = gpu.fresh();
            let mut dst = vec![7; src.len()];
            let mut said = 0;
            let progress = |done: usize, _: usize| {
                said = done;
                if done >= chunks * CHUNK {
                    gpu.device().destroy();
                }
            };
            let result =
                gpu.host.clamp_slice(&clamp(), &src, &mut dst).with_progress(progress).run_blocking();
            let Err(Error::PartlyWritten { valid, source }) = result else { panic!("{result:?}") };
            assert_eq!(valid, 0..said, "{source}");
            assert!((chunks * CHUNK..src.len()).contains(&said), "{said}");
            assert_valid(&gpu, &src, &dst, said);
            assert!(matches!(*source, Error::DeviceLost { .. }), "{source:?}");
        }
    });
}

/// Another thread destroys the device at any moment. Elements that the stream calls valid are valid.
#[test]
fn a_device_destroyed_behind_the_streams_back() {
    alone_on_each("streaming::a_device_destroyed_behind_the_streams_back", |gpu| {
        let src = source(6 * CHUNK);
        for wait in 0..8 {
            let gpu = gpu.fresh();
            let device = gpu.device().clone();
            let destroyer = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(wait * 9));
                device.destroy();
            });
            let mut dst = vec![7; src.len()];
            let (valid, error) = match gpu.host.clamp_slice(&clamp(), &src, &mut dst).run_blocking() {
                Ok(()) => (src.len(), None),
                Err(Error::PartlyWritten { valid, source }) => (valid.end, Some(*source)),
                Err(error) => (0, Some(error)),
            };
            assert!(matches!(error, None | Some(Error::DeviceLost { .. })), "{error:?}");
            assert_valid(&gpu, &src, &dst, valid);
            destroyer.join().unwrap();
        }
    });
}

/// Fills the memory that a device may take. Other tests and programs need memory of the same GPU, so a threshold lets
/// wgpu take only a few percent more of the driver's memory budget than the device needs. Mesa's lavapipe 22.3 has
/// no budget. It takes memory of the process and reports when there is no more, so the process gets a limit. Other
/// drivers without a budget are skipped. So is GL, which never reports.
#[test]
fn memory_that_runs_out() {
    if !alone("streaming::memory_that_runs_out") {
        return;
    }
    for gpu in gpus() {
        let info = gpu.adapter.get_info();
        if info.backend != wgpu::Backend::Vulkan {
            continue;
        }
        let tight = on_a_budget(&info);
        if tight.is_none() && !(cfg!(target_os = "linux") && info.device_type == wgpu::DeviceType::Cpu) {
            println!("not filled: the memory of {}, whose driver has no budget", gpu.name);
            continue;
        }
        let shared = tight.is_some() && info.device_type != wgpu::DeviceType::DiscreteGpu;
        let (other, gpu) = (gpu, tight.as_ref().unwrap_or(gpu));
        let clamp = clamp();
        let mut data = vec![7_u8; 2 * CHUNK];
        soon(|| gpu.host.clamp_slice_in_place(&clamp, &mut data[..9]).run_blocking());
        if tight.is_none() {
            limit_memory(400 << 20);
        }
        let mut taken = Vec::new();
        // Other programs may free memory meanwhile, which the slice could use: try again.
        let error = (0..100).find_map(|_| {
            fill(gpu, shared, &mut taken);
            data.fill(7);
            gpu.host.clamp_slice_in_place(&clamp, &mut data).run_blocking().err()
        });
        assert!(matches!(error, Some(Error::OutOfMemory { .. })), "{error:?} on {}", gpu.name);
        // Nothing of the slice is written.
        assert!(data.iter().all(|&x| x == 7));
        if tight.is_some() {
            // Other devices get what the largest test takes at once.
            soon(|| Tensor::zeros(&other.host, DType::U8, &[128 << 20]).map(drop));
        }
        // The device survives.
        drop(taken);
        soon(|| gpu.host.clamp_slice_in_place(&clamp, &mut data).run_blocking());
        assert!(data.iter().all(|&x| x == 50));
    }
}

/// Takes memory in ever smaller tensors until the device has none left. Shared memory counts as taken only once it is
/// written. Tensors of zeros are not written, so as much host memory is written beside each of them.
fn fill(gpu: &Gpu, shared: bool, taken: &mut Vec<(Tensor, Vec<u8>)>) {
    for size in [256 << 20, 8 << 20, 1 << 20] {
        let error = loop {
            assert!(taken.len() < 10_000, "no end of memory on {}", gpu.name);
            match Tensor::zeros(&gpu.host, DType::U8, &[size]) {
                Ok(tensor) => taken.push((tensor, vec![1; if shared { size } else { 0 }])),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error:?}");
    }
}

/// A device of this adapter, for which wgpu takes five to six percent of the memory budget beyond the memory that the
/// device and a stream need. Memory that other programs take meanwhile may count too. `None` if the driver reports no
/// budget.
fn on_a_budget(info: &wgpu::AdapterInfo) -> Option<Gpu> {
    let open = |percent| {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        descriptor.memory_budget_thresholds.for_resource_creation = Some(percent);
        let adapters = wgpu::Instance::new(descriptor).enumerate_adapters(info.backend.into());
        let adapter = pollster::block_on(adapters).into_iter().find(|adapter| adapter.get_info() == *info);
        let limited = || with_limits(&adapter.unwrap(), wgpu::Limits::downlevel_defaults());
        // wgpu 30 panics, too, if a device gets only a part of the memory that it needs.
        catch_unwind(AssertUnwindSafe(limited)).ok()
    };
    // A device itself takes memory, so a threshold of 0 percent of a budget refuses it.
    if open(0).is_some() {
        return None;
    }
    // On many GPUs, the memory that host and GPU share is only 256 MiB, of which a stream needs many percent.
    let streams = |gpu: &Gpu| {
        gpu.host.clamp_slice_in_place(&clamp(), &mut vec![7_u8; 2 * CHUNK]).run_blocking().is_ok()
    };
    let tight = (1..95).find_map(|percent| open(percent).filter(streams).and_then(|_| open(percent + 5)));
    Some(tight.expect("memory for a stream"))
}

/// Repeats `run` while memory is short: other programs may give some back.
fn soon(mut run: impl FnMut() -> Result<(), Error>) {
    let end = Instant::now() + Duration::from_secs(30);
    while let Err(error) = run() {
        assert!(matches!(error, Error::OutOfMemory { .. }) && Instant::now() < end, "{error:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Lets this process take `more` bytes of address space than it uses now.
fn limit_memory(more: u64) {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = pages.split(' ').next().unwrap().parse().unwrap();
    let status = std::process::Command::new("prlimit")
        .args(["--pid", &std::process::id().to_string(), &format!("--as={}", pages * 4096 + more)])
        .status()
        .unwrap();
    assert!(status.success());
}
