//! The crate inside a program that has a device of its own: what the crate frees, what it leaves to the program, and
//! how threads and devices stay independent.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use wgpu_clamp::{Clamp, Clamper, DType, Host, Number, Operands, Prepared, Tensor, View, wgpu};

use crate::harness::{Gpu, alone, alone_on_each, buffer, compare, gpus, packed};
use crate::random::Random;

/// Counts the driver's buffers, bind groups, bind group layouts, pipelines, pipeline layouts and modules. wgpu frees an
/// object with the submission after its last use.
fn objects(device: &wgpu::Device, queue: &wgpu::Queue) -> [isize; 6] {
    for _ in 0..2 {
        queue.submit([]);
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    }
    let counters = device.get_internal_counters().hal;
    [
        counters.buffers.read(),
        counters.bind_groups.read(),
        counters.bind_group_layouts.read(),
        counters.compute_pipelines.read(),
        counters.pipeline_layouts.read(),
        counters.shader_modules.read(),
    ]
}

#[test]
fn what_is_dropped_is_freed() {
    if !alone("program::what_is_dropped_is_freed") {
        return;
    }
    for gpu in gpus() {
        let descriptor = wgpu::DeviceDescriptor {
            required_limits: wgpu::Limits::downlevel_defaults(),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(gpu.adapter.request_device(&descriptor)).unwrap();
        let encoder = || device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let objects = || objects(&device, &queue);
        let nothing = objects();

        let clamper = Clamper::new(&device).unwrap();
        let host = Host::new(&clamper.clone(), &queue);
        let tensor = Tensor::upload(&host, &[1000], &[7_u8; 1000]).unwrap();
        let slot = Tensor::upload(&host, &[], &[5_u8]).unwrap();
        let in_place = Operands::in_place(tensor.view());
        let two_tensors = objects();
        let plus = |base: [isize; 6], more: [isize; 6]| std::array::from_fn(|i| base[i] + more[i]);
        assert_eq!(two_tensors, plus(nothing, [2, 0, 7, 0, 7, 0]), "{}", gpu.name);

        // Calls that create every kind of object: affine steps, a bound on the GPU, readbacks, streams, errors.
        let clamp = Clamp::at_least(1_u8).with_affine(0.5, 1.0).unwrap();
        let on_gpu = clamp.with_bounds(Number::Absent, Number::OnGpu).unwrap();
        let prepared = clamper.prepare(on_gpu, in_place.with_max(slot.view())).unwrap();
        let mut recorded = encoder();
        prepared.record(&mut recorded.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        queue.submit([recorded.finish()]);
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [4; 1000]);
        host.submit(clamp, in_place).unwrap();
        host.clamp_slice_in_place(clamp, &mut [9_u8; 1000]).run_blocking().unwrap();
        let of_another_dtype = View::new(slot.buffer(), DType::I8, slot.layout());
        clamper.prepare(clamp, Operands::in_place(of_another_dtype)).unwrap_err();
        // An encoder that is never submitted.
        clamper.encode(&mut encoder(), Clamp::at_most(9_u8), in_place).unwrap();

        // The thread that polled for a read may still be ending.
        let settles = |expected: [isize; 6]| {
            let end = Instant::now() + Duration::from_secs(10);
            while objects() != expected && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(10));
            }
            assert_eq!(objects(), expected, "{}", gpu.name);
        };
        // The prepared clamp keeps a uniform buffer for its kernel, one for `gather`, the table, and two bind groups. All
        // seven pipelines are left, each of a module.
        settles(plus(two_tensors, [3, 2, 0, 7, 0, 7]));
        // On other buffers, it makes only bind groups.
        let rebound = prepared.rebind(in_place.with_max(slot.view())).unwrap();
        settles(plus(two_tensors, [3, 4, 0, 7, 0, 7]));
        drop(rebound);
        // A prepared clamp keeps only what it needs: its three buffers, the program's two, three pipelines, their
        // modules and layouts.
        drop((clamper, host, tensor, slot));
        settles(plus(nothing, [5, 2, 2, 3, 2, 3]));
        drop(prepared);
        settles(nothing);
    }
}

/// Calls that never submit, poll or wait: recording, and making tensors. Returns the prepared clamps.
fn quiet_calls(gpu: &Gpu, clamper: &Clamper) -> Vec<Prepared> {
    let host = Host::new(clamper, gpu.host.queue());
    let tensor = Tensor::upload(&host, &[33], &[7_u16; 33]).unwrap();
    let slot = Tensor::zeros(&host, DType::U16, &[]).unwrap();
    let clamp = Clamp::new(1_u16, 9);
    let on_gpu = clamp.with_bounds(Number::OnGpu, 9_u16).unwrap();
    let operands = Operands::in_place(tensor.view());
    let mut recorded = gpu.encoder();
    let mut all = Vec::new();
    // The first round compiles pipelines, the second finds them in the cache.
    for _ in 0..2 {
        all.push(clamper.prepare(clamp, operands).unwrap());
        all.push(clamper.prepare(on_gpu, operands.with_min(slot.view())).unwrap());
        clamper.encode(&mut recorded, clamp, operands).unwrap();
        clamper.prepare(Clamp::new(1_u8, 2), operands).unwrap_err();
        let mut pass = recorded.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for prepared in &all {
            prepared.record(&mut pass);
        }
    }
    // Futures that are not run do nothing.
    let mut data = [1_u16; 9];
    drop(host.clamp_slice_in_place(clamp, &mut data));
    drop(tensor.read::<u16>());
    drop(recorded.finish());
    let _ = (clamper.limits(), clamper.compiled_pipelines(), format!("{clamper:?} {host:?}"));
    all
}

