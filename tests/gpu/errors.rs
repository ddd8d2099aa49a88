//! Every mistake that the crate can see returns an error of its own, records nothing and writes nothing.

use wgpu_clamp::{
    Clamp, Clamper, Clamps, DType, Error, Host, Layout, Number, Operands, Scalar, Tensor, View, reference,
    verify, wgpu,
};

use crate::assert_error::assert_error;
use crate::harness::{Gpu, alone, buffer, gpus, read, with_limits};

/// The error of calls that must fail. Asserts that wgpu reports no error and that dst is not written.
#[track_caller]
fn refused(gpu: &Gpu, clamp: &Clamp, src: View<'_>, dst: View<'_>) -> Error {
    let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
    let readable = |buffer: &wgpu::Buffer| buffer.usage().contains(wgpu::BufferUsages::COPY_SRC);
    let before = readable(dst.buffer()).then(|| read(gpu, dst.buffer()));
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());

    let operands = Operands::new(src, dst);
    let error = gpu.clamper().encode(&mut encoder, clamp, operands).unwrap_err();
    assert_eq!(gpu.clamper().prepare(clamp, operands).unwrap_err(), error);
    assert_eq!(gpu.host.submit(clamp, operands).unwrap_err(), error);

    // Anything that was recorded would run here.
    gpu.host.queue().submit([encoder.finish()]);
    assert_eq!(before, readable(dst.buffer()).then(|| read(gpu, dst.buffer())));
    assert!(pollster::block_on(scope.pop()).is_none());
    error
}

/// The message of a search for a shared byte that ended without an answer.
fn undecided(src: &Layout, dst: &Layout) -> String {
    format!(
        "src, dst: could not decide whether src and dst share bytes of their buffer; src has {src}, dst has {dst}; \
         use separate ranges, or two buffers"
    )
}

/// The message for 9 dimensions.
const RANK_9: &str =
    "shape: rank 9 is not supported; at most 8 dimensions are (a packed tensor is also one of one dimension)";

/// The message for a shape with more elements than there can be.
fn uncountable(shape: &[usize]) -> String {
    format!("shape: {shape:?} has more elements than this platform can count; split the tensor")
}

/// The message for an argument that does not have the clamp's dtype.
fn of_clamp(argument: &str, given: DType, dtype: DType) -> String {
    format!(
        "{argument}: {given} is not the dtype of the clamp, {dtype}; a clamp has the dtype of its bounds (literals without a suffix are f64 and i32), \
         `Clamp::with_source` converts from another"
    )
}

/// The message for a bound or a slot that does not have the clamp's dtype.
fn of_bound(argument: &str, given: DType, dtype: DType) -> String {
    format!(
        "{argument}: {given} is not the dtype of the clamp, {dtype}; give an element of it (literals without a suffix \
         are f64 and i32)"
    )
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
        let (from, view) = (|layout| View::of::<u8>(&a, layout), |layout| View::of::<u8>(&b, layout));

        assert_error!(
            refused(gpu, &clamp, from(packed(&[4, 8])), view(packed(&[8, 4]))),
            Argument,
            "dst: its shape [8, 4] differs from that of src, [4, 8]; they must be equal (see `permute`, `broadcast_to`)"
        );
        assert_error!(
            refused(gpu, &clamp, from(packed(&[65])), view(packed(&[65]))),
            Buffer,
            "src: u8 elements of shape [65], strides [1], offset 0 need a buffer of 68 bytes, this one has 64; \
             shape, strides and offset count elements"
        );
        let (four, far) = (packed(&[4]), Layout::strided(&[4], &[2], 2).unwrap());
        let (src, dst) = (View::of::<f64>(&a, four), View::of::<f64>(&b, far));
        assert_error!(
            refused(gpu, &Clamp::new(1.0_f64, 2.0), src, dst),
            Buffer,
            "dst: f64 elements of shape [4], strides [2], offset 2 need a buffer of 72 bytes, this one has 64; \
             shape, strides and offset count elements"
        );
        let sliding = Layout::strided(&[2, 3], &[2, 1], 0).unwrap();
        assert_error!(
            refused(gpu, &clamp, from(packed(&[2, 3])), view(sliding)),
            Overlap,
            "dst: two indices of shape [2, 3] with strides [2, 1] share an element; an output must not overlap itself \
             (broadcasts and sliding windows are for src)"
        );
        let repeated = packed(&[1]).broadcast_to(&[5]).unwrap();
        assert_error!(
            refused(gpu, &clamp, from(packed(&[5])), view(repeated)),
            Overlap,
            "dst: two indices of shape [5] with strides [0] share an element; an output must not overlap itself \
             (broadcasts and sliding windows are for src)"
        );
        for (dst, said) in [
            (packed(&[64]).slice(0, 8..17).unwrap(), "strides [1], offset 8 (bytes 8..17)"),
            (packed(&[9]).flip(0).unwrap(), "strides [-1], offset 8 (bytes 0..9)"),
        ] {
            assert_error!(
                refused(gpu, &clamp, view(packed(&[9])), view(dst)),
                Overlap,
                format!(
                    "src, dst: the two views share bytes of one buffer but are not the same view; \
                     src has u8 elements of shape [9], strides [1], offset 0 (bytes 0..9), \
                     dst has u8 elements of shape [9], {said}; \
                     use equal layouts (in place), disjoint layouts, or two buffers"
                )
            );
        }
    }
}

