//! What a careless or hostile program can do between calls of a safe API: use objects of other devices, in the wrong
//! state, in great numbers and from many threads. Each ends in an error, in what wgpu documents, or in the right
//! result, and later calls work. Mistakes that one call shows are in `errors` and `refusals`, devices lost while
//! data is streamed in `streaming`, and numbers that are too large for anything in the fuzz target `plan`.

use std::future::Future as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Waker};

use wgpu_clamp::{
    Clamp, Clamper, DType, Error, Layout, Number, Operands, Prepared, Tensor, View, verify, wgpu,
};

use crate::assert_error::assert_error;
use crate::harness::{Gpu, Place, alone, buffer, check, gpus, with_limits};
use crate::random::Random;
use crate::values::{mask, scalar};

/// A device that a test may destroy, or set handlers on.
fn own(gpu: &Gpu) -> Gpu {
    with_limits(&gpu.adapter, wgpu::Limits::downlevel_defaults())
}

fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

fn encoder(device: &wgpu::Device) -> wgpu::CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
}

fn recorded(device: &wgpu::Device, prepared: &[&Prepared]) -> wgpu::CommandBuffer {
    let mut encoder = encoder(device);
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    for prepared in prepared {
        prepared.record(&mut pass);
    }
    drop(pass);
    encoder.finish()
}

/// The validation error that wgpu reports for `run`, if any.
fn refused_by_wgpu(device: &wgpu::Device, run: impl FnOnce()) -> Option<wgpu::Error> {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    run();
    pollster::block_on(scope.pop())
}

/// A dimension of one element may have any stride, and so may all dimensions of an empty tensor.
#[test]
fn strides_that_lead_nowhere() {
    for gpu in gpus() {
        let clamp = Clamp::new(3_u16, 9);
        let bytes: Vec<u8> = (0..32).collect();
        for stride in [isize::MIN, isize::MAX, -1] {
            let layout = Layout::strided(&[1, 6, 1], &[stride, 2, isize::MIN], 1).unwrap();
            check(gpu, &clamp, (&layout, &bytes), (&layout.flip(0).unwrap(), &bytes), Place::Apart);
            check(gpu, &clamp, (&layout, &bytes), (&layout, &[]), Place::Same);
            let nothing = Layout::strided(&[usize::MAX, 0], &[stride, stride], usize::MAX).unwrap();
            let data = buffer(gpu, &bytes);
            let operands = Operands::in_place(View::of::<u16>(&data, nothing));
            assert_eq!(gpu.clamper().prepare(&clamp, operands).unwrap().dispatches(), 0);
        }
        // One element, repeated for more indices than a buffer has room for.
        let data = buffer(gpu, &bytes);
        let many = packed(&[1]).broadcast_to(&[1 << 40]).unwrap();
        let (src, dst) = (View::of::<u16>(&data, many), View::of::<u16>(&data, packed(&[1 << 40])));
        assert_error!(
            gpu.clamper().prepare(&clamp, Operands::new(src, dst)).unwrap_err(),
            Buffer,
            "dst: u16 elements of shape [1099511627776], strides [1], offset 0 need a buffer of 2199023255552 bytes, \
             this one has 32; shape, strides and offset count elements"
        );
    }
}

#[test]
fn buffers_of_no_size() {
    for gpu in gpus() {
        let nothing = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 0,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let clamp = Clamp::new(3_u8, 9);
        let in_place = |shape| Operands::in_place(View::of::<u8>(&nothing, packed(shape)));
        let of = |shape| gpu.clamper().prepare(&clamp, in_place(shape));
        assert_eq!(of(&[0]).unwrap().dispatches(), 0);
        assert_error!(
            of(&[1]).unwrap_err(),
            Buffer,
            "src and dst: u8 elements of shape [1], strides [1], offset 0 need a buffer of 4 bytes, this one has 0; \
             shape, strides and offset count elements"
        );
        gpu.host.submit(&clamp, in_place(&[3, 0])).unwrap();
    }
}

