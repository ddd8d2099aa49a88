//! What a careless or hostile program can do between calls of a safe API: use objects of other devices, in the wrong
//! state, in great numbers and from many threads. Each case ends in an error, in the behaviour that wgpu documents, or
//! in the right result; later calls work. Mistakes that one call shows are in `errors` and `refusals`, devices lost
//! while data is streamed are in `streaming`, and huge numbers are in the fuzz target `plan`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use wgpu_clamp::{Clamp, Clamper, DType, Error, Layout, Number, Operands, Prepared, Tensor, View, wgpu};

use crate::harness::{Gpu, Place, alone_on_each, buffer, check, compare, gpus, packed, read, strided};
use crate::random::Random;
use crate::refused::{assert_refused, of_clamp, too_small};
use crate::values::{mask, scalar};

/// The validation error that wgpu reports for `run`, if any.
fn refused_by_wgpu(device: &wgpu::Device, run: impl FnOnce()) -> Option<wgpu::Error> {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    run();
    pollster::block_on(scope.pop())
}

fn bytes(gpu: &Gpu, data: &[u8]) -> Tensor {
    Tensor::upload(&gpu.host, &[data.len()], data).unwrap()
}

/// A dimension of one element may have any stride, and so may all dimensions of an empty tensor.
#[test]
fn strides_that_lead_nowhere() {
    for gpu in gpus() {
        let clamp = Clamp::new(3_u16, 9);
        let bytes: Vec<u8> = (0..32).collect();
        let data = buffer(gpu, &bytes);
        for stride in [isize::MIN, isize::MAX, -1] {
            let layout = strided(&[1, 6, 1], &[stride, 2, isize::MIN], 1);
            check(gpu, &clamp, (&layout, &bytes), (&layout.flip(0).unwrap(), &bytes), Place::Apart);
            check(gpu, &clamp, (&layout, &bytes), (&layout, &[]), Place::Same);
            let nothing = strided(&[usize::MAX, 0], &[stride, stride], usize::MAX);
            let operands = Operands::in_place(View::of::<u16>(&data, nothing));
            assert_eq!(gpu.clamper().prepare(&clamp, operands).unwrap().dispatches(), 0);
        }
        // One element, repeated for more indices than a buffer has room for.
        let many = packed(&[1]).broadcast_to(&[1 << 40]).unwrap();
        let (src, dst) = (View::of::<u16>(&data, many), View::of::<u16>(&data, packed(&[1 << 40])));
        let elements = "u16 elements of shape [1099511627776], strides [1], offset 0";
        let refused = gpu.clamper().prepare(&clamp, Operands::new(src, dst));
        assert_refused(refused, "Buffer", too_small("dst", elements, 2_199_023_255_552, 32));
    }
}

#[test]
fn buffers_of_no_size() {
    for gpu in gpus() {
        let nothing = gpu.zeros(0, wgpu::BufferUsages::STORAGE);
        let clamp = Clamp::new(3_u8, 9);
        let in_place = |shape| Operands::in_place(View::of::<u8>(&nothing, packed(shape)));
        let of = |shape| gpu.clamper().prepare(&clamp, in_place(shape));
        assert_eq!(of(&[0]).unwrap().dispatches(), 0);
        let elements = "u8 elements of shape [1], strides [1], offset 0";
        assert_refused(of(&[1]), "Buffer", too_small("src and dst", elements, 4, 0));
        gpu.host.submit(&clamp, in_place(&[3, 0])).unwrap();
    }
}

/// One slot for both bounds, a slot among the elements of src, and a slot of another dtype.
#[test]
fn slots_that_are_something_else_too() {
    for gpu in gpus() {
        let values = [10_i32, -3, 7, 100];
        let src = Tensor::upload(&gpu.host, &[4], &values).unwrap();
        let dst = Tensor::zeros(&gpu.host, DType::I32, &[4]).unwrap();
        let clamp = Clamp::unbounded(DType::I32).with_bounds(Number::OnGpu, Number::OnGpu).unwrap();
        let third = Layout::packed_at(&[], 2).unwrap();
        let seven = View::of::<i32>(src.buffer(), third);
        let operands = Operands::new(src.view(), dst.view()).with_min(seven);
        gpu.host.submit(&clamp, operands.with_max(seven)).unwrap();
        assert_eq!(dst.read_blocking::<i32>().unwrap(), [7; 4]);
        assert_eq!(src.read_blocking::<i32>().unwrap(), values);

        let refused = gpu.host.submit(&clamp, operands.with_max(View::of::<u32>(src.buffer(), third)));
        let said = "max: u32 is not the dtype of the clamp, i32; view its slot as i32";
        assert_refused(refused, "DType", said);
    }
}

