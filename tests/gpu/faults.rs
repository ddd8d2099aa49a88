//! What a careless or hostile program can do between calls of a safe API: drop, destroy or map what a prepared clamp uses,
//! lose the device, mix queues, read at once. Each case ends in an error or in the right result; later calls work. Mistakes
//! that one call shows are in `errors`, devices lost while data is streamed in `streaming`, threads in `program`, and huge
//! numbers in the fuzz target `plan`.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use wgpu_clamp::{Clamp, Clamper, DType, Error, Host, Operands, Prepared, Tensor, View, wgpu};

use crate::harness::{Gpu, alone_on_each, gpus, packed};
use crate::random::Random;

fn bytes(gpu: &Gpu, data: &[u8]) -> Tensor {
    Tensor::upload(&gpu.host, &[data.len()], data).unwrap()
}

/// A prepared clamp owns all that it needs. The test drops the objects that made it, except the queue.
#[test]
fn a_prepared_clamp_outlives_all_that_made_it() {
    for gpu in gpus() {
        let gpu = gpu.fresh();
        let tensor = Tensor::upload(&gpu.host, &[5], &[1_u32, 2, 3, 4, 5]).unwrap();
        let plus = Clamp::at_most(30_u32).with_affine(1.0, 10.0).unwrap();
        let prepared = gpu.clamper().prepare(plus, Operands::in_place(tensor.view())).unwrap();
        let staging = gpu.zeros(20, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let mut encoders = [(); 3].map(|()| gpu.encoder());
        encoders[2].copy_buffer_to_buffer(tensor.buffer(), 0, &staging, 0, 20);
        let queue = gpu.host.queue().clone();
        drop((gpu.host, gpu.adapter, tensor));

        // The first encoder records the clamp once, the second records it twice.
        for n in [0, 1, 1] {
            prepared.record(&mut encoders[n].begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        }
        drop(prepared);
        queue.submit(encoders.map(wgpu::CommandEncoder::finish));
        let mapped = std::sync::Arc::new(AtomicBool::new(false));
        let arrived = std::sync::Arc::clone(&mapped);
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            arrived.store(result.is_ok(), Ordering::SeqCst);
        });
        while !mapped.load(Ordering::SeqCst) {
            // A submission runs callbacks, too.
            queue.submit([]);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let bytes = staging.get_mapped_range(..).unwrap().to_vec();
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        assert_eq!(words, [30, 30, 30, 30, 30], "{}", gpu.name);
    }
}

/// The crate cannot see these states when it prepares the clamp. wgpu refuses the submission, which changes nothing.
#[test]
fn buffers_that_are_mapped_or_destroyed_at_the_submission() {
    for gpu in gpus() {
        let clamp = Clamp::at_most(2_u8);
        let good = bytes(gpu, &[1, 2, 3, 4]);
        let refused = |prepared: &Prepared| {
            let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
            gpu.run(&[prepared]);
            let error = pollster::block_on(scope.pop());
            assert!(matches!(error, Some(wgpu::Error::Validation { .. })), "{error:?} on {}", gpu.name);
            assert_eq!(good.read_blocking::<u8>().unwrap(), [1, 2, 3, 4]);
        };

        let gone = bytes(gpu, &[9; 4]);
        let prepared = gpu.clamper().prepare(clamp, Operands::new(gone.view(), good.view())).unwrap();
        gone.buffer().destroy();
        refused(&prepared);
        let error = gone.read_blocking::<u8>().unwrap_err();
        assert!(matches!(error, Error::Wgpu { .. }), "{error:?}");

        let mapped = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: true,
        });
        let operands = Operands::new(View::of::<u8>(&mapped, packed(&[4])), good.view());
        let prepared = gpu.clamper().prepare(clamp, operands).unwrap();
        refused(&prepared);
        let error = gpu.host.submit(clamp, operands).unwrap_err();
        assert!(matches!(&error, Error::Wgpu { reason } if reason.contains("mapped")), "{error:?}");
        mapped.unmap();
        gpu.run(&[&prepared]);
        assert_eq!(good.read_blocking::<u8>().unwrap(), [0; 4]);
    }
}