/// One slot for both bounds, a slot among the elements of src, and one of another dtype.
#[test]
fn slots_that_are_something_else_too() {
    for gpu in gpus() {
        let values = [10_i32, -3, 7, 100];
        let src = Tensor::upload(&gpu.host, &[4], &values).unwrap();
        let dst = Tensor::zeros(&gpu.host, DType::I32, &[4]).unwrap();
        let clamp = Clamp::unbounded(DType::I32).with_bounds(Number::OnGpu, Number::OnGpu).unwrap();
        let third = Layout::strided(&[], &[], 2).unwrap();
        let seven = View::of::<i32>(src.buffer(), third);
        let operands = Operands::new(src.view(), dst.view());
        gpu.host.submit(&clamp, operands.with_min(seven).with_max(seven)).unwrap();
        assert_eq!(dst.read_blocking::<i32>().unwrap(), [7; 4]);
        assert_eq!(src.read_blocking::<i32>().unwrap(), values);

        let operands = operands.with_min(seven).with_max(View::of::<u32>(src.buffer(), third));
        assert_error!(
            gpu.host.submit(&clamp, operands).unwrap_err(),
            DType,
            "max: u32 is not the dtype of the clamp, i32; view its slot as it"
        );
    }
}

/// A prepared clamp owns what it needs: of all that made it, only the queue is kept.
#[test]
fn a_prepared_clamp_outlives_all_that_made_it() {
    for gpu in gpus() {
        let Gpu { host, .. } = own(gpu);
        let queue = host.queue().clone();
        let tensor = Tensor::upload(&host, &[5], &[1_u32, 2, 3, 4, 5]).unwrap();
        let plus = Clamp::at_most(30_u32).with_affine(1.0, 10.0).unwrap();
        let prepared = host.clamper().prepare(&plus, Operands::in_place(tensor.view())).unwrap();
        let staging = host.clamper().device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 20,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut copy = encoder(host.clamper().device());
        copy.copy_buffer_to_buffer(tensor.buffer(), 0, &staging, 0, 20);
        let mut encoders = [(); 2].map(|()| encoder(host.clamper().device()));
        drop((host, tensor));

        for encoder in &mut encoders {
            prepared.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        }
        // The second encoder records it twice.
        prepared.record(&mut encoders[1].begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        drop(prepared);
        queue.submit(encoders.map(wgpu::CommandEncoder::finish));
        queue.submit([copy.finish()]);
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

/// Each of many prepared clamps keeps its own numbers. Uploads of the numbers wait for a submission; the more of
/// them wait, the longer wgpu 30 takes for the next.
#[test]
fn ten_thousand_prepared_clamps() {
    const COUNT: u16 = 10_000;
    for gpu in gpus() {
        let gpu = own(gpu);
        let tensor = Tensor::upload(&gpu.host, &[3], &[0_u32, 1, 1 << 31]).unwrap();
        let prepare = |n: u16| {
            let clamp = Clamp::at_most(u32::MAX - 7).with_affine(1.0, n.into()).unwrap();
            if n.is_multiple_of(100) {
                gpu.host.queue().submit([]);
            }
            gpu.clamper().prepare(&clamp, Operands::in_place(tensor.view())).unwrap()
        };
        let all: Vec<_> = (0..COUNT).map(prepare).collect();
        gpu.host.queue().submit([recorded(gpu.device(), &all.iter().collect::<Vec<_>>())]);
        drop(all);
        let sum: u32 = (0..COUNT).map(u32::from).sum();
        assert_eq!(tensor.read_blocking::<u32>().unwrap(), [sum, sum + 1, (1 << 31) + sum], "{}", gpu.name);
    }
}

/// wgpu refuses the pass at `finish`, on the pass's device; the clamp's device reports nothing.
#[test]
fn a_prepared_clamp_in_the_pass_of_another_device() {
    if !alone("faults::a_prepared_clamp_in_the_pass_of_another_device") {
        return;
    }
    for gpu in gpus() {
        let (a, b) = (own(gpu), own(gpu));
        let tensor = Tensor::upload(&a.host, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let prepared = a.clamper().prepare(&Clamp::at_most(2_u8), Operands::in_place(tensor.view())).unwrap();
        let of_a = refused_by_wgpu(a.device(), || {
            let of_b = refused_by_wgpu(b.device(), || drop(recorded(b.device(), &[&prepared])));
            assert!(matches!(of_b, Some(wgpu::Error::Validation { .. })), "{of_b:?} on {}", gpu.name);
        });
        assert!(of_a.is_none(), "{of_a:?} on {}", gpu.name);
        assert!(catch_unwind(AssertUnwindSafe(|| recorded(b.device(), &[&prepared]))).is_err());
        // Both devices go on.
        a.host.queue().submit([recorded(a.device(), &[&prepared])]);
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [1, 2, 2, 2]);
        let mut data = [9_u8; 3];
        b.host.clamp_slice_in_place(&Clamp::at_most(2_u8), &mut data).run_blocking().unwrap();
        assert_eq!(data, [2; 3]);
    }
}

/// No handle shows these states when the clamp is prepared: wgpu refuses the submission, which changes nothing.
#[test]
fn buffers_that_are_mapped_or_destroyed_at_the_submission() {
    for gpu in gpus() {
        let device = gpu.device();
        let submit = |prepared: &Prepared| {
            gpu.host.queue().submit([recorded(device, &[prepared])]);
        };
        let clamp = Clamp::at_most(2_u8);
        let good = Tensor::upload(&gpu.host, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let refused = |prepared: &Prepared| {
            let error = refused_by_wgpu(device, || submit(prepared));
            assert!(matches!(error, Some(wgpu::Error::Validation { .. })), "{error:?} on {}", gpu.name);
            assert_eq!(good.read_blocking::<u8>().unwrap(), [1, 2, 3, 4]);
        };

        let mapped = device.create_buffer(&wgpu::BufferDescriptor {
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
        submit(&prepared);
        assert_eq!(good.read_blocking::<u8>().unwrap(), [0; 4]);

        let good = Tensor::upload(&gpu.host, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let gone = Tensor::upload(&gpu.host, &[4], &[9_u8; 4]).unwrap();
        let prepared = gpu.clamper().prepare(&clamp, Operands::new(gone.view(), good.view())).unwrap();
        gone.buffer().destroy();
        let error = refused_by_wgpu(device, || submit(&prepared));
        assert!(matches!(error, Some(wgpu::Error::Validation { .. })), "{error:?} on {}", gpu.name);
        assert_eq!(good.read_blocking::<u8>().unwrap(), [1, 2, 3, 4]);
        let error = gone.read_blocking::<u8>().unwrap_err();
        assert!(matches!(error, Error::Wgpu { .. }), "{error:?}");
    }
}

/// A clamp prepared before the device was destroyed is recorded and submitted without a panic, and has no effect.
#[test]
fn a_device_destroyed_after_prepare() {
    if !alone("faults::a_device_destroyed_after_prepare") {
        return;
    }
    for gpu in gpus() {
        let gpu = own(gpu);
        let tensor = Tensor::upload(&gpu.host, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let clamp = Clamp::at_most(2_u8);
        let prepared = gpu.clamper().prepare(&clamp, Operands::in_place(tensor.view())).unwrap();
        let mut before = encoder(gpu.device());
        gpu.device().destroy();
        prepared.record(&mut before.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        gpu.host.queue().submit([before.finish()]);
        gpu.host.queue().submit([recorded(gpu.device(), &[&prepared])]);
        let lost = |error: &Error| matches!(error, Error::DeviceLost { .. });
        assert!(lost(&tensor.read_blocking::<u8>().unwrap_err()), "{}", gpu.name);
        // wgpu still makes layouts, which take no memory.
        let late = Clamper::new(gpu.device()).unwrap();
        assert!(lost(&late.prepare(&clamp, Operands::in_place(tensor.view())).unwrap_err()), "{}", gpu.name);
    }
}

/// Several reads of one tensor at once, one of them dropped half way, do not disturb each other.
#[test]
fn reads_at_once() {
    for gpu in gpus() {
        let data = Random(5).bytes(4 << 20);
        let tensor = Tensor::upload(&gpu.host, &[data.len()], &data).unwrap();
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..8 {
            let (mut a, mut b) = (pin!(tensor.read_bytes()), pin!(tensor.read::<u8>()));
            let mut dropped = Box::pin(tensor.read_bytes());
            let _ = dropped.as_mut().poll(&mut context);
            // A quick device may be done at once, and a future that has ended is not polled again.
            let first = a.as_mut().poll(&mut context);
            let second = b.as_mut().poll(&mut context);
            drop(dropped);
            for (polled, rest) in
                [(first, a.as_mut() as std::pin::Pin<&mut dyn Future<Output = _>>), (second, b)]
            {
                let bytes = match polled {
                    std::task::Poll::Ready(bytes) => bytes,
                    std::task::Poll::Pending => pollster::block_on(rest),
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
    if !alone("faults::eight_threads_on_one_host") {
        return;
    }
    for gpu in gpus() {
        let gpu = own(gpu);
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
    }
}

/// Does all that a host can do, with numbers of its own; compares the results with the reference.
fn work(gpu: &Gpu, random: &mut Random) {
    let dtype = random.pick(&[DType::U8, DType::I16, DType::F32, DType::I64]);
    let n = 1 + random.below(3000);
    let layout = packed(&[n]);
    let elements = random.bytes(n * dtype.size());
    let bytes = random.bits();
    let bound = |bits: u64| scalar(dtype, bits & mask(dtype));
    let clamp = Clamp::unbounded(dtype).with_bounds(bound(bytes), bound(bytes.rotate_left(17))).unwrap();
    let src = Tensor::upload_bytes(&gpu.host, dtype, &[n], &elements).unwrap();
    let dst = Tensor::zeros(&gpu.host, dtype, &[n]).unwrap();
    let prepared = gpu.clamper().prepare(&clamp, Operands::new(src.view(), dst.view())).unwrap();
    gpu.host.queue().submit([recorded(gpu.device(), &[&prepared])]);
    gpu.host.submit(&clamp, Operands::in_place(src.view())).unwrap();
    let whole = |mut bytes: Vec<u8>| {
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes
    };
    let (before, zeros) = (whole(elements.clone()), whole(vec![0; elements.len()]));
    for tensor in [dst, src] {
        let after = whole(tensor.read_bytes_blocking().unwrap());
        let report = verify::check(
            &clamp,
            verify::Buffers {
                src_layout: &layout,
                src: &before,
                dst_layout: &layout,
                dst_before: &zeros,
                dst_after: &after,
            },
        )
        .unwrap();
        assert!(report.passed(), "{report}\n{clamp:?} on {}", gpu.name);
    }
    let (low, high) = (random.bits() as i32 % 1000, random.bits() as i32 % 1000);
    let mut data: Vec<i32> = (0..n as i32).collect();
    let clamp = Clamp::new(low.min(high), low.max(high));
    gpu.host.clamp_slice_in_place(&clamp, &mut data).run_blocking().unwrap();
    assert!((0..).zip(&data).all(|(x, &y)| y == i32::clamp(x, low.min(high), low.max(high))), "{}", gpu.name);
    let other = Tensor::zeros(&gpu.host, DType::U8, &[4]).unwrap();
    let error = gpu.clamper().prepare(&Clamp::at_most(1_u32), Operands::in_place(other.view())).unwrap_err();
    assert_error!(
        error,
        DType,
        "src and dst: u8 is not the dtype of the clamp, u32; a clamp has the dtype of its bounds (literals without a suffix are \
         f64 and i32), `Clamp::with_source` converts from another"
    );
}