/// 10^12 times the roots of the first primes. Equal sums of them are a subset-sum problem: the search gives up.
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
    assert_error!(
        Plan::new(&clamp, &hard, &hard, Limits::default()).unwrap_err(),
        Overlap,
        format!(
            "dst: could not decide whether two indices of shape [9, 9, 9, 9, 9, 9, 9, 9] with strides {HARD:?} share an \
             element; nested strides (each at least the span of the smaller ones) are decided at once"
        )
    );

    // Each layout alone is decided, the two together are not.
    let dst = Layout::strided(&[9; 6], &HARD[..6], 0).unwrap();
    let src = Layout::strided(&[9; 6], &HARD.map(|stride| stride / 3 + 1)[..6], 1).unwrap();
    let error = Plan::in_one_buffer(&clamp, &src, &dst, Limits::default()).unwrap_err();
    assert_error!(error, Overlap, undecided(&src, &dst));
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
        let (good, bad) = (View::of::<u32>(&good, packed(&[4])), View::of::<u32>(&bad, packed(&[4])));
        for (src, dst, argument) in [(bad, good, "src"), (good, bad, "dst"), (bad, bad, "src and dst")] {
            assert_error!(
                refused(gpu, &clamp, src, dst),
                Buffer,
                format!(
                    "{argument}: the buffer lacks BufferUsages(STORAGE); it was created with \
                     BufferUsages(COPY_SRC | COPY_DST); add the usage where the buffer is created"
                )
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
        let src = View::of::<u8>(&src, Layout::strided(&[70_000, 2], &[3072, 1], 0).unwrap());
        assert_error!(
            refused(&small, &Clamp::new(1_u8, 2), src, View::of::<u8>(&dst, packed(&[70_000, 2]))),
            Limit,
            "dst: max_windows is 65536, but 70000 is needed; axis 0 is to blame, with this device's \
             max_storage_buffer_binding_size of 2048 and max_compute_workgroups_per_dimension of 65535: create the \
             device with its adapter's limits, split the tensor along it, or lay it out so that neighbours along it are \
             closer"
        );
    }
}

#[test]
fn empty_tensors_are_no_error_and_record_nothing() {
    for gpu in gpus() {
        let buffer = buffer(gpu, &bytes(16));
        let clamp = Clamp::new(1_u8, 2);
        // The offset is far beyond the buffer; two indices would share an element.
        let empty = Layout::strided(&[0, 7], &[1, 0], 1_000).unwrap();
        let view = View::of::<u8>(&buffer, empty);
        let operands = Operands::new(view, view);
        assert_eq!(gpu.clamper().prepare(&clamp, operands).unwrap().dispatches(), 0);
        gpu.host.submit(&clamp, operands).unwrap();
        assert_eq!(read(gpu, &buffer), bytes(16));
    }
}

