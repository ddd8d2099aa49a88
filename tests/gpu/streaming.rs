//! Slices that go through the device in chunks, and devices that fail meanwhile.

use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use wgpu_clamp::{Clamp, ClampSlice, Clamps, DType, Error, Number, Precision, Tensor, verify, wgpu};

use crate::harness::{Gpu, alone, alone_on_each, gpus, packed, with_features};
use crate::random::Random;
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

/// Drops a future after some chunks: exactly the elements that the progress function last reported are done.
#[test]
fn a_future_dropped_in_the_middle_leaves_what_it_said() {
    for gpu in gpus() {
        let src = source(6 * CHUNK);
        let mut dst = vec![7; src.len()];
        let said = AtomicUsize::new(0);
        {
            let clamp = clamp();
            let run = gpu.host.clamp_slice(clamp, &src, &mut dst);
            let mut run = pin!(run.with_progress(|done, _| said.store(done, Ordering::Relaxed)).run());
            while said.load(Ordering::Relaxed) < 2 * CHUNK && !is_done(run.as_mut()) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        assert_valid(gpu, &src, &dst, said.into_inner());
        gpu.host.clamp_slice(clamp(), &src, &mut dst).run_blocking().unwrap();
        assert_valid(gpu, &src, &dst, src.len());
    }
}

/// Lengths around the boundaries of the 16 MiB chunks, in place and not.
#[test]
fn slices_of_many_chunks_are_streamed() {
    for gpu in gpus() {
        for len in [CHUNK, CHUNK + 1, 4 * CHUNK + 12_345] {
            let (src, clamp) = (source(len), clamp());
            let mut dst = vec![0; len];
            let mut calls = Vec::new();
            let run = gpu.host.clamp_slice(clamp, &src, &mut dst);
            run.with_progress(|done, total| calls.push((done, total))).run_blocking().unwrap();
            assert_valid(gpu, &src, &dst, len);
            let expected: Vec<_> = (1..=len.div_ceil(CHUNK)).map(|n| ((n * CHUNK).min(len), len)).collect();
            assert_eq!(calls, expected);

            let mut data = src.clone();
            gpu.host.clamp_slice_in_place(clamp, &mut data).run_blocking().unwrap();
            assert_valid(gpu, &src, &data, len);
        }
    }
}

/// A stopped run has done what it reported and no more; after the last chunk there is nothing to stop.
#[test]
fn a_progress_function_stops_the_run() {
    for gpu in gpus() {
        let (src, clamp) = (vec![7; 5 * CHUNK], clamp());
        for stop in [2, 5] {
            let mut data = src.clone();
            let end = stop * CHUNK;
            let progress = |done: usize, _: usize| {
                if done < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            let run = gpu.host.clamp_slice_in_place(clamp, &mut data).with_progress(progress);
            match run.run_blocking() {
                Ok(()) => assert_eq!(stop, 5),
                Err(error) => {
                    let Error::PartlyWritten { valid, source, .. } = &error else { panic!("{error:?}") };
                    assert_eq!((stop, valid, &**source), (2, &(0..end), &Error::Stopped));
                    // A chain says each thing once.
                    assert_eq!(error.to_string(), format!("only elements 0..{end} were written"));
                    let source = std::error::Error::source(&error).unwrap().to_string();
                    assert_eq!(source, Error::Stopped.to_string());
                }
            }
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
            gpu.host.clamp_slice(clamp, &src, &mut dst).run_blocking().unwrap();
            gpu.host.clamp_slice_in_place(clamp, &mut data).run_blocking().unwrap();
            assert!(src.iter().zip(&dst).all(|(&x, &y)| y == x.clamp(50, 60_001)), "{len} on {}", gpu.name);
            assert!(data == dst, "{len} in place on {}", gpu.name);
        }
    }
}

/// Bytes of dtypes known at run time, with a clamp per channel. A buffer holds whole rows, some channels of a row, or a
/// part of a channel. In the last two shapes it holds more elements than numbers of their channels.
#[test]
fn channels_are_streamed_in_rows_and_parts_of_rows() {
    let shapes = [
        (&[9999, 3][..], 1),
        (&[2, 3, 2000], 1),
        (&[3, 5, 900], 1),
        (&[2, 15_001], 0),
        (&[555, 40], 1),
        (&[5, 2000], 1),
        (&[3001, 2], 0),
    ];
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

/// A binding limits the channels of a chunk as a buffer does.
#[test]
fn a_chunk_has_no_more_channels_than_a_binding_has_numbers() {
    for gpu in gpus() {
        let gpu = gpu.limited(|limits| limits.max_storage_buffer_binding_size = 4096);
        let list: Vec<_> = (0..500_u16).map(|n| Clamp::at_most(f32::from(n))).collect();
        let mut data = vec![250.5_f32; 500];
        gpu.host.clamp_slice_in_place(Clamps::along(0, &list), &mut data).run_blocking().unwrap();
        let expected: Vec<_> = (0..500_u16).map(|n| f32::from(n).min(250.5)).collect();
        assert_eq!(data, expected, "{}", gpu.name);
    }
}

/// Slices of Rust values take shapes and channels as bytes do.
#[test]
fn values_are_clamped_by_channels_of_a_shape() {
    let caps = [2_u16, 5, 9].map(Clamp::at_most);
    let cap = Clamp::at_most(5_u16);
    for gpu in gpus() {
        let host = &gpu.host;
        // Without a shape a channel for each element. With one clamp, the shape only counts the elements.
        for (clamps, shape, expected) in [
            (Clamps::along(1, &caps), Some(&[2, 3][..]), &[2_u16, 5, 7, 2, 5, 7][..]),
            (Clamps::along(0, &caps), Some(&[3, 2]), &[2, 2, 5, 5, 7, 7]),
            (Clamps::along(0, &caps), None, &[2, 5, 7]),
            (Clamps::from(&cap), Some(&[2, 3]), &[5; 6]),
        ] {
            let (src, mut dst) = ([7_u16; 6], [0_u16; 6]);
            let (src, dst) = (&src[..expected.len()], &mut dst[..expected.len()]);
            let shaped = |run: ClampSlice<'_>| match shape {
                Some(shape) => run.with_shape(shape).run_blocking().unwrap(),
                None => run.run_blocking().unwrap(),
            };
            shaped(host.clamp_slice(clamps, src, dst));
            assert_eq!(dst, expected, "{}", gpu.name);
            dst.fill(7);
            shaped(host.clamp_slice_in_place(clamps, dst));
            assert_eq!(dst, expected, "in place on {}", gpu.name);
        }
        // A tensor without elements is no error, whatever its other extents are.
        for (clamps, shape) in [
            (Clamps::from(&cap), &[0, usize::MAX][..]),
            (Clamps::from(&cap), &[usize::MAX, 2, 0]),
            (Clamps::along(0, &[]), &[0, 3]),
        ] {
            host.clamp_bytes(clamps, &[], &mut []).with_shape(shape).run_blocking().unwrap();
        }
    }
}

/// Destroys the device after some chunks of a stream. Exactly the elements that the error calls valid are written.
#[test]
fn a_device_destroyed_between_two_chunks() {
    alone_on_each("streaming::a_device_destroyed_between_two_chunks", |gpu| {
        let src = source(8 * CHUNK + 5);
        // After 7 of 9 chunks, the other two are in flight, so reading them fails, not starting them.
        for chunks in [1, 7] {
            let gpu = gpu.fresh();
            let mut dst = vec![7; src.len()];
            let mut said = 0;
            let progress = |done: usize, _: usize| {
                said = done;
                if done >= chunks * CHUNK {
                    gpu.device().destroy();
                }
            };
            let result = gpu.host.clamp_slice(clamp(), &src, &mut dst).with_progress(progress).run_blocking();
            let Err(Error::PartlyWritten { valid, source, .. }) = result else { panic!("{result:?}") };
            assert_eq!(valid, 0..said, "{source}");
            assert!((chunks * CHUNK..src.len()).contains(&said), "{said}");
            assert_valid(&gpu, &src, &dst, said);
            assert!(matches!(*source, Error::DeviceLost { .. }), "{source:?}");
        }
    });
}

/// Fills the memory of a driver that takes memory of this process, which gets a limit. Other drivers share their memory with
/// other programs, or do not report that there is no more: GL never does.
#[test]
fn memory_that_runs_out() {
    if !alone("streaming::memory_that_runs_out") {
        return;
    }
    for gpu in gpus() {
        let info = gpu.adapter.get_info();
        let is_software = info.device_type == wgpu::DeviceType::Cpu && info.backend == wgpu::Backend::Vulkan;
        if !is_software || !cfg!(target_os = "linux") {
            println!("not filled: the memory of {}", gpu.name);
            continue;
        }
        let clamp = clamp();
        let mut data = vec![7_u8; 2 * CHUNK];
        gpu.host.clamp_slice_in_place(clamp, &mut data[..9]).run_blocking().unwrap();
        data.fill(7);
        limit_memory(400 << 20);
        let mut taken = Vec::new();
        for size in [64 << 20, 8 << 20, 1 << 20] {
            let error = loop {
                match Tensor::zeros(&gpu.host, DType::U8, &[size]) {
                    Ok(tensor) => taken.push(tensor),
                    Err(error) => break error,
                }
            };
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error:?}");
        }
        let error = gpu.host.clamp_slice_in_place(clamp, &mut data).run_blocking();
        assert!(matches!(error, Err(Error::OutOfMemory { .. })), "{error:?} on {}", gpu.name);
        // Nothing of the slice is written, and the device survives.
        assert!(data.iter().all(|&x| x == 7));
        drop(taken);
        gpu.wait();
        gpu.host.clamp_slice_in_place(clamp, &mut data).run_blocking().unwrap();
        assert!(data.iter().all(|&x| x == 50));
    }
}

/// Lets this process take `more` bytes of address space than it uses now.
fn limit_memory(more: u64) {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = pages.split(' ').next().unwrap().parse().unwrap();
    let limit = format!("--as={}", pages * 4096 + more);
    let status = std::process::Command::new("prlimit")
        .args(["--pid", &std::process::id().to_string(), &limit])
        .status();
    assert!(status.unwrap().success());
}