/// wgpu calls back only from polls and submissions, and it counts submissions, so a hidden one would show.
#[test]
fn nothing_is_polled_or_submitted_behind_the_programs_back() {
    let number = |index: &wgpu::SubmissionIndex| -> u64 {
        let text = format!("{index:?}");
        text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
    };
    alone_on_each("program::nothing_is_polled_or_submitted_behind_the_programs_back", |gpu| {
        let queue = gpu.host.queue();
        // Submissions that wgpu counts around `calls`, while the callback of finished work waits for a poll.
        let submissions = |calls: &dyn Fn()| {
            let mut work = gpu.encoder();
            work.clear_buffer(&buffer(&gpu, &[1; 64]), 0, None);
            let before = number(&queue.submit([work.finish()]));
            let called = Arc::new(AtomicBool::new(false));
            let call = Arc::clone(&called);
            queue.on_submitted_work_done(move || call.store(true, Ordering::SeqCst));
            // Long enough for the work to end: any poll from now on would call back.
            std::thread::sleep(Duration::from_millis(200));
            calls();
            assert!(!called.load(Ordering::SeqCst), "polled on {}", gpu.name);
            let after = number(&queue.submit([]));
            gpu.wait();
            assert!(called.load(Ordering::SeqCst));
            after - before
        };
        let none = submissions(&|| ());
        let calls = || drop(quiet_calls(&gpu, &Clamper::new(gpu.device()).unwrap()));
        assert_eq!(submissions(&calls), none, "submitted on {}", gpu.name);
    });
}

/// Records the names of threads that wait in a poll of wgpu.
struct Waits(Mutex<Vec<String>>);

impl log::Log for Waits {
    fn enabled(&self, metadata: &log::Metadata) -> bool {
        metadata.target().starts_with("wgpu_core::device")
    }

    fn log(&self, record: &log::Record) {
        if self.enabled(record.metadata()) && record.args().to_string().contains("waiting for submission") {
            let name = std::thread::current().name().unwrap_or_default().to_owned();
            self.0.lock().unwrap().push(name);
        }
    }

    fn flush(&self) {}
}

/// While another thread submits and polls, a long read polls without waiting. If a wait times out just when the other
/// thread finds all work done, an assertion of wgpu-core 30.0 fails. This is rare, so the test counts waits too.
#[test]
fn a_read_polls_without_waiting() {
    static WAITS: Waits = Waits(Mutex::new(Vec::new()));
    if !alone("program::a_read_polls_without_waiting") {
        return;
    }
    let panics = Arc::new(AtomicUsize::new(0));
    let panicked = Arc::clone(&panics);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        panicked.fetch_add(1, Ordering::SeqCst);
        hook(info);
    }));
    log::set_logger(&WAITS).unwrap();
    for gpu in gpus() {
        let gpu = gpu.fresh();
        let tensor = Tensor::zeros(&gpu.host, DType::U8, &[64 << 20]).unwrap();
        log::set_max_level(log::LevelFilter::Trace);
        gpu.wait();
        assert_eq!(std::mem::take(&mut *WAITS.0.lock().unwrap()).len(), 1, "wgpu logs each wait");

        let stop = AtomicBool::new(false);
        let mut pending = false;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::SeqCst) {
                    gpu.host.queue().submit([]);
                    gpu.device().poll(wgpu::PollType::Poll).unwrap();
                }
            });
            for _ in 0..8 {
                let mut read = pin!(tensor.read_bytes());
                let bytes = match read.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(bytes) => bytes,
                    Poll::Pending => {
                        pending = true;
                        pollster::block_on(read)
                    }
                };
                assert!(bytes.is_ok(), "{bytes:?} on {}", gpu.name);
            }
            stop.store(true, Ordering::SeqCst);
        });
        log::set_max_level(log::LevelFilter::Off);
        // Mesa's GL computes within `submit`: no work is ever under way.
        assert!(pending || gpu.adapter.get_info().backend == wgpu::Backend::Gl, "{}", gpu.name);
        let waits = std::mem::take(&mut *WAITS.0.lock().unwrap());
        assert!(waits.iter().all(|thread| thread != "wgpu-clamp poll"), "{waits:?} on {}", gpu.name);
    }
    assert_eq!(panics.load(Ordering::SeqCst), 0);
}