#[test]
fn devices_with_too_little() {
    let enough = wgpu::Limits::downlevel_defaults;
    for gpu in gpus() {
        for (limits, limit_name, needed, limit) in [
            (
                wgpu::Limits { max_storage_buffers_per_shader_stage: 3, ..enough() },
                "max_storage_buffers_per_shader_stage",
                4,
                3,
            ),
            (
                wgpu::Limits { max_bindings_per_bind_group: 4, ..enough() },
                "max_bindings_per_bind_group",
                5,
                4,
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
            assert_error!(
                Clamper::new(&device).unwrap_err(),
                Limit,
                format!(
                    "device: {limit_name} is {limit}, but {needed} is needed; \
                     `wgpu::Limits::downlevel_defaults()` suffices"
                )
            );
        }
    }
}

#[test]
fn host_data_of_the_wrong_kind() {
    for gpu in gpus() {
        let host = &gpu.host;
        let clamp = Clamp::new(1.0_f32, 2.0);

        let error = Tensor::upload(host, &[2, 2], &[1.0_f32; 3]).unwrap_err();
        assert_error!(error, Argument, "data: 3 elements given; 4 needed");
        let error = Tensor::zeros(host, DType::U8, &[1; 9]).unwrap_err();
        assert_error!(error, Argument, RANK_9);
        let error = Tensor::zeros(host, DType::U8, &[usize::MAX, 2]).unwrap_err();
        assert_error!(error, Argument, uncountable(&[usize::MAX, 2]));

        let tensor = Tensor::upload(host, &[2], &[1.0_f32, 5.0]).unwrap();
        assert_error!(
            tensor.read_blocking::<i32>().unwrap_err(),
            DType,
            "T: i32 is not the dtype of the tensor, f32; read the tensor's own elements, or `read_bytes`"
        );

        let mut out = [7_i32; 2];
        assert_error!(
            host.clamp_slice(&clamp, &[1, 2], &mut out).run_blocking().unwrap_err(),
            DType,
            of_clamp("src", DType::I32, DType::F32)
        );
        assert_eq!(out, [7; 2]);
        assert_error!(
            host.clamp_slice(&clamp, &[1.0_f32, 2.0], &mut out).run_blocking().unwrap_err(),
            DType,
            of_clamp("dst", DType::I32, DType::F32)
        );
        assert_eq!(out, [7; 2]);
        let mut out = [7.0_f32; 3];
        assert_error!(
            host.clamp_slice(&clamp, &[1.0_f32, 2.0], &mut out).run_blocking().unwrap_err(),
            Argument,
            "dst: 3 elements given; 2 needed"
        );
        assert_eq!(out.map(f32::to_bits), [7.0_f32.to_bits(); 3]);
    }
}

#[test]
fn tensors_beyond_one_buffer() {
    for gpu in gpus() {
        let limit = gpu.device().limits().max_buffer_size;
        let error = Tensor::zeros(&gpu.host, DType::U8, &[usize::try_from(limit).unwrap() + 1]).unwrap_err();
        assert_error!(
            error,
            Limit,
            format!(
                "shape: max_buffer_size is {limit}, but {} is needed; split the {} bytes among several tensors",
                limit + 4,
                limit + 4
            )
        );
    }
}

#[test]
fn clamps_that_cannot_be() {
    assert_error!(
        Scalar::from_bits(DType::BF16, 0x1_0000).unwrap_err(),
        Argument,
        "bits: 0x10000 has bits beyond the 16 of bf16; give the element's bits, zero-extended"
    );
    let error = Scalar::from_le_bytes(DType::BF16, &[0; 3]).unwrap_err();
    assert_error!(error, Argument, "bytes: 3 bytes given; 2 needed");
    let error = Clamp::unbounded(DType::BF16).with_bounds(Number::Absent, 1.0_f32).unwrap_err();
    assert_error!(error, DType, of_bound("max", DType::F32, DType::BF16));
    // A bound has the clamp's own dtype, not its source's.
    let to_bytes = Clamp::new(0_u8, 1).with_source(DType::F32).unwrap();
    let error = to_bytes.with_bounds(0.0_f32, Number::OnGpu).unwrap_err();
    assert_error!(error, DType, of_bound("min", DType::F32, DType::U8));
    for (scale, bias, said) in [
        (f32::NAN, 0.0, "scale: NaN"),
        (f32::INFINITY, 0.0, "scale: inf"),
        (1.0, f32::NEG_INFINITY, "bias: -inf"),
    ] {
        assert_error!(
            Clamp::new(0_u8, 1).with_affine(scale, bias).unwrap_err(),
            Argument,
            format!("{said} is not finite; the affine step takes finite numbers")
        );
    }
    assert_error!(
        Clamp::new(0_u8, 1).with_scale_bias(0.1, 0.0).unwrap_err(),
        DType,
        "scale: u8 takes no f64 numbers; use `with_affine`, or a clamp of dtype f64"
    );
}

#[test]
fn layouts_that_cannot_be() {
    let line = packed(&[10]);
    assert_error!(Layout::packed(&[1; 9]).unwrap_err(), Argument, RANK_9);
    assert_error!(
        Layout::strided(&[1, 2], &[1], 0).unwrap_err(),
        Argument,
        "strides: 1 given for a shape of rank 2; one stride per dimension is needed"
    );
    assert_error!(Layout::packed(&[usize::MAX, 3]).unwrap_err(), Argument, uncountable(&[usize::MAX, 3]));
    let far = usize::MAX as i128;
    let most = isize::MAX as i128;
    let move_it = |how| format!("{how} the offset, in elements, or shrink the strides");
    for (shape, strides, offset, lowest, highest, (argument, remedy)) in [
        (&[3][..], &[-1][..], 1, -1, 1, ("offset", move_it("raise"))),
        (&[2], &[1], usize::MAX, far, far + 1, ("offset", move_it("lower"))),
        (&[2, 2], &[isize::MAX, isize::MAX], 0, 0, 2 * most, ("strides", "shrink them".to_owned())),
    ] {
        assert_error!(
            Layout::strided(shape, strides, offset).unwrap_err(),
            Argument,
            format!(
                "{argument}: elements would lie at {lowest} to {highest} with the offset {offset}; they must lie between 0 \
                 and isize::MAX: {remedy}"
            )
        );
    }
    for axes in [&[0_usize, 0][..], &[0], &[1, 2], &[0, 1, 2]] {
        assert_error!(
            packed(&[2, 3]).permute(axes).unwrap_err(),
            Argument,
            format!("axes: {axes:?} is not a permutation of 0..2; each axis must appear exactly once")
        );
    }
    let axis = "axis: 1 is out of range for a layout of rank 1; axes count from 0";
    assert_error!(line.flip(1).unwrap_err(), Argument, axis);
    let backwards = std::ops::Range { start: 4, end: 3 };
    for range in [backwards, 3..11] {
        let said = format!(
            "range: {range:?} does not fit axis 0 of extent 10; 0 <= start <= end <= extent is needed"
        );
        assert_error!(line.slice(0, range).unwrap_err(), Argument, said);
    }
    assert_error!(
        line.step(0, 0).unwrap_err(),
        Argument,
        "step: 0 on axis 0; a step is at least 1 (use `flip` to run backwards)"
    );
    for shape in [&[9_usize][..], &[], &[10, 2]] {
        assert_error!(
            line.broadcast_to(shape).unwrap_err(),
            Argument,
            format!(
                "shape: [10] does not broadcast to {shape:?}; aligned at the last dimension, each extent must be 1 or \
                 equal"
            )
        );
    }
}

#[test]
fn adapters_that_are_not_there() {
    // In a child process, because the threads of this one share its environment.
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
    assert!(said.contains("opened: no device: ") && said.contains("no such thing"), "{said}");
    // A backend that this platform does not have.
    let other = if cfg!(windows) { "metal" } else { "dx12" };
    let said = run("WGPU_BACKEND", other);
    assert!(said.contains("opened: no device: "), "{said}");
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

/// The child process of [`adapters_that_are_not_there`]. Run by itself, it only checks that opening does not panic.
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
        // The message names no object that showed the loss.
        let said = "the device was lost: it was destroyed, or its driver gave it up";
        let gone = |error: Error| lost(&error) && error.to_string() == said;
        let mut data = [9_u8, 0];
        assert!(gone(host.clamp_slice(&clamp, &[1_u8, 2], &mut data).run_blocking().unwrap_err()));
        assert!(gone(host.clamp_slice_in_place(&clamp, &mut data).run_blocking().unwrap_err()));
        assert_eq!(data, [9, 0]);
        assert!(gone(tensor.read_blocking::<u8>().unwrap_err()));
        assert!(gone(Tensor::upload(host, &[1], &[1_u8]).unwrap_err()));
        // Zeros need no memory of the host, so wgpu reports the loss only when they are used.
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
fn views_of_another_dtype() {
    for gpu in gpus() {
        let tensor = Tensor::upload(&gpu.host, &[2], &[1.0_f32, 2.0]).unwrap();
        // The bytes of the tensor.
        let plain = View::of::<u8>(tensor.buffer(), packed(&[8]));
        assert_eq!((tensor.view().dtype(), plain.dtype()), (DType::F32, DType::U8));
        let clamp = Clamp::new(1_u8, 2);
        assert_error!(
            gpu.host.submit(&clamp, Operands::in_place(tensor.view())).unwrap_err(),
            DType,
            of_clamp("src and dst", DType::F32, DType::U8)
        );
        let bits = tensor.read_blocking::<f32>().unwrap().into_iter().map(f32::to_bits);
        assert!(bits.eq([1.0_f32, 2.0].map(f32::to_bits)));
        gpu.host.submit(&clamp, Operands::in_place(plain)).unwrap();
    }
}

#[test]
fn bounds_that_the_reference_cannot_read() {
    let clamp = Clamp::at_least(1_u8).with_bounds(1_u8, Number::OnGpu).unwrap();
    let expected = "max: the number is `Number::OnGpu`, and this call takes no slot; give its value with \
                    `Clamp::with_bounds`, or clamp a tensor on the GPU with `Operands::with_max`";
    let layout = packed(&[4]);
    let mut out = [0; 4];
    assert_error!(reference::clamp_slice(&clamp, &[0_u8; 4], &mut out).unwrap_err(), Argument, expected);
    let error = reference::apply(&clamp, &layout, &[0; 4], &layout, &mut out).unwrap_err();
    assert_error!(error, Argument, expected);
    assert_error!(reference::apply_in_place(&clamp, &layout, &mut out).unwrap_err(), Argument, expected);
    let buffers = verify::Buffers {
        src_layout: &layout,
        src: &[0; 4],
        dst_layout: &layout,
        dst_before: &[0; 4],
        dst_after: &[0; 4],
    };
    assert_error!(verify::check(&clamp, buffers).unwrap_err(), Argument, expected);
    assert_eq!(out, [0; 4]);
    // Functions without a `Result` take the bound as absent.
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
    assert_error!(
        error,
        Argument,
        "src: f64 elements of shape [2], strides [-1], offset 2305843009213693952 end beyond 2^64 bytes; use several \
         buffers"
    );
}

/// The host has the queue of another device: wgpu's poll refuses the submission, and a read must not wait for ever.
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

/// Mistakes that no handle shows, as the manual describes them for wgpu 30.
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
        assert!(matches!(error, Error::Wgpu { .. }), "{error:?}");
        // More buffers than this instance has: the last one cannot pass for its own.
        let buffers: Vec<_> = (0..200).map(|_| upload(&foreign)).collect();
        let operands = Operands::in_place(buffers[199].view());
        assert!(panics(&|| drop(own.clamper().prepare(&clamp, operands))), "{}", gpu.name);
        assert!(panics(&|| drop(submit(foreign.host.queue()))), "{}", gpu.name);

        assert!(panics(&|| drop(submit(other.host.queue()))), "{}", gpu.name);
        let scope = other.device().push_error_scope(wgpu::ErrorFilter::Validation);
        submit(other.host.queue()).unwrap();
        assert!(pollster::block_on(scope.pop()).is_some());
        // Correct calls still work.
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [1, 2, 3, 4]);
        submit(own.host.queue()).unwrap();
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [2, 2, 3, 3]);
    }
}

