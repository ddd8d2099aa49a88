//! Every mistake that the crate can see is an error of its own, recorded nothing and wrote nothing.

use wgpu_clamp::{
    Bound, Clamp, Clamper, Clamps, DType, Error, Host, Layout, Operands, Tensor, View, reference, verify,
    wgpu,
};

use crate::harness::{Gpu, alone, buffer, gpus, read, with_limits};

/// Calls that must fail, on a device where any wgpu error would show and any write would be seen.
#[track_caller]
fn refused(
    gpu: &Gpu,
    clamp: &Clamp,
    src: View<'_>,
    dst: View<'_>,
    expected: impl Fn(&Error) -> bool,
    message: &[&str],
) {
    let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
    let readable = |buffer: &wgpu::Buffer| buffer.usage().contains(wgpu::BufferUsages::COPY_SRC);
    let before = readable(dst.buffer).then(|| read(gpu, dst.buffer));
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());

    let error = gpu.clamper().encode(&mut encoder, clamp, (src, dst)).unwrap_err();
    assert!(expected(&error), "{error:?}");
    for part in message {
        assert!(error.to_string().contains(part), "{part:?} is not in {error}");
    }
    assert_eq!(gpu.clamper().prepare(clamp, (src, dst)).unwrap_err(), error);
    assert_eq!(gpu.host.submit(clamp, (src, dst)).unwrap_err(), error);

    // What was recorded of it, if anything, would run here.
    gpu.host.queue().submit([encoder.finish()]);
    assert_eq!(before, readable(dst.buffer).then(|| read(gpu, dst.buffer)));
    assert!(pollster::block_on(scope.pop()).is_none());
}

fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 37) as u8).collect()
}

fn packed(shape: &[usize]) -> Layout {
    Layout::packed(shape).unwrap()
}

#[test]
fn operands_that_do_not_fit() {
    for gpu in gpus() {
        let (a, b) = (buffer(gpu, &bytes(64)), buffer(gpu, &bytes(64)));
        let clamp = Clamp::new(10_u8, 20);
        let view = |layout| View::new(&b, layout);

        refused(
            gpu,
            &clamp,
            View::new(&a, packed(&[4, 8])),
            view(packed(&[8, 4])),
            |e| matches!(e, Error::ShapeMismatch { .. }),
            &["dst", "[8, 4]", "[4, 8]"],
        );
        refused(
            gpu,
            &clamp,
            View::new(&a, packed(&[65])),
            view(packed(&[65])),
            |e| {
                *e == Error::BufferTooSmall {
                    argument: "src",
                    dtype: DType::U8,
                    layout: packed(&[65]).into(),
                    needed: 68,
                    actual: 64,
                }
            },
            &["src", "68", "64"],
        );
        let far = Layout::strided(&[4], &[2], 2).unwrap();
        refused(
            gpu,
            &Clamp::new(1.0_f64, 2.0),
            View::new(&a, packed(&[4])),
            view(far),
            |e| {
                *e == Error::BufferTooSmall {
                    argument: "dst",
                    dtype: DType::F64,
                    layout: far.into(),
                    needed: 72,
                    actual: 64,
                }
            },
            &["dst"],
        );
        refused(
            gpu,
            &clamp,
            View::new(&a, packed(&[2, 3])),
            view(Layout::strided(&[2, 3], &[2, 1], 0).unwrap()),
            |e| matches!(e, Error::OutputOverlap { .. }),
            &["[2, 3]", "[2, 1]"],
        );
        refused(
            gpu,
            &clamp,
            View::new(&a, packed(&[5])),
            view(packed(&[1]).broadcast_to(&[5]).unwrap()),
            |e| matches!(e, Error::OutputOverlap { .. }),
            &[],
        );
        refused(
            gpu,
            &clamp,
            view(packed(&[9])),
            view(packed(&[64]).slice(0, 8..17).unwrap()),
            |e| matches!(e, Error::PartialAlias { .. }),
            &["src", "dst"],
        );
        refused(
            gpu,
            &clamp,
            view(packed(&[9])),
            view(packed(&[9]).flip(0).unwrap()),
            |e| matches!(e, Error::PartialAlias { .. }),
            &[],
        );
    }
}

/// 10^12 times the roots of the first primes: sums of these are a subset sum problem, and the search gives up.
const HARD: [isize; 8] = [
    1_414_213_562_373,
    1_732_050_807_568,
    2_236_067_977_499,
    2_645_751_311_064,
    3_316_624_790_355,
    3_605_551_275_463,
    4_123_105_625_617,
    4_358_898_943_540,
];