/// Each call of a host gives the same error, and writes nothing. A clamp prepared before is recorded and submitted without a
/// panic, and has no effect.
#[test]
fn a_destroyed_device_is_an_error_and_not_a_panic() {
    alone_on_each("faults::a_destroyed_device_is_an_error_and_not_a_panic", |gpu| {
        let host = &gpu.host;
        let tensor = Tensor::upload(host, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let operands = Operands::in_place(tensor.view());
        let clamp = Clamp::new(2_u8, 3);
        let prepared = gpu.clamper().prepare(clamp, operands).unwrap();
        let mut before = gpu.encoder();
        gpu.device().destroy();
        prepared.record(&mut before.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        gpu.host.queue().submit([before.finish()]);
        gpu.run(&[&prepared]);
        // `Clamper::new` works, since wgpu still makes layouts, which take no memory.
        let late = Clamper::new(gpu.device()).unwrap();

        let mut data = [9_u8, 0];
        for result in [
            host.clamp_slice(clamp, &[1_u8, 2], &mut data).run_blocking(),
            host.clamp_slice_in_place(clamp, &mut data).run_blocking(),
            tensor.read_blocking::<u8>().map(drop),
            Tensor::upload(host, &[1], &[1_u8]).map(drop),
            // Zeros need no memory of the host, so wgpu reports the loss only when they are used.
            Tensor::zeros(host, DType::U8, &[1]).and_then(|zeros| zeros.read_blocking::<u8>()).map(drop),
            host.submit(clamp, operands).map(drop),
            late.prepare(clamp, operands).map(drop),
        ] {
            // The message does not name the object whose use showed the loss.
            let Err(error @ Error::DeviceLost { .. }) = result else { panic!("{result:?}") };
            let said = "the device was lost: it was destroyed, or its driver gave it up";
            assert_eq!(error.to_string(), said);
        }
        assert_eq!(data, [9, 0]);
        let encoded = host.clamper().encode(&mut gpu.encoder(), clamp, operands);
        assert!(matches!(encoded, Err(Error::DeviceLost { .. })), "{encoded:?}");
    });
}

/// The host has the queue of another device: wgpu's poll refuses the submission, and a read must not wait for ever.
#[test]
fn a_poll_that_fails_ends_the_read() {
    alone_on_each("faults::a_poll_that_fails_ends_the_read", |a| {
        let b = a.fresh();
        for gpu in [&a, &b] {
            gpu.device().on_uncaptured_error(std::sync::Arc::new(|_| {}));
        }
        let mixed = Host::new(a.clamper(), b.host.queue());
        let tensor = Tensor::upload(&mixed, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(tensor.read_blocking::<u8>()));
        let result = receiver.recv_timeout(std::time::Duration::from_secs(20)).expect("the read hangs");
        assert!(result.is_err(), "{result:?}");
    });
}

/// Several reads of one tensor at once, one of them dropped half way, do not disturb each other.
#[test]
fn reads_at_once() {
    for gpu in gpus() {
        let data = Random(5).bytes(4 << 20);
        let tensor = bytes(gpu, &data);
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..8 {
            let (mut a, mut b) = (pin!(tensor.read_bytes()), pin!(tensor.read::<u8>()));
            let mut dropped = Box::pin(tensor.read_bytes());
            let _ = dropped.as_mut().poll(&mut context);
            // A quick device may be done at once, and a future that has ended is not polled again.
            let first = a.as_mut().poll(&mut context);
            let second = b.as_mut().poll(&mut context);
            drop(dropped);
            let reads: [(_, std::pin::Pin<&mut dyn Future<Output = _>>); 2] = [(first, a), (second, b)];
            for (polled, rest) in reads {
                let bytes = match polled {
                    Poll::Ready(bytes) => bytes,
                    Poll::Pending => pollster::block_on(rest),
                };
                assert!(bytes.unwrap() == data, "{}", gpu.name);
            }
        }
    }
}