#[test]
fn a_report_is_no_error_but_its_operands_can_be() {
    let (clamp, layout) = (Clamp::new(1_u8, 2), packed(&[4]));
    let buffers = verify::Buffers {
        src_layout: &layout,
        src: &[0; 4],
        dst_layout: &layout,
        dst_before: &[0; 4],
        dst_after: &[0; 8],
    };
    let error = verify::check(&clamp, buffers).unwrap_err();
    assert_error!(error, Argument, "dst_after: 8 bytes given; 4 needed");
}

/// A program prints the message alone, so the message says what the fields say.
#[test]
fn messages_of_host_data() {
    for gpu in gpus() {
        let host = &gpu.host;
        let error = Tensor::upload_bytes(host, DType::F32, &[2], &[0; 5]).unwrap_err();
        assert_eq!(error.to_string(), "bytes: 5 bytes given; 8 needed");
        let error = Tensor::upload(host, &[2], &[0.0_f32; 5]).unwrap_err();
        assert_eq!(error.to_string(), "data: 5 elements given; 2 needed");
        let tensor = Tensor::zeros(host, DType::F32, &[2]).unwrap();
        let error = tensor.read_blocking::<i16>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "T: i16 is not the dtype of the tensor, f32; read the tensor's own elements, or `read_bytes`"
        );
        let error = host.clamp_slice_in_place(&Clamp::new(1_u8, 2), &mut [3_i8]).run_blocking().unwrap_err();
        assert_eq!(error.to_string(), of_clamp("slice", DType::I8, DType::U8));

        let small = with_limits(
            &gpu.adapter,
            wgpu::Limits { max_buffer_size: 4096, ..wgpu::Limits::downlevel_defaults() },
        );
        let too_large = |argument: &str| {
            format!(
                "{argument}: max_buffer_size is 4096, but 8192 is needed; split the 8192 bytes among several tensors"
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

/// The message for operands that are refused.
fn said(gpu: &Gpu, clamp: &Clamp, src: View<'_>, dst: View<'_>) -> String {
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    gpu.clamper().encode(&mut encoder, clamp, Operands::new(src, dst)).unwrap_err().to_string()
}

#[test]
fn messages_of_operands() {
    for gpu in gpus() {
        let (a, b) = (buffer(gpu, &bytes(16)), buffer(gpu, &bytes(64)));
        let too_small = |argument, elements| {
            format!(
                "{argument}: {elements}, offset 0 need a buffer of 32 bytes, this one has 16; \
                 shape, strides and offset count elements"
            )
        };
        // Six bytes hold six elements, but no binding of whole words; five hold five.
        for (size, why) in
            [(6, "storage buffers are whole 4-byte words"), (5, "shape, strides and offset count elements")]
        {
            let short = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            });
            let six = |buffer| View::of::<u8>(buffer, packed(&[6]));
            assert_eq!(
                said(gpu, &Clamp::new(1_u8, 2), six(&short), six(&b)),
                format!(
                    "src: u8 elements of shape [6], strides [1], offset 0 need a buffer of 8 bytes, this one has {size}; \
                     {why}"
                )
            );
        }
        let square = packed(&[2, 2]);
        let literals = Clamp::new(0.0, 6.0);
        let (short, long) = (View::of::<f64>(&a, square), View::of::<f64>(&b, square));
        for (src, dst, argument) in
            [(short, long, "src"), (long, short, "dst"), (short, short, "src and dst")]
        {
            assert_eq!(
                said(gpu, &literals, src, dst),
                too_small(argument, "f64 elements of shape [2, 2], strides [2, 1]")
            );
        }
        let reversed = View::of::<f64>(&a, square.flip(0).unwrap());
        assert_eq!(
            said(gpu, &literals, short, reversed),
            too_small("src", "f64 elements of shape [2, 2], strides [2, 1]")
        );
        let eight = View::of::<f32>(&a, packed(&[8]));
        assert_eq!(
            said(gpu, &Clamp::new(0.0_f32, 6.0), eight, eight),
            too_small("src and dst", "f32 elements of shape [8], strides [1]")
        );
        let eight = View::of::<i32>(&a, packed(&[8]));
        assert_eq!(
            said(gpu, &Clamp::new(0, 6), eight, eight),
            too_small("src and dst", "i32 elements of shape [8], strides [1]")
        );

        let half = Clamp::at_least(half::f16::ONE);
        let (four, few) = (View::of::<half::f16>(&a, square), View::of::<half::f16>(&b, square));
        let known = View::of::<f32>(&a, square);
        for (src, dst, said_of_it) in [
            (known, few, of_clamp("src", DType::F32, DType::F16)),
            (few, known, of_clamp("dst", DType::F32, DType::F16)),
            (known, known, of_clamp("src and dst", DType::F32, DType::F16)),
            (four, known, of_clamp("dst", DType::F32, DType::F16)),
        ] {
            assert_eq!(said(gpu, &half, src, dst), said_of_it);
        }
        // The first mistakes of a caller who has a buffer of f32, or of bytes.
        assert_eq!(said(gpu, &literals, known, known), of_clamp("src and dst", DType::F32, DType::F64));
        let whole = View::of::<u8>(&a, packed(&[8]));
        assert_eq!(
            said(gpu, &Clamp::new(0, 6), whole, whole),
            of_clamp("src and dst", DType::U8, DType::I32)
        );

        let bare = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bare = View::of::<f32>(&bare, packed(&[4]));
        // The dtype is checked before the usage.
        assert_eq!(said(gpu, &literals, bare, bare), of_clamp("src and dst", DType::F32, DType::F64));
        assert_eq!(
            said(gpu, &Clamp::new(0.0_f32, 6.0), bare, bare),
            "src and dst: the buffer lacks BufferUsages(STORAGE); it was created with BufferUsages(COPY_DST); \
             add the usage where the buffer is created"
        );
    }
}

#[test]
fn messages_of_views_that_share_bytes() {
    for gpu in gpus() {
        let a = buffer(gpu, &bytes(16));
        let line = packed(&[16]);
        let (front, back) = (line.slice(0, 0..9).unwrap(), line.slice(0, 7..16).unwrap().flip(0).unwrap());
        assert_eq!(
            said(gpu, &Clamp::new(1_u8, 2), View::of::<u8>(&a, front), View::of::<u8>(&a, back)),
            "src, dst: the two views share bytes of one buffer but are not the same view; \
             src has u8 elements of shape [9], strides [1], offset 0 (bytes 0..9), \
             dst has u8 elements of shape [9], strides [-1], offset 15 (bytes 7..16); \
             use equal layouts (in place), disjoint layouts, or two buffers"
        );
        // Elements 0 to 3 of four bytes, and elements 2 to 5 of two bytes.
        let widened = Clamp::unbounded(DType::F16).with_source(DType::F32).unwrap();
        let behind = Layout::packed_at(&[4], 2).unwrap();
        assert_eq!(
            said(gpu, &widened, View::of::<f32>(&a, packed(&[4])), View::of::<half::f16>(&a, behind)),
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
        "bytes: u8 elements of shape [5], strides [1], offset 0 need a buffer of 5 bytes, this one has 4; \
         shape, strides and offset count elements"
    );
    let six = packed(&[6]);
    let error = reference::apply(&clamp, &six, &[0; 5], &six, &mut [0; 6]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "src: u8 elements of shape [6], strides [1], offset 0 need a buffer of 6 bytes, this one has 5; \
         shape, strides and offset count elements"
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
    assert_eq!(error.to_string(), "dst_after: 8 bytes given; 4 needed");
    let error = reference::clamp_slice(&clamp, &[1_u8], &mut [0_u8, 0]).unwrap_err();
    assert_eq!(error.to_string(), "dst: 2 elements given; 1 needed");
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
            "src, dst: could not decide whether src and dst share bytes of their buffer; \
             src has shape [9, 9, 9, 9, 9, 9], strides {:?}, offset 1, \
             dst has shape [9, 9, 9, 9, 9, 9], strides {:?}, offset 0; \
             use separate ranges, or two buffers",
            src.strides(),
            dst.strides()
        )
    );
}

/// A device whose bindings are too small for the clamp's block, which `resolve` writes, or for a slot at its offset.
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
            let clamp = Clamp::at_least(1_i32).with_bounds(1_i32, Number::OnGpu).unwrap();
            let backwards = packed(&[2]).flip(0).unwrap();
            let (src, dst) = (View::of::<i32>(&src, backwards), View::of::<i32>(&dst, packed(&[2])));
            let slot = View::of::<i32>(&slots, Layout::strided(&[], &[], slot).unwrap());
            let operands = Operands::new(src, dst).with_max(slot);
            let error = small.clamper().prepare(&clamp, operands).unwrap_err();
            let Error::Limit { needed, .. } = error else { panic!("{error:?}") };
            assert!(needed >= least, "{needed}");
            assert_eq!(
                error.to_string(),
                format!(
                    "device: max_storage_buffer_binding_size is {binding}, but {needed} is needed; \
                     `wgpu::Limits::downlevel_defaults()` suffices"
                )
            );
        }
    }
}