#[test]
fn what_cannot_be_decided() {
    use wgpu_clamp::{Limits, Plan};
    let clamp = Clamp::new(1_u8, 2);
    let hard = Layout::strided(&[9; 8], &HARD, 0).unwrap();
    let error = Plan::new(&clamp, &hard, &hard, Limits::default()).unwrap_err();
    assert!(matches!(error, Error::OverlapUndecided { .. }), "{error:?}");
    assert!(error.to_string().contains("[9, 9, 9, 9, 9, 9, 9, 9]"));

    // Each by itself is decided, the two together are not.
    let dst = Layout::strided(&[9; 6], &HARD[..6], 0).unwrap();
    let src = Layout::strided(&[9; 6], &HARD.map(|stride| stride / 3 + 1)[..6], 1).unwrap();
    let error = Plan::in_one_buffer(&clamp, &src, &dst, Limits::default()).unwrap_err();
    assert_eq!(error, Error::AliasUndecided { argument: "src", view: src.into(), dst: dst.into() });
}

#[test]
fn usages_that_are_missing() {
    for gpu in gpus() {
        let good = buffer(gpu, &bytes(16));
        let bad = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let clamp = Clamp::new(1_u32, 2);
        let (good, bad) = (View::new(&good, packed(&[4])), View::new(&bad, packed(&[4])));
        for (src, dst, argument) in [(bad, good, "src"), (good, bad, "dst"), (bad, bad, "src and dst")] {
            refused(
                gpu,
                &clamp,
                src,
                dst,
                |e| matches!(e, Error::MissingUsage { argument: a, .. } if *a == argument),
                &[argument, "STORAGE", "COPY_DST"],
            );
        }
    }
}

#[test]
fn tensors_that_take_too_many_windows() {
    for gpu in gpus() {
        let small = with_limits(
            &gpu.adapter,
            wgpu::Limits { max_storage_buffer_binding_size: 2048, ..wgpu::Limits::downlevel_defaults() },
        );
        let src = small.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 70_000 * 3072,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        let dst = buffer(&small, &bytes(140_000));
        refused(
            &small,
            &Clamp::new(1_u8, 2),
            View::new(&src, Layout::strided(&[70_000, 2], &[3072, 1], 0).unwrap()),
            View::new(&dst, packed(&[70_000, 2])),
            |e| {
                *e == Error::TooManyWindows {
                    axis: 0,
                    windows: 70_000,
                    limit: 65_536,
                    max_binding_size: 2048,
                    max_workgroups_per_dimension: 65_535,
                }
            },
            &["axis 0", "70000", "65536", "max_storage_buffer_binding_size of 2048"],
        );
    }
}

#[test]
fn empty_tensors_are_no_error_and_record_nothing() {
    for gpu in gpus() {
        let buffer = buffer(gpu, &bytes(16));
        let clamp = Clamp::new(1_u8, 2);
        // Far beyond the buffer, and two indices on one element if there were any.
        let empty = Layout::strided(&[0, 7], &[1, 0], 1_000).unwrap();
        let view = View::new(&buffer, empty);
        assert_eq!(gpu.clamper().prepare(&clamp, (view, view)).unwrap().dispatches(), 0);
        gpu.host.submit(&clamp, (view, view)).unwrap();
        assert_eq!(read(gpu, &buffer), bytes(16));
    }
}

#[test]
fn devices_with_too_little() {
    let enough = wgpu::Limits::downlevel_defaults;
    for gpu in gpus() {
        for (limits, limit_name, needed, limit) in [
            (
                wgpu::Limits { max_storage_buffers_per_shader_stage: 2, ..enough() },
                "max_storage_buffers_per_shader_stage",
                3,
                2,
            ),
            (
                wgpu::Limits { max_bindings_per_bind_group: 3, ..enough() },
                "max_bindings_per_bind_group",
                4,
                3,
            ),
            (
                wgpu::Limits { max_uniform_buffer_binding_size: 256, ..enough() },
                "max_uniform_buffer_binding_size",
                384,
                256,
            ),
            (wgpu::Limits { max_buffer_size: 128, ..enough() }, "max_buffer_size", 384, 128),
            (
                wgpu::Limits { max_compute_invocations_per_workgroup: 128, ..enough() },
                "max_compute_invocations_per_workgroup",
                256,
                128,
            ),
            (
                wgpu::Limits { max_compute_workgroup_size_x: 255, ..enough() },
                "max_compute_workgroup_size_x",
                256,
                255,
            ),
            (
                wgpu::Limits { max_compute_workgroup_size_y: 0, ..enough() },
                "max_compute_workgroup_size_y",
                1,
                0,
            ),
            (
                wgpu::Limits { max_compute_workgroups_per_dimension: 0, ..enough() },
                "max_compute_workgroups_per_dimension",
                1,
                0,
            ),
        ] {
            let descriptor = wgpu::DeviceDescriptor { required_limits: limits, ..Default::default() };
            let (device, _) = pollster::block_on(gpu.adapter.request_device(&descriptor)).unwrap();
            let error = Clamper::new(&device).unwrap_err();
            assert_eq!(error, Error::DeviceLimit { limit_name, needed, limit });
            assert!(error.to_string().contains("downlevel_defaults"));
        }
    }
}

