//! Callbacks of the program that panic when wgpu or the crate calls them. The panic reaches the thread that polls or
//! waits for a read, through the crate's call, and does not disturb another thread's read. Later calls work.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use wgpu_clamp::{Clamp, DType, Error, Tensor, wgpu};

use crate::harness::{Gpu, alone_on_each, gpus};

/// The payload of [`panic`].
const OWN: &str = "the program's own";

fn panic() {
    panic_any(OWN);
}

/// The result of `run`, or `Err` if it panicked with the payload of [`panic`].
fn caught<T>(run: impl FnOnce() -> T) -> Result<T, ()> {
    let is_own = |payload: Box<dyn Any + Send>| {
        assert_eq!(payload.downcast_ref(), Some(&OWN));
    };
    catch_unwind(AssertUnwindSafe(run)).map_err(is_own)
}

/// A buffer to map. wgpu calls back at the next poll if no work uses the buffer, and also when the buffer is
/// dropped.
fn idle(gpu: &Gpu) -> wgpu::Buffer {
    gpu.zeros(4, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST)
}

/// Polls a read once. Returns whether it is under way: it has ended if a driver does all work in the submission.
fn begun<T>(read: Pin<&mut impl Future<Output = T>>) -> bool {
    matches!(read.poll(&mut Context::from_waker(Waker::noop())), Poll::Pending)
}

/// A tensor so large that copying it takes longer than the tests' other work.
fn large(gpu: &Gpu) -> Tensor {
    Tensor::zeros(&gpu.host, DType::U8, &[64 << 20]).unwrap()
}

/// While the read waits, the crate polls on a thread of its own.
#[test]
fn on_the_thread_that_polls_for_a_read() {
    alone_on_each("callbacks::on_the_thread_that_polls_for_a_read", |gpu| {
        let tensor = large(&gpu);
        for work_done in [false, true] {
            let idle = idle(&gpu);
            let mut read = pin!(tensor.read_bytes());
            if begun(read.as_mut()) {
                if work_done {
                    // Called when the read's work is done, after the read's own callback.
                    gpu.host.queue().on_submitted_work_done(panic);
                } else {
                    idle.map_async(wgpu::MapMode::Read, .., |_| panic());
                }
                let read = caught(|| pollster::block_on(read).map(|bytes| bytes.len()));
                assert_eq!(read, Err(()), "{work_done} on {}", gpu.name);
            }
        }
        assert_eq!(tensor.read_bytes_blocking().unwrap().len(), 64 << 20, "{}", gpu.name);
    });
}

/// A poll by the program finds the read's work done. In this poll an earlier callback panics, so the read's callback is
/// dropped uncalled.
#[test]
fn in_the_way_of_somebody_elses_read() {
    alone_on_each("callbacks::in_the_way_of_somebody_elses_read", |gpu| {
        let tensor = large(&gpu);
        let (mut tries, mut dropped) = (0, 0);
        while tries < 20 && dropped < 3 {
            let (held, idle) = (idle(&gpu), idle(&gpu));
            let mut read = pin!(tensor.read_bytes());
            if !begun(read.as_mut()) {
                break;
            }
            tries += 1;
            // Keep the thread that polls for the read busy, unless it has ended.
            let [entered, released] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
            let (enter, release) = (Arc::clone(&entered), Arc::clone(&released));
            held.map_async(wgpu::MapMode::Read, .., move |_| {
                enter.store(true, Ordering::SeqCst);
                while !release.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
            });
            let end = Instant::now() + Duration::from_secs(1);
            while !entered.load(Ordering::SeqCst) && Instant::now() < end {
                std::thread::yield_now();
            }
            if entered.load(Ordering::SeqCst) {
                idle.map_async(wgpu::MapMode::Read, .., |_| panic());
                assert_eq!(caught(|| gpu.wait()), Err(()), "{}", gpu.name);
                dropped += 1;
            }
            released.store(true, Ordering::SeqCst);
            assert_eq!(pollster::block_on(read).unwrap().len(), 64 << 20, "{}", gpu.name);
        }
        assert!(dropped > 0 || tries == 0, "{tries} on {}", gpu.name);
    });
}

#[test]
fn of_a_streams_progress() {
    for gpu in gpus() {
        let gpu = gpu.limited(|limits| limits.max_buffer_size = 1024);
        let clamp = Clamp::at_most(2_u8);
        let mut data = [9_u8; 5000];
        let stream = gpu.host.clamp_slice_in_place(clamp, &mut data);
        let stream = stream.with_progress(|done, _| {
            if done >= 2048 {
                panic();
            }
        });
        assert_eq!(caught(|| stream.run_blocking()), Err::<Result<(), Error>, _>(()));
        let (done, rest) = data.split_at(2048);
        assert!(done.iter().all(|&x| x == 2) && rest.iter().all(|&x| x == 9), "{}", gpu.name);
        // The progress function may use the host while the stream runs.
        let nested = |_, _| {
            let mut inner = [9_u8; 3000];
            gpu.host.clamp_slice_in_place(clamp, &mut inner).run_blocking().unwrap();
            assert_eq!(inner, [2; 3000]);
        };
        gpu.host.clamp_slice_in_place(clamp, &mut data).with_progress(nested).run_blocking().unwrap();
        assert_eq!(data, [2; 5000], "{}", gpu.name);
    }
}