/// More channels than a binding of the device holds clamps. This can happen with any limits.
#[test]
fn more_channels_than_a_table_holds() {
    for gpu in gpus() {
        let limits =
            wgpu::Limits { max_storage_buffer_binding_size: 1 << 16, ..wgpu::Limits::downlevel_defaults() };
        let small = with_limits(&gpu.adapter, limits);
        let all: Vec<_> = (0..3100_u16).map(|n| Clamp::at_most(f32::from(n))).collect();
        let data = buffer(&small, &bytes(4 * all.len()));
        let prepare = |count: usize| {
            let operands = Operands::in_place(View::of::<f32>(&data, packed(&[count, 1])));
            small.clamper().prepare(Clamps::along(0, &all[..count]), operands)
        };
        let too_many = |channels: usize, needed: u64| {
            format!(
                "clamps: max_storage_buffer_binding_size is 65536, but {needed} is needed; split the tensor along the axis of its {channels} channels, or create the device with its adapter's limits"
            )
        };
        assert_error!(prepare(all.len()).unwrap_err(), Limit, too_many(3100, 148_800));
        // 48 bytes per channel.
        assert_eq!(prepare(1365).unwrap().dispatches(), 1);
        assert_error!(prepare(1366).unwrap_err(), Limit, too_many(1366, 65_568));
    }
}