#[test]
fn host_data_of_the_wrong_kind() {
    for gpu in gpus() {
        let host = &gpu.host;
        let clamp = Clamp::new(1.0_f32, 2.0);

        let error = Tensor::upload(host, &[2, 2], &[1.0_f32; 3]).unwrap_err();
        assert_eq!(error, Error::Length { argument: "data", unit: "elements", expected: 4, actual: 3 });
        assert!(matches!(Tensor::zeros(host, DType::U8, &[1; 9]), Err(Error::Rank { rank: 9 })));
        assert!(matches!(Tensor::zeros(host, DType::U8, &[usize::MAX, 2]), Err(Error::ElementCount { .. })));

        let tensor = Tensor::upload(host, &[2], &[1.0_f32, 5.0]).unwrap();
        assert_eq!(
            tensor.read_blocking::<i32>().unwrap_err(),
            Error::DTypeMismatch {
                argument: "T",
                of: "the tensor",
                expected: DType::F32,
                actual: DType::I32
            }
        );

        let mut out = [7_i32; 2];
        assert_eq!(
            host.clamp_slice(&clamp, &[1, 2], &mut out).run_blocking().unwrap_err(),
            Error::DTypeMismatch {
                argument: "src",
                of: "the clamp",
                expected: DType::F32,
                actual: DType::I32
            }
        );
        assert_eq!(out, [7; 2]);
        let mut out = [7.0_f32; 3];
        assert_eq!(
            host.clamp_slice(&clamp, &[1.0_f32, 2.0], &mut out).run_blocking().unwrap_err(),
            Error::Length { argument: "dst", unit: "elements", expected: 2, actual: 3 }
        );
        assert_eq!(out.map(f32::to_bits), [7.0_f32.to_bits(); 3]);
    }
}

#[test]
fn tensors_beyond_one_buffer() {
    for gpu in gpus() {
        let limit = gpu.device().limits().max_buffer_size;
        let error = Tensor::zeros(&gpu.host, DType::U8, &[usize::try_from(limit).unwrap() + 1]).unwrap_err();
        assert!(
            matches!(error, Error::TooLarge { limit_name: "max_buffer_size", needed, .. } if needed == limit + 4),
            "{error:?}"
        );
    }
}

#[test]
fn clamps_that_cannot_be() {
    assert_eq!(
        Clamp::unbounded(DType::BF16)
            .with_bounds(Number::Absent, Scalar::from_bits(DType::BF16, 0x1_0000).unwrap())
            .unwrap_err(),
        Error::BoundBits { argument: "max", bits: 0x1_0000, dtype: DType::BF16 }
    );
    for (scale, bias, argument) in
        [(f32::NAN, 0.0, "scale"), (f32::INFINITY, 0.0, "scale"), (1.0, f32::NEG_INFINITY, "bias")]
    {
        let error = Clamp::new(0_u8, 1).with_affine(scale, bias).unwrap_err();
        assert!(matches!(error, Error::NonFinite { argument: a, .. } if a == argument), "{error:?}");
        assert!(error.to_string().starts_with(argument));
    }
    let error = Clamp::new(0_u8, 1).with_affine_f64(0.1, 0.0).unwrap_err();
    assert_eq!(error, Error::AffineDType { dtype: DType::U8 });
}

#[test]
fn layouts_that_cannot_be() {
    let line = packed(&[10]);
    assert_eq!(Layout::packed(&[1; 9]).unwrap_err(), Error::Rank { rank: 9 });
    assert_eq!(Layout::strided(&[1, 2], &[1], 0).unwrap_err(), Error::StrideRank { shape: 2, strides: 1 });
    assert!(matches!(Layout::packed(&[usize::MAX, 3]), Err(Error::ElementCount { .. })));
    assert_eq!(Layout::strided(&[3], &[-1], 1).unwrap_err(), Error::AddressRange { lowest: -1, highest: 1 });
    assert!(matches!(Layout::strided(&[2], &[1], usize::MAX), Err(Error::AddressRange { .. })));
    assert!(matches!(
        Layout::strided(&[2, 2], &[isize::MAX, isize::MAX], 0),
        Err(Error::AddressRange { .. })
    ));
    for axes in [&[0_usize, 0][..], &[0], &[1, 2], &[0, 1, 2]] {
        assert!(matches!(packed(&[2, 3]).permute(axes), Err(Error::Permutation { .. })), "{axes:?}");
    }
    assert_eq!(line.flip(1).unwrap_err(), Error::Axis { axis: 1, rank: 1 });
    let backwards = std::ops::Range { start: 4, end: 3 };
    assert!(matches!(line.slice(0, backwards), Err(Error::SliceRange { .. })));
    assert!(matches!(line.slice(0, 3..11), Err(Error::SliceRange { extent: 10, .. })));
    assert_eq!(line.step(0, 0).unwrap_err(), Error::SliceStep { axis: 0 });
    for shape in [&[9_usize][..], &[], &[10, 2]] {
        assert!(matches!(line.broadcast_to(shape), Err(Error::Broadcast { .. })), "{shape:?}");
    }
}