/// The program's handlers are called for its own mistakes, and never on behalf of the crate.
#[test]
fn the_programs_callbacks_stay_in_force() {
    alone_on_each("program::the_programs_callbacks_stay_in_force", |gpu| {
        let device = gpu.device();
        let [errors, losses] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let (error, loss) = (Arc::clone(&errors), Arc::clone(&losses));
        let counts = || [&errors, &losses].map(|counter| counter.load(Ordering::SeqCst));
        device.on_uncaptured_error(Arc::new(move |_| _ = error.fetch_add(1, Ordering::SeqCst)));
        device.set_device_lost_callback(move |_, _| _ = loss.fetch_add(1, Ordering::SeqCst));

        drop(quiet_calls(&gpu, &Clamper::new(device).unwrap()));
        let tensor = Tensor::upload(&gpu.host, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let (clamp, operands) = (Clamp::at_most(2_u8), Operands::in_place(tensor.view()));
        gpu.host.submit(clamp, operands).unwrap();
        gpu.host.clamp_slice_in_place(clamp, &mut [9_u8; 5]).run_blocking().unwrap();
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [1, 2, 2, 2]);
        // A mistake of the program that the crate returns as an error.
        tensor.buffer().destroy();
        gpu.clamper().prepare(clamp, operands).unwrap_err();
        gpu.host.submit(clamp, operands).unwrap_err();
        tensor.read_blocking::<u8>().unwrap_err();
        assert_eq!(counts(), [0, 0], "{}", gpu.name);

        // A mistake in a call of wgpu without the crate.
        drop(gpu.zeros(4, wgpu::BufferUsages::empty()));
        assert_eq!(counts(), [1, 0], "{}", gpu.name);
        device.destroy();
        let _ = device.poll(wgpu::PollType::Poll);
        assert_eq!(counts(), [1, 1], "{}", gpu.name);
    });
}

/// Four threads on each of two devices of each adapter, all at once. Each thread records clamps with numbers of its
/// own, prepares some within the pass that records others, and finds its own results.
#[test]
fn threads_and_devices_keep_to_themselves() {
    const THREADS: u64 = 4;
    if !alone("program::threads_and_devices_keep_to_themselves") {
        return;
    }
    let devices: Vec<Gpu> = gpus().flat_map(|gpu| [gpu.fresh(), gpu.fresh()]).collect();
    let barrier = Barrier::new(devices.len() * THREADS as usize);
    std::thread::scope(|scope| {
        for (gpu, thread) in devices.iter().flat_map(|gpu| (0..THREADS).map(move |thread| (gpu, thread))) {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                for round in 0..8 {
                    clamps_of_its_own(gpu, &mut Random(thread << 8 | round));
                }
            });
        }
    });
    // I16 with and without an affine step, between two buffers, and I32 in place: each compiled once, whichever thread came
    // first: the keys of the cache contain no bounds and no biases. Clones share them.
    for gpu in &devices {
        assert_eq!(gpu.clamper().clone().compiled_pipelines(), 3, "{}", gpu.name);
    }
}

/// Six clamps of the same data into buffers of their own, in two passes of one encoder, compared with the reference.
fn clamps_of_its_own(gpu: &Gpu, random: &mut Random) {
    let layout = packed(&[1024]);
    let input = random.bytes(2048);
    let src = buffer(gpu, &input);
    let clamps: [Clamp; 6] = std::array::from_fn(|n| {
        let clamp = Clamp::new(random.bits() as i16, random.bits() as i16);
        if n % 2 == 0 { clamp } else { clamp.with_affine(f32::from(random.bits() as i16), 3.0).unwrap() }
    });
    let outputs = clamps.map(|_| buffer(gpu, &[0; 2048]));
    let operands = outputs
        .each_ref()
        .map(|output| Operands::new(View::of::<i16>(&src, layout), View::of::<i16>(output, layout)));
    let prepare = |n: usize| gpu.clamper().prepare(clamps[n], operands[n]).unwrap();
    let mut recorded = gpu.encoder();
    let (first, second) = (prepare(0), prepare(1));
    {
        let mut pass = recorded.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        first.record(&mut pass);
        let third = prepare(2);
        second.record(&mut pass);
        for prepared in [&third, &first, &prepare(3)] {
            prepared.record(&mut pass);
        }
    }
    drop((first, second));
    for n in 4..6 {
        gpu.clamper().encode(&mut recorded, clamps[n], operands[n]).unwrap();
    }
    gpu.host.queue().submit([recorded.finish()]);
    for (clamp, operands) in clamps.iter().zip(operands) {
        compare(gpu, clamp, operands, &input, &[0; 2048]);
    }
    // The host of all threads submits, streams and reads.
    let least = random.below(1000) as i32;
    let (clamp, mut data) = (Clamp::at_least(least), (0..1024).collect::<Vec<i32>>());
    let tensor = Tensor::upload(&gpu.host, &[1024], &data).unwrap();
    gpu.host.submit(clamp, Operands::in_place(tensor.view())).unwrap();
    gpu.host.clamp_slice_in_place(clamp, &mut data).run_blocking().unwrap();
    assert!(data.iter().copied().eq((0..1024).map(|x| least.max(x))), "{}", gpu.name);
    assert_eq!(tensor.read_blocking::<i32>().unwrap(), data, "{}", gpu.name);
}