#[test]
fn grids_of_nothing_are_named() {
    let limits = wgpu_clamp::Limits { max_workgroups_per_dimension: 0, ..wgpu_clamp::Limits::default() };
    let layout = packed(&[4]);
    let error = wgpu_clamp::Plan::new(&Clamp::new(1_u8, 2), &layout, &layout, limits).unwrap_err();
    assert_error!(
        error,
        Limit,
        "device: max_compute_workgroups_per_dimension is 0, but 1 is needed; \
         `wgpu::Limits::downlevel_defaults()` suffices"
    );
}

/// wgpu does not say which buffer it refuses; the error does.
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
        let view = |buffer| View::of::<u32>(buffer, packed(&[4]));
        let slot = |buffer| View::of::<u32>(buffer, packed(&[]));
        let good = Operands::new(view(&a.0), view(&b.0));
        for (argument, clamp, operands) in [
            ("src", &clamp, Operands::new(view(&a.1), view(&b.0))),
            ("dst", &clamp, Operands::new(view(&a.0), view(&b.1))),
            ("src and dst", &clamp, Operands::in_place(view(&gone.1))),
            ("min", &on_gpu, good.with_min(slot(&min.1)).with_max(slot(&max.0))),
            ("max", &on_gpu, good.with_min(slot(&min.0)).with_max(slot(&max.1))),
        ] {
            let error = gpu.clamper().prepare(clamp, operands).unwrap_err();
            let Error::Wgpu { reason } = &error else { panic!("{error:?}") };
            assert!(reason.starts_with(&format!("{argument}: ")), "{argument}: {reason}");
            assert!(!reason.contains('\n'), "{reason}");
        }
        gpu.clamper().prepare(&on_gpu, good.with_min(slot(&min.0)).with_max(slot(&max.0))).unwrap();
    }
}