#[test]
fn adapters_that_are_not_there() {
    // In a child process: the environment of this one is shared by its threads.
    let run = |key, value| {
        let program = std::env::current_exe().unwrap();
        let output = std::process::Command::new(program)
            .args(["--exact", "errors::child_opens_a_host", "--include-ignored", "--nocapture"])
            .env("WGPU_CLAMP_TEST_CHILD", "1")
            .env(key, value)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let said = run("WGPU_ADAPTER_NAME", "no such thing");
    assert!(said.contains("opened: no adapter") && said.contains("no such thing"), "{said}");
    // Not on any one machine: DX12 and Metal.
    let other = if cfg!(windows) { "metal" } else { "dx12" };
    let said = run("WGPU_BACKEND", other);
    assert!(said.contains("opened: no adapter"), "{said}");
    for gpu in gpus() {
        let info = gpu.adapter.get_info();
        let said = run("WGPU_BACKEND", info.backend.to_str());
        assert!(said.contains(&format!("opened: {}", info.name)), "{said}");
    }
    let first = Host::open_nth_blocking(0).unwrap().adapter();
    let said = run("WGPU_CLAMP_ADAPTER", "0");
    assert!(said.contains(&format!("opened: {first}")), "{said}");
    let said = run("WGPU_CLAMP_ADAPTER", "99");
    assert!(said.contains("no adapter 99, counted from 0: they are ["), "{said}");
    let said = run("WGPU_CLAMP_ADAPTER", "first");
    assert!(said.contains("WGPU_CLAMP_ADAPTER is \"first\", not an index"), "{said}");
}

/// What [`adapters_that_are_not_there`] runs. By itself it checks no more than that opening does not panic.
#[test]
fn child_opens_a_host() {
    let said = match Host::open_blocking() {
        Ok(host) => host.adapter(),
        Err(error) => error.to_string(),
    };
    println!("opened: {said}");
    assert!(!said.is_empty());
}

#[test]
fn a_destroyed_device_is_an_error_and_not_a_panic() {
    if !alone("errors::a_destroyed_device_is_an_error_and_not_a_panic") {
        return;
    }
    for gpu in gpus() {
        let gpu = with_limits(&gpu.adapter, wgpu::Limits::downlevel_defaults());
        let (device, host) = (gpu.device(), &gpu.host);
        let tensor = Tensor::upload(host, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let clamp = Clamp::new(2_u8, 3);
        device.destroy();

        let lost = |error: &Error| matches!(error, Error::DeviceLost { .. });
        // Not a word of the objects in which it showed.
        let said = "the device was lost: it was destroyed, or its driver gave it up";
        let gone = |error: Error| lost(&error) && error.to_string() == said;
        let mut data = [9_u8, 0];
        assert!(gone(host.clamp_slice(&clamp, &[1_u8, 2], &mut data).run_blocking().unwrap_err()));
        assert!(gone(host.clamp_slice_in_place(&clamp, &mut data).run_blocking().unwrap_err()));
        assert_eq!(data, [9, 0]);
        assert!(gone(tensor.read_blocking::<u8>().unwrap_err()));
        assert!(gone(Tensor::upload(host, &[1], &[1_u8]).unwrap_err()));
        // A tensor of zeros needs no memory of the host, so wgpu does not tell before it is used.
        if let Ok(zeros) = Tensor::zeros(host, DType::U8, &[1]) {
            assert!(gone(zeros.read_blocking::<u8>().unwrap_err()));
        }
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let operands = Operands::in_place(tensor.view());
        assert!(gone(host.submit(&clamp, operands).unwrap_err()));
        assert!(lost(&host.clamper().encode(&mut encoder, &clamp, operands).unwrap_err()));
    }
}

#[test]
fn views_that_are_known_to_be_of_another_dtype() {
    for gpu in gpus() {
        let tensor = Tensor::upload(&gpu.host, &[2], &[1.0_f32, 2.0]).unwrap();
        let plain = View::new(tensor.buffer(), packed(&[8]));
        let known = |view: View<'_>| view.dtype.is_some();
        assert!(known(tensor.view()) && !known(plain));
        let clamp = Clamp::new(1_u8, 2);
        let error = gpu.host.submit(&clamp, Operands::in_place(tensor.view())).unwrap_err();
        assert_eq!(
            error,
            Error::DTypeMismatch {
                argument: "src and dst",
                of: "the clamp",
                expected: DType::U8,
                actual: DType::F32
            }
        );
        let bits = tensor.read_blocking::<f32>().unwrap().into_iter().map(f32::to_bits);
        assert!(bits.eq([1.0_f32, 2.0].map(f32::to_bits)));
        gpu.host.submit(&clamp, Operands::in_place(plain)).unwrap();
    }
}

#[test]
fn bounds_that_the_reference_cannot_read() {
    let clamp = Clamp::at_least(1_u8).with_bounds(Bound::Value(1), Number::OnGpu).unwrap();
    let expected = Error::BoundOnGpu { argument: "max" };
    let layout = packed(&[4]);
    let mut out = [0; 4];
    assert_eq!(reference::clamp_slice(&clamp, &[0_u8; 4], &mut out).unwrap_err(), expected);
    assert_eq!(reference::apply(&clamp, &layout, &[0; 4], &layout, &mut out).unwrap_err(), expected);
    assert_eq!(reference::apply_in_place(&clamp, &layout, &mut out).unwrap_err(), expected);
    assert_eq!(
        verify::check(
            &clamp,
            verify::Buffers {
                src_layout: &layout,
                src: &[0; 4],
                dst_layout: &layout,
                dst_before: &[0; 4],
                dst_after: &[0; 4]
            }
        )
        .unwrap_err(),
        expected
    );
    assert_eq!(out, [0; 4]);
    // Those without a `Result` take it as absent.
    assert_eq!(reference::element(&clamp, 200), 200);
    assert_eq!(reference::allowed(&clamp, 0).values(), [1]);
}

#[test]
fn layouts_of_nothing_and_of_more_than_there_is() {
    let nothing = Layout::strided(&[usize::MAX, 2, 0], &[1, 1, 1], 0).unwrap();
    assert_eq!((nothing.len(), nothing.addresses().count()), (0, 0));
    assert_eq!(Layout::packed(&[0, usize::MAX, 2]).unwrap().len(), 0);
    assert_eq!(packed(&[3, 0, 4]).strides(), [4, 4, 1]);
    let clamp = Clamp::new(0.0_f64, 1.0);
    reference::apply(&clamp, &nothing, &[], &nothing, &mut []).unwrap();

    // The last element has an address, but its bytes have none.
    let far = Layout::strided(&[2], &[-1], 1 << 61).unwrap();
    let limits = wgpu_clamp::Limits::default();
    let error = wgpu_clamp::Plan::new(&clamp, &far, &packed(&[2]), limits).unwrap_err();
    assert!(matches!(error, Error::TooLarge { argument: "src", .. }), "{error:?}");
}

/// The queue of another device: wgpu's poll refuses the submission, and a read must not wait for it for ever.
#[test]
fn a_poll_that_fails_ends_the_read() {
    if !alone("errors::a_poll_that_fails_ends_the_read") {
        return;
    }
    for gpu in gpus() {
        let limits = wgpu::Limits::downlevel_defaults;
        let (a, b) = (with_limits(&gpu.adapter, limits()), with_limits(&gpu.adapter, limits()));
        for device in [a.device(), b.device()] {
            device.on_uncaptured_error(std::sync::Arc::new(|_| {}));
        }
        let mixed = Host::new(a.clamper(), b.host.queue());
        let tensor = Tensor::upload(&mixed, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || sender.send(tensor.read_blocking::<u8>()));
        let result = receiver.recv_timeout(std::time::Duration::from_secs(20)).expect("the read hangs");
        assert!(result.is_err(), "{result:?}");
    }
}

/// What the manual says of mistakes that no handle shows, as wgpu 30 takes them.
#[test]
fn what_only_wgpu_sees() {
    if !alone("errors::what_only_wgpu_sees") {
        return;
    }
    let panics = |run: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err();
    for gpu in gpus() {
        let device = |adapter| with_limits(adapter, wgpu::Limits::downlevel_defaults());
        let (own, other) = (device(&gpu.adapter), device(&gpu.adapter));
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapters = pollster::block_on(instance.enumerate_adapters(gpu.adapter.get_info().backend.into()));
        let foreign = device(&adapters[0]);
        let clamp = Clamp::new(2_u8, 3);
        let upload = |gpu: &Gpu| Tensor::upload(&gpu.host, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let tensor = upload(&own);
        let submit = |queue: &wgpu::Queue| {
            let host = Host::new(own.clamper(), queue);
            host.submit(&clamp, Operands::in_place(tensor.view()))
        };

        let error = own.clamper().prepare(&clamp, Operands::in_place(upload(&other).view())).unwrap_err();
        assert!(matches!(error, Error::Internal { .. }), "{error:?}");
        // More than this instance has, so that none is taken for it.
        let buffers: Vec<_> = (0..200).map(|_| upload(&foreign)).collect();
        let operands = Operands::in_place(buffers[199].view());
        assert!(panics(&|| drop(own.clamper().prepare(&clamp, operands))), "{}", gpu.name);
        assert!(panics(&|| drop(submit(foreign.host.queue()))), "{}", gpu.name);

        assert!(panics(&|| drop(submit(other.host.queue()))), "{}", gpu.name);
        let scope = other.device().push_error_scope(wgpu::ErrorFilter::Validation);
        submit(other.host.queue()).unwrap();
        assert!(pollster::block_on(scope.pop()).is_some());
        // None of it is in the way of what is right.
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [1, 2, 3, 4]);
        submit(own.host.queue()).unwrap();
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [2, 2, 3, 3]);
    }
}

#[test]
fn a_report_is_no_error_but_its_operands_can_be() {
    let (clamp, layout) = (Clamp::new(1_u8, 2), packed(&[4]));
    assert!(
        verify::check(
            &clamp,
            verify::Buffers {
                src_layout: &layout,
                src: &[0; 4],
                dst_layout: &layout,
                dst_before: &[0; 4],
                dst_after: &[0; 8]
            }
        )
        .is_err()
    );
}

/// What a program prints is the message alone, so it says what the fields say.
#[test]
fn messages_of_host_data() {
    for gpu in gpus() {
        let host = &gpu.host;
        let error = Tensor::upload_bytes(host, DType::F32, &[2], &[0; 5]).unwrap_err();
        assert_eq!(error.to_string(), "bytes: 5 bytes given, 8 needed");
        let error = Tensor::upload(host, &[2], &[0.0_f32; 5]).unwrap_err();
        assert_eq!(error.to_string(), "data: 5 elements given, 2 needed");
        let tensor = Tensor::zeros(host, DType::F32, &[2]).unwrap();
        let error = tensor.read_blocking::<i16>().unwrap_err();
        assert_eq!(error.to_string(), "T: i16 is not the dtype of the tensor, f32; they must be equal");
        let error = host.clamp_slice_in_place(&Clamp::new(1_u8, 2), &mut [3_i8]).run_blocking().unwrap_err();
        assert_eq!(error.to_string(), "slice: i8 is not the dtype of the clamp, u8; they must be equal");

        let small = with_limits(
            &gpu.adapter,
            wgpu::Limits { max_buffer_size: 4096, ..wgpu::Limits::downlevel_defaults() },
        );
        let too_large = |argument: &str| {
            format!(
                "{argument}: 8192 bytes in one buffer needed, but the device's max_buffer_size allows 4096; use several \
                 tensors"
            )
        };
        let error = Tensor::zeros(&small.host, DType::F32, &[2, 1024]).unwrap_err();
        assert_eq!(error.to_string(), too_large("shape"));
        let error = Tensor::upload(&small.host, &[2, 1024], &[0.0_f32; 2048]).unwrap_err();
        assert_eq!(error.to_string(), too_large("data"));
        let error = Tensor::upload_bytes(&small.host, DType::F32, &[2048], &[0; 8192]).unwrap_err();
        assert_eq!(error.to_string(), too_large("bytes"));
    }
}

#[test]
fn messages_of_operands() {
    const LITERALS: &str =
        "was f64 meant? Bounds without a suffix make a clamp of it: `Clamp::new(0.0_f32, 6.0)` is one of f32";
    for gpu in gpus() {
        let (a, b) = (buffer(gpu, &bytes(16)), buffer(gpu, &bytes(64)));
        let said = |clamp: &Clamp, src: View<'_>, dst: View<'_>| {
            let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            gpu.clamper().encode(&mut encoder, clamp, (src, dst)).unwrap_err().to_string()
        };
        let (four, few) = (View::new(&a, packed(&[2, 2])), View::new(&b, packed(&[2, 2])));
        let too_small = |argument, elements| {
            format!(
                "{argument}: {elements}, offset 0 need a buffer of 32 bytes, this one has 16 \
                 (shape, strides and offset count elements)"
            )
        };
        // Six bytes hold six elements, but no binding of whole words; five hold five of them.
        for (size, why) in
            [(6, "storage buffers are whole 4-byte words"), (5, "shape, strides and offset count elements")]
        {
            let short = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            });
            let six = |buffer| View::new(buffer, packed(&[6]));
            assert_eq!(
                said(&Clamp::new(1_u8, 2), six(&short), six(&b)),
                format!(
                    "src: u8 elements of shape [6], strides [1], offset 0 need a buffer of 8 bytes, this one has {size} \
                     ({why})"
                )
            );
        }
        // What whoever has a buffer of f32 writes first.
        let literals = Clamp::new(0.0, 6.0);
        for (src, dst, argument) in [(four, few, "src"), (few, four, "dst"), (four, four, "src and dst")] {
            assert_eq!(
                said(&literals, src, dst),
                format!(
                    "{}; {LITERALS}",
                    too_small(argument, "f64 elements of shape [2, 2], strides [2, 1]")
                )
            );
        }
        let reversed = View::new(&a, packed(&[2, 2]).flip(0).unwrap());
        assert!(said(&literals, four, reversed).starts_with("src: "));
        let eight = View::new(&a, packed(&[8]));
        assert_eq!(
            said(&Clamp::new(0.0_f32, 6.0), eight, eight),
            too_small("src and dst", "f32 elements of shape [8], strides [1]")
        );
        let message = said(&Clamp::new(0, 6), eight, eight);
        assert!(message.ends_with(
            "; was i32 meant? Bounds without a suffix make a clamp of it: `Clamp::new(0_u8, 6)` is one of u8"
        ));

        let known = four.with_dtype(DType::F32);
        for (src, dst, argument) in
            [(known, few, "src"), (few, known, "dst"), (known, known, "src and dst"), (four, known, "dst")]
        {
            let mut mismatch =
                format!("{argument}: f32 is not the dtype of the clamp, f16; they must be equal");
            if argument != "src and dst" {
                mismatch += ", or the clamp converts: its dtype is that of dst, `Clamp::with_source` takes that of src";
            }
            assert_eq!(said(&Clamp::at_least(half::f16::ONE), src, dst), mismatch);
        }
        assert_eq!(
            said(&literals, known, known),
            format!("src and dst: f32 is not the dtype of the clamp, f64; they must be equal; {LITERALS}")
        );

        let bare = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bare = View::new(&bare, packed(&[4]));
        assert_eq!(
            said(&literals, bare, bare),
            "src and dst: the buffer lacks BufferUsages(STORAGE); it was created with BufferUsages(COPY_DST)"
        );

        let line = packed(&[16]);
        let (front, back) = (line.slice(0, 0..9).unwrap(), line.slice(0, 7..16).unwrap().flip(0).unwrap());
        assert_eq!(
            said(&Clamp::new(1_u8, 2), View::new(&a, front), View::new(&a, back)),
            "src, dst: the two views share bytes of one buffer but are not the same view; \
             src has u8 elements of shape [9], strides [1], offset 0 (bytes 0..9), \
             dst has u8 elements of shape [9], strides [-1], offset 15 (bytes 7..16); \
             use equal layouts (in place), disjoint layouts, or two buffers"
        );
        // Elements 0 to 3 and 2 to 5, which are of two sizes.
        let widened = Clamp::unbounded(DType::F16).with_source(DType::F32).unwrap();
        let behind = Layout::packed_at(&[4], 2).unwrap();
        assert_eq!(
            said(&widened, View::new(&a, packed(&[4])), View::new(&a, behind)),
            "src, dst: the two views share bytes of one buffer but are not the same view; \
             src has f32 elements of shape [4], strides [1], offset 0 (bytes 0..16), \
             dst has f16 elements of shape [4], strides [1], offset 2 (bytes 4..12); \
             use disjoint layouts, or two buffers"
        );
    }
}