/// A prepared clamp owns all that it needs. The test drops the objects that made it, except the queue.
#[test]
fn a_prepared_clamp_outlives_all_that_made_it() {
    for gpu in gpus() {
        let gpu = gpu.fresh();
        let tensor = Tensor::upload(&gpu.host, &[5], &[1_u32, 2, 3, 4, 5]).unwrap();
        let plus = Clamp::at_most(30_u32).with_affine(1.0, 10.0).unwrap();
        let prepared = gpu.clamper().prepare(&plus, Operands::in_place(tensor.view())).unwrap();
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

/// Each of many prepared clamps keeps its own numbers. Uploads of the numbers wait for a submission. The more uploads
/// wait, the longer wgpu 30 takes for the next one, so the test submits now and then.
#[test]
fn ten_thousand_prepared_clamps() {
    const COUNT: u16 = 10_000;
    for gpu in gpus() {
        let gpu = gpu.fresh();
        let tensor = Tensor::upload(&gpu.host, &[3], &[0_u32, 1, 1 << 31]).unwrap();
        let prepare = |n: u16| {
            let clamp = Clamp::at_most(u32::MAX - 7).with_affine(1.0, n.into()).unwrap();
            if n.is_multiple_of(100) {
                gpu.host.queue().submit([]);
            }
            gpu.clamper().prepare(&clamp, Operands::in_place(tensor.view())).unwrap()
        };
        let all: Vec<_> = (0..COUNT).map(prepare).collect();
        gpu.run(&all.iter().collect::<Vec<_>>());
        drop(all);
        let sum: u32 = (0..COUNT).map(u32::from).sum();
        assert_eq!(tensor.read_blocking::<u32>().unwrap(), [sum, sum + 1, (1 << 31) + sum], "{}", gpu.name);
    }
}

/// wgpu refuses the pass at `finish`, on the pass's device; the clamp's device reports nothing.
#[test]
fn a_prepared_clamp_in_the_pass_of_another_device() {
    alone_on_each("faults::a_prepared_clamp_in_the_pass_of_another_device", |a| {
        let b = a.fresh();
        let tensor = bytes(&a, &[1, 2, 3, 4]);
        let prepared = a.clamper().prepare(&Clamp::at_most(2_u8), Operands::in_place(tensor.view())).unwrap();
        let of_a = refused_by_wgpu(a.device(), || {
            let of_b = refused_by_wgpu(b.device(), || drop(b.recorded(&[&prepared])));
            assert!(matches!(of_b, Some(wgpu::Error::Validation { .. })), "{of_b:?} on {}", a.name);
        });
        assert!(of_a.is_none(), "{of_a:?} on {}", a.name);
        assert!(catch_unwind(AssertUnwindSafe(|| b.recorded(&[&prepared]))).is_err());
        // Both devices go on.
        a.run(&[&prepared]);
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [1, 2, 2, 2]);
        let mut data = [9_u8; 3];
        b.host.clamp_slice_in_place(&Clamp::at_most(2_u8), &mut data).run_blocking().unwrap();
        assert_eq!(data, [2; 3]);
    });
}

/// The crate cannot see these states when it prepares the clamp. wgpu refuses the submission, which changes nothing.
#[test]
fn buffers_that_are_mapped_or_destroyed_at_the_submission() {
    for gpu in gpus() {
        let clamp = Clamp::at_most(2_u8);
        let good = bytes(gpu, &[1, 2, 3, 4]);
        let refused = |prepared: &Prepared| {
            let error = refused_by_wgpu(gpu.device(), || gpu.run(&[prepared]));
            assert!(matches!(error, Some(wgpu::Error::Validation { .. })), "{error:?} on {}", gpu.name);
            assert_eq!(good.read_blocking::<u8>().unwrap(), [1, 2, 3, 4]);
        };

        let gone = bytes(gpu, &[9; 4]);
        let prepared = gpu.clamper().prepare(&clamp, Operands::new(gone.view(), good.view())).unwrap();
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
        let prepared = gpu.clamper().prepare(&clamp, operands).unwrap();
        refused(&prepared);
        let error = gpu.host.submit(&clamp, operands).unwrap_err();
        assert!(matches!(&error, Error::Wgpu { reason } if reason.contains("mapped")), "{error:?}");
        mapped.unmap();
        gpu.run(&[&prepared]);
        assert_eq!(good.read_blocking::<u8>().unwrap(), [0; 4]);
    }
}

/// A clamp prepared before the device was destroyed is recorded and submitted without a panic, and has no effect.
#[test]
fn a_device_destroyed_after_prepare() {
    alone_on_each("faults::a_device_destroyed_after_prepare", |gpu| {
        let tensor = bytes(&gpu, &[1, 2, 3, 4]);
        let (clamp, operands) = (Clamp::at_most(2_u8), Operands::in_place(tensor.view()));
        let prepared = gpu.clamper().prepare(&clamp, operands).unwrap();
        let mut before = gpu.encoder();
        gpu.device().destroy();
        prepared.record(&mut before.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        gpu.host.queue().submit([before.finish()]);
        gpu.run(&[&prepared]);
        // `Clamper::new` works, since wgpu still makes layouts, which take no memory.
        let late = Clamper::new(gpu.device()).unwrap();
        for result in [tensor.read_blocking::<u8>().map(drop), late.prepare(&clamp, operands).map(drop)] {
            assert!(matches!(result, Err(Error::DeviceLost { .. })), "{result:?} on {}", gpu.name);
        }
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

/// Eight threads on one host: each prepares, submits, reads and streams, all at once, and finds its own results.
#[test]
fn eight_threads_on_one_host() {
    const THREADS: u64 = 8;
    alone_on_each("faults::eight_threads_on_one_host", |gpu| {
        let barrier = Barrier::new(THREADS as usize);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (gpu, barrier) = (&gpu, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    for round in 0..6 {
                        work(gpu, &mut Random(thread << 8 | round));
                    }
                });
            }
        });
    });
}

/// Does all that a host can do, with numbers of its own; compares the results with the reference.
fn work(gpu: &Gpu, random: &mut Random) {
    let dtype = random.pick(&[DType::U8, DType::I16, DType::F32, DType::I64]);
    let n = 1 + random.below(3000);
    let mut elements = random.bytes(n * dtype.size());
    let bound = random.bits();
    let [min, max] = [bound, bound.rotate_left(17)].map(|bits| scalar(dtype, bits & mask(dtype)));
    let clamp = Clamp::unbounded(dtype).with_bounds(min, max).unwrap();
    let src = Tensor::upload_bytes(&gpu.host, dtype, &[n], &elements).unwrap();
    let dst = Tensor::zeros(&gpu.host, dtype, &[n]).unwrap();
    let (apart, in_place) = (Operands::new(src.view(), dst.view()), Operands::in_place(src.view()));
    // The tensors' buffers are whole words.
    elements.resize(elements.len().next_multiple_of(4), 0);
    let prepared = gpu.clamper().prepare(&clamp, apart).unwrap();
    gpu.run(&[&prepared]);
    compare(gpu, &clamp, apart, &elements, &vec![0; elements.len()]);
    gpu.host.submit(&clamp, in_place).unwrap();
    compare(gpu, &clamp, in_place, &elements, &elements);
    for tensor in [dst, src] {
        assert!(tensor.read_bytes_blocking().unwrap() == read(gpu, tensor.buffer())[..n * dtype.size()]);
    }

    let (low, high) = (random.bits() as i32 % 1000, random.bits() as i32 % 1000);
    let mut data: Vec<i32> = (0..n as i32).collect();
    let clamp = Clamp::new(low.min(high), low.max(high));
    gpu.host.clamp_slice_in_place(&clamp, &mut data).run_blocking().unwrap();
    assert!((0..).zip(&data).all(|(x, &y)| y == i32::clamp(x, low.min(high), low.max(high))), "{}", gpu.name);
    let other = bytes(gpu, &[0; 4]);
    let refused = gpu.clamper().prepare(&Clamp::at_most(1_u32), Operands::in_place(other.view()));
    assert_refused(refused, "DType", of_clamp("src and dst", DType::U8, DType::U32));
}