#[test]
fn messages_of_the_reference() {
    let clamp = Clamp::new(1_u8, 2);
    let error = reference::apply_in_place(&clamp, &packed(&[5]), &mut [0; 4]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "bytes: u8 elements of shape [5], strides [1], offset 0 need a buffer of 5 bytes, this one has 4 \
         (shape, strides and offset count elements)"
    );
    let six = packed(&[6]);
    let error = reference::apply(&clamp, &six, &[0; 5], &six, &mut [0; 6]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "src: u8 elements of shape [6], strides [1], offset 0 need a buffer of 6 bytes, this one has 5 \
         (shape, strides and offset count elements)"
    );
    reference::apply(&clamp, &six, &[0; 6], &six, &mut [0; 6]).unwrap();
    let error = verify::check(
        &clamp,
        verify::Buffers {
            src_layout: &packed(&[4]),
            src: &[0; 4],
            dst_layout: &packed(&[4]),
            dst_before: &[0; 4],
            dst_after: &[0; 8],
        },
    )
    .unwrap_err();
    assert_eq!(error.to_string(), "dst_after: 8 bytes given, 4 needed");
    let error = reference::clamp_slice(&clamp, &[1_u8], &mut [0_u8, 0]).unwrap_err();
    assert_eq!(error.to_string(), "dst: 2 elements given, 1 needed");
}

#[test]
fn messages_of_what_cannot_be_decided() {
    let dst = Layout::strided(&[9; 6], &HARD[..6], 0).unwrap();
    let src = Layout::strided(&[9; 6], &HARD.map(|stride| stride / 3 + 1)[..6], 1).unwrap();
    let limits = wgpu_clamp::Limits::default();
    let error = wgpu_clamp::Plan::in_one_buffer(&Clamp::new(1_u8, 2), &src, &dst, limits).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "src, dst: could not decide whether the two views of one buffer share bytes; \
             src has shape [9, 9, 9, 9, 9, 9], strides {:?}, offset 1, \
             dst has shape [9, 9, 9, 9, 9, 9], strides {:?}, offset 0; \
             use separate ranges, or two buffers",
            src.strides(),
            dst.strides()
        )
    );
}

/// A device whose bindings hold neither the block of a clamp that `resolve` writes, nor a slot where it lies.
#[test]
fn bindings_too_small_for_bounds_on_the_gpu() {
    for gpu in gpus() {
        for (binding, slot, least) in [(128, 0, 129), (16, 0, 17), (16, 10, 44)] {
            let limits = wgpu::Limits {
                max_storage_buffer_binding_size: binding,
                ..wgpu::Limits::downlevel_defaults()
            };
            let small = with_limits(&gpu.adapter, limits);
            let (src, dst) = (buffer(&small, &bytes(16)), buffer(&small, &bytes(16)));
            let slots = buffer(&small, &bytes(64));
            let clamp = Clamp::at_least(1_i32).with_bounds(Bound::Value(1), Number::OnGpu).unwrap();
            let backwards = packed(&[2]).flip(0).unwrap();
            let (src, dst) = (View::new(&src, backwards), View::new(&dst, packed(&[2])));
            let slot = View::new(&slots, Layout::strided(&[], &[], slot).unwrap());
            let operands = Operands::new(src, dst).with_max(slot);
            let error = small.clamper().prepare(&clamp, operands).unwrap_err();
            let Error::DeviceLimit { limit_name, needed, limit } = error else { panic!("{error:?}") };
            assert_eq!((limit_name, limit), ("max_storage_buffer_binding_size", binding));
            assert!(needed >= least, "{needed}");
        }
    }
}

/// The tensor has more channels than a binding of the device holds clamps: a device with any other limits may too.
#[test]
fn more_channels_than_a_table_holds() {
    for gpu in gpus() {
        let limits =
            wgpu::Limits { max_storage_buffer_binding_size: 1 << 16, ..wgpu::Limits::downlevel_defaults() };
        let small = with_limits(&gpu.adapter, limits);
        let all: Vec<_> = (0..3100_u16).map(|n| Clamp::at_most(f32::from(n))).collect();
        let data = buffer(&small, &bytes(4 * all.len()));
        let prepare = |count: usize| {
            let operands = Operands::in_place(View::new(&data, packed(&[count, 1])));
            small.clamper().prepare(Clamps::along(0, &all[..count]), operands)
        };
        let error = prepare(all.len()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "clamps: 3100 along axis 0 take a table of 148800 bytes, but the device's max_storage_buffer_binding_size \
             allows 65536; split the tensor along that axis, or create the device with its adapter's limits"
        );
        // 48 bytes each.
        assert_eq!(prepare(1365).unwrap().dispatches(), 1);
        assert!(matches!(prepare(1366), Err(Error::ChannelTable { channels: 1366, needed: 65_568, .. })));
    }
}

#[test]
fn grids_of_nothing_are_named() {
    let limits = wgpu_clamp::Limits { max_workgroups_per_dimension: 0, ..wgpu_clamp::Limits::default() };
    let layout = packed(&[4]);
    let error = wgpu_clamp::Plan::new(&Clamp::new(1_u8, 2), &layout, &layout, limits).unwrap_err();
    let limit_name = "max_compute_workgroups_per_dimension";
    assert_eq!(error, Error::DeviceLimit { limit_name, needed: 1, limit: 0 });
}

/// What wgpu refuses does not say which buffer it was.
#[test]
fn operands_that_wgpu_refuses_are_named() {
    for gpu in gpus() {
        let gone = || {
            let buffer = buffer(gpu, &bytes(16));
            buffer.destroy();
            buffer
        };
        let clamp = Clamp::new(1_u32, 2);
        let on_gpu = clamp.with_bounds(Number::OnGpu, Number::OnGpu).unwrap();
        let [a, b, min, max, gone] = [(); 5].map(|()| buffer(gpu, &bytes(16))).map(|good| (good, gone()));
        let view = |buffer| View::new(buffer, packed(&[4]));
        let slot = |buffer| View::new(buffer, packed(&[]));
        let good = Operands::new(view(&a.0), view(&b.0));
        for (argument, clamp, operands) in [
            ("src", &clamp, Operands::new(view(&a.1), view(&b.0))),
            ("dst", &clamp, Operands::new(view(&a.0), view(&b.1))),
            ("src and dst", &clamp, Operands::in_place(view(&gone.1))),
            ("min", &on_gpu, good.with_min(slot(&min.1)).with_max(slot(&max.0))),
            ("max", &on_gpu, good.with_min(slot(&min.0)).with_max(slot(&max.1))),
        ] {
            let error = gpu.clamper().prepare(clamp, operands).unwrap_err();
            let Error::Internal { reason } = &error else { panic!("{error:?}") };
            assert!(reason.starts_with(&format!("{argument}: ")), "{argument}: {reason}");
            assert!(!reason.contains('\n'), "{reason}");
        }
        gpu.clamper().prepare(&on_gpu, good.with_min(slot(&min.0)).with_max(slot(&max.0))).unwrap();
    }
}
