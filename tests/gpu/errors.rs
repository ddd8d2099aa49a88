//! Every mistake that the crate can see returns an error of its own, records nothing and writes nothing. Programs
//! print only the message, so the tests compare whole messages.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use wgpu_clamp::half::f16;
use wgpu_clamp::{
    Clamp, Clamper, Clamps, DType, Error, Host, Layout, Limits, Number, Operands, Plan, Scalar, Tensor, View,
    reference, verify, wgpu,
};

use crate::harness::{Gpu, alone_on_each, buffer, gpus, packed, read, strided, with_limits};
use crate::refused::{
    ONE_SIZE, RANK_9, TWO_SIZES, assert_refused, device_limit, no_f32, no_slots, no_storage, of_clamp,
    shared_bytes, too_small,
};

/// Asserts that all calls with these operands return the error, that wgpu reports none and that dst is not written.
#[track_caller]
fn refuse(gpu: &Gpu, clamp: Clamp, src: View<'_>, dst: View<'_>, variant: &str, message: &str) {
    let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
    let readable = dst.buffer().usage().contains(wgpu::BufferUsages::COPY_SRC);
    let before = readable.then(|| read(gpu, dst.buffer()));
    let mut encoder = gpu.encoder();

    let operands = Operands::new(src, dst);
    assert_refused(gpu.clamper().encode(&mut encoder, &clamp, operands), variant, message);
    assert_refused(gpu.clamper().prepare(&clamp, operands), variant, message);
    assert_refused(gpu.host.submit(&clamp, operands), variant, message);

    // Anything that was recorded would run here.
    gpu.host.queue().submit([encoder.finish()]);
    assert_eq!(before, readable.then(|| read(gpu, dst.buffer())));
    assert!(pollster::block_on(scope.pop()).is_none());
}

/// The message for a shape with more elements than the platform can count.
fn uncountable(shape: &[usize]) -> String {
    format!("shape: {shape:?} has more elements than this platform can count; split the tensor")
}

/// The message for a bound or a slot that does not have the clamp's dtype.
fn of_bound(argument: &str, given: DType, dtype: DType) -> String {
    format!(
        "{argument}: {given} is not the dtype of the clamp, {dtype}; give a value of dtype {dtype} (literals without a suffix \
         are f64 and i32)"
    )
}

fn bytes(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 37) as u8).collect()
}

#[test]
fn layouts_that_do_not_fit() {
    let overlaps_itself = |layout| {
        format!(
            "dst: two indices of {layout} share an element; an output must not overlap itself \
             (broadcasts and sliding windows are for src)"
        )
    };
    let line = packed(&[64]);
    for gpu in gpus() {
        let (a, b) = (buffer(gpu, &bytes(64)), buffer(gpu, &bytes(64)));
        let clamp = Clamp::new(10_u8, 20);
        let of = |src, dst, variant, said: &str| {
            refuse(gpu, clamp, View::of::<u8>(&a, src), View::of::<u8>(&b, dst), variant, said);
        };
        of(
            packed(&[4, 8]),
            packed(&[8, 4]),
            "Argument",
            "dst: its shape [8, 4] differs from that of src, [4, 8]; they must be equal (see `permute`, `broadcast_to`)",
        );
        let said = too_small("src", "u8 elements of shape [65], strides [1], offset 0", 68, 64);
        of(packed(&[65]), packed(&[65]), "Buffer", &said);
        let sliding = strided(&[2, 3], &[2, 1], 0);
        of(packed(&[2, 3]), sliding, "Overlap", &overlaps_itself("shape [2, 3] with strides [2, 1]"));
        let repeated = packed(&[1]).broadcast_to(&[5]).unwrap();
        of(packed(&[5]), repeated, "Overlap", &overlaps_itself("shape [5] with strides [0]"));
        let nine = line.slice(0, 0..9).unwrap();
        for (dst, said) in [
            (line.slice(0, 8..17).unwrap(), "strides [1], offset 8 (bytes 8..17)"),
            (nine.flip(0).unwrap(), "strides [-1], offset 8 (bytes 0..9)"),
            (line.slice(0, 7..16).unwrap().flip(0).unwrap(), "strides [-1], offset 15 (bytes 7..16)"),
        ] {
            let src = "u8 elements of shape [9], strides [1], offset 0 (bytes 0..9)";
            let said = shared_bytes(src, &format!("u8 elements of shape [9], {said}"), ONE_SIZE);
            refuse(gpu, clamp, View::of::<u8>(&b, nine), View::of::<u8>(&b, dst), "Overlap", &said);
        }
        // Elements 0 to 3 of four bytes, and elements 2 to 5 of two bytes.
        refuse(
            gpu,
            Clamp::unbounded(DType::F16).with_source(DType::F32).unwrap(),
            View::of::<f32>(&a, packed(&[4])),
            View::of::<f16>(&a, Layout::packed_at(&[4], 2).unwrap()),
            "Overlap",
            &shared_bytes(
                "f32 elements of shape [4], strides [1], offset 0 (bytes 0..16)",
                "f16 elements of shape [4], strides [1], offset 2 (bytes 4..12)",
                TWO_SIZES,
            ),
        );
    }
}

#[test]
fn buffers_that_do_not_fit() {
    let usages = wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
    for gpu in gpus() {
        let [a, b, c] = [16, 64, 64].map(|size| buffer(gpu, &bytes(size)));
        let bad = gpu.zeros(16, usages);
        let u32s = |buffer| View::of::<u32>(buffer, packed(&[4]));
        for (src, dst, argument) in [(&bad, &b, "src"), (&b, &bad, "dst"), (&bad, &bad, "src and dst")] {
            let said = no_storage(argument, "COPY_SRC | COPY_DST");
            refuse(gpu, Clamp::new(1_u32, 2), u32s(src), u32s(dst), "Buffer", &said);
        }
        // The dtype is checked before the usage.
        let bare = gpu.zeros(16, wgpu::BufferUsages::COPY_DST);
        let bare = View::of::<f32>(&bare, packed(&[4]));
        let literals = Clamp::new(0.0, 6.0);
        let said = of_clamp("src and dst", DType::F32, DType::F64);
        refuse(gpu, literals, bare, bare, "DType", &said);
        let said = no_storage("src and dst", "COPY_DST");
        refuse(gpu, Clamp::new(0.0_f32, 6.0), bare, bare, "Buffer", &said);

        // Six bytes hold six elements, but a binding must be whole words. Five bytes hold only five elements.
        for (size, why) in
            [(6, "storage buffers are whole 4-byte words"), (5, "shape, strides and offset count elements")]
        {
            let short = gpu.zeros(size, wgpu::BufferUsages::STORAGE);
            let six = |buffer| View::of::<u8>(buffer, packed(&[6]));
            let said = format!(
                "src: u8 elements of shape [6], strides [1], offset 0 need a buffer of 8 bytes, this one has {size}; {why}"
            );
            refuse(gpu, Clamp::new(1_u8, 2), six(&short), six(&b), "Buffer", &said);
        }
        let far = View::of::<f64>(&b, strided(&[4], &[2], 2));
        let said = too_small("dst", "f64 elements of shape [4], strides [2], offset 2", 72, 64);
        refuse(gpu, literals, View::of::<f64>(&c, packed(&[4])), far, "Buffer", &said);
        let square = packed(&[2, 2]);
        let (short, long) = (View::of::<f64>(&a, square), View::of::<f64>(&b, square));
        let reversed = View::of::<f64>(&a, square.flip(0).unwrap());
        let (singles, integers) = (View::of::<f32>(&a, packed(&[8])), View::of::<i32>(&a, packed(&[8])));
        let squares = "f64 elements of shape [2, 2], strides [2, 1], offset 0";
        let eight = |dtype| format!("{dtype} elements of shape [8], strides [1], offset 0");
        for (clamp, src, dst, argument, elements) in [
            (literals, short, long, "src", squares),
            (literals, long, short, "dst", squares),
            (literals, short, short, "src and dst", squares),
            (literals, short, reversed, "src", squares),
            (Clamp::new(0.0_f32, 6.0), singles, singles, "src and dst", &eight("f32")),
            (Clamp::new(0, 6), integers, integers, "src and dst", &eight("i32")),
        ] {
            refuse(gpu, clamp, src, dst, "Buffer", &too_small(argument, elements, 32, 16));
        }
    }
}

#[test]
fn dtypes_that_do_not_fit() {
    for gpu in gpus() {
        let (a, b) = (buffer(gpu, &bytes(16)), buffer(gpu, &bytes(64)));
        let square = packed(&[2, 2]);
        let (four, few) = (View::of::<f16>(&a, square), View::of::<f16>(&b, square));
        let (known, whole) = (View::of::<f32>(&a, square), View::of::<u8>(&a, packed(&[8])));
        let half = Clamp::at_least(f16::ONE);
        for (clamp, src, dst, argument, given) in [
            (half, known, few, "src", DType::F32),
            (half, few, known, "dst", DType::F32),
            (half, known, known, "src and dst", DType::F32),
            (half, four, known, "dst", DType::F32),
            // The first mistakes of a caller who has a buffer of f32, or of bytes.
            (Clamp::new(0.0, 6.0), known, known, "src and dst", DType::F32),
            (Clamp::new(0, 6), whole, whole, "src and dst", DType::U8),
        ] {
            refuse(gpu, clamp, src, dst, "DType", &of_clamp(argument, given, clamp.dtype()));
        }

        let tensor = Tensor::upload(&gpu.host, &[2], &[1.0_f32, 2.0]).unwrap();
        // The bytes of the tensor.
        let plain = View::of::<u8>(tensor.buffer(), packed(&[8]));
        assert_eq!((tensor.view().dtype(), plain.dtype()), (DType::F32, DType::U8));
        let clamp = Clamp::new(1_u8, 2);
        let said = of_clamp("src and dst", DType::F32, DType::U8);
        refuse(gpu, clamp, tensor.view(), tensor.view(), "DType", &said);
        gpu.host.submit(&clamp, Operands::in_place(plain)).unwrap();
    }
}

/// 10^12 times the square roots of the first primes. To find equal sums of them is a subset-sum problem, so the search
/// for overlaps gives up.
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
fn plans_that_cannot_be() {
    let (bytes, doubles) = (Clamp::new(1_u8, 2), Clamp::new(0.0, 1.0));
    let limits = Limits::default();
    let hard = strided(&[9; 8], &HARD, 0);
    assert_refused(
        Plan::new(&bytes, &hard, &hard, limits),
        "Overlap",
        format!(
            "dst: could not decide whether two indices of shape [9, 9, 9, 9, 9, 9, 9, 9] with strides {HARD:?} share an \
             element; nested strides (each at least the span of the smaller ones) are decided at once"
        ),
    );
    // The search decides each layout alone, but not the two together.
    let dst = strided(&[9; 6], &HARD[..6], 0);
    let src = strided(&[9; 6], &HARD.map(|stride| stride / 3 + 1)[..6], 1);
    assert_refused(
        Plan::in_one_buffer(&bytes, &src, &dst, limits),
        "Overlap",
        format!(
            "src, dst: could not decide whether src and dst share bytes of their buffer; \
             src has shape [9, 9, 9, 9, 9, 9], strides {:?}, offset 1, \
             dst has shape [9, 9, 9, 9, 9, 9], strides {:?}, offset 0; \
             use separate ranges, or two buffers",
            src.strides(),
            dst.strides()
        ),
    );
    // The last element's address fits into 64 bits, but the addresses of its bytes do not.
    assert_refused(
        Plan::new(&doubles, &strided(&[2], &[-1], 1 << 61), &packed(&[2]), limits),
        "Argument",
        "src: f64 elements of shape [2], strides [-1], offset 2305843009213693952 end beyond 2^64 bytes; use several \
         buffers",
    );
    let none = Limits { max_workgroups_per_dimension: 0, ..limits };
    let said = device_limit("max_compute_workgroups_per_dimension", 0, 1);
    assert_refused(Plan::new(&bytes, &packed(&[4]), &packed(&[4]), none), "Limit", said);
}

#[test]
fn tensors_that_take_too_many_windows() {
    for gpu in gpus() {
        let small = gpu.limited(|limits| limits.max_storage_buffer_binding_size = 2048);
        let src = small.zeros(70_000 * 3072, wgpu::BufferUsages::STORAGE);
        let dst = buffer(&small, &bytes(140_000));
        let src = View::of::<u8>(&src, strided(&[70_000, 2], &[3072, 1], 0));
        refuse(
            &small,
            Clamp::new(1_u8, 2),
            src,
            View::of::<u8>(&dst, packed(&[70_000, 2])),
            "Limit",
            "dst: max_windows is 65536, but 70000 is needed; axis 0 is to blame, with this device's \
             max_storage_buffer_binding_size of 2048 and max_compute_workgroups_per_dimension of 65535: create the \
             device with its adapter's limits, split the tensor along the axis, or move neighbours along the axis \
             closer",
        );
    }
}

#[test]
fn empty_tensors_are_no_error_and_record_nothing() {
    for gpu in gpus() {
        let buffer = buffer(gpu, &bytes(16));
        let clamp = Clamp::new(1_u8, 2);
        // The offset is far beyond the buffer; two indices would share an element.
        let view = View::of::<u8>(&buffer, strided(&[0, 7], &[1, 0], 1_000));
        let operands = Operands::new(view, view);
        assert_eq!(gpu.clamper().prepare(&clamp, operands).unwrap().dispatches(), 0);
        gpu.host.submit(&clamp, operands).unwrap();
        assert_eq!(read(gpu, &buffer), bytes(16));
    }
}

#[test]
fn devices_with_too_little() {
    macro_rules! too_little {
        ($($limit:ident: $value:literal of $needed:literal,)*) => {
            [$((
                wgpu::Limits { $limit: $value, ..wgpu::Limits::downlevel_defaults() },
                device_limit(stringify!($limit), $value, $needed),
            )),*]
        };
    }
    for gpu in gpus() {
        for (required_limits, said) in too_little![
            max_storage_buffers_per_shader_stage: 3 of 4,
            max_bindings_per_bind_group: 4 of 5,
            max_uniform_buffer_binding_size: 256 of 384,
            max_buffer_size: 128 of 384,
            max_compute_invocations_per_workgroup: 128 of 256,
            max_compute_workgroup_size_x: 255 of 256,
            max_compute_workgroup_size_y: 0 of 1,
            max_compute_workgroups_per_dimension: 0 of 1,
        ] {
            let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
            let (device, _) = pollster::block_on(gpu.adapter.request_device(&descriptor)).unwrap();
            assert_refused(Clamper::new(&device), "Limit", said);
        }
    }
}

#[test]
fn host_data_of_the_wrong_kind() {
    let too_large = |argument: &str, limit: u64, needed: u64| {
        format!(
            "{argument}: max_buffer_size is {limit}, but {needed} is needed; split the {needed} bytes among several \
             tensors"
        )
    };
    for gpu in gpus() {
        let host = &gpu.host;
        let small = &gpu.limited(|limits| limits.max_buffer_size = 4096).host;
        let limit = gpu.device().limits().max_buffer_size;
        let beyond = usize::try_from(limit).unwrap() + 1;
        for (made, variant, said) in [
            (Tensor::upload(host, &[2, 2], &[1.0_f32; 3]), "Argument", "data: 3 elements given; 4 needed"),
            (Tensor::upload(host, &[2], &[0.0_f32; 5]), "Argument", "data: 5 elements given; 2 needed"),
            (
                Tensor::upload_bytes(host, DType::F32, &[2], &[0; 5]),
                "Argument",
                "bytes: 5 bytes given; 8 needed",
            ),
            (Tensor::zeros(host, DType::U8, &[1; 9]), "Argument", RANK_9),
            (Tensor::zeros(host, DType::U8, &[usize::MAX, 2]), "Argument", &uncountable(&[usize::MAX, 2])),
            (Tensor::zeros(host, DType::U8, &[beyond]), "Limit", &too_large("shape", limit, limit + 4)),
            (Tensor::zeros(small, DType::F32, &[2, 1024]), "Limit", &too_large("shape", 4096, 8192)),
            (Tensor::upload(small, &[2, 1024], &[0.0_f32; 2048]), "Limit", &too_large("data", 4096, 8192)),
            (
                Tensor::upload_bytes(small, DType::F32, &[2048], &[0; 8192]),
                "Limit",
                &too_large("bytes", 4096, 8192),
            ),
        ] {
            assert_refused(made, variant, said);
        }

        let tensor = Tensor::upload(host, &[2], &[1.0_f32, 5.0]).unwrap();
        let of_tensor = |given| {
            format!(
                "T: {given} is not the dtype of the tensor, f32; read the tensor's own elements, or `read_bytes`"
            )
        };
        assert_refused(tensor.read_blocking::<i32>(), "DType", of_tensor("i32"));
        assert_refused(tensor.read_blocking::<i16>(), "DType", of_tensor("i16"));

        let clamp = Clamp::new(1.0_f32, 2.0);
        let (mut words, mut singles) = ([7_i32; 2], [7.0_f32; 3]);
        let refused = host.clamp_slice(&clamp, &[1, 2], &mut words).run_blocking();
        assert_refused(refused, "DType", of_clamp("src", DType::I32, DType::F32));
        let refused = host.clamp_slice(&clamp, &[1.0_f32, 2.0], &mut words).run_blocking();
        assert_refused(refused, "DType", of_clamp("dst", DType::I32, DType::F32));
        let refused = host.clamp_slice(&clamp, &[1.0_f32, 2.0], &mut singles).run_blocking();
        assert_refused(refused, "Argument", "dst: 3 elements given; 2 needed");
        let refused = host.clamp_slice_in_place(&Clamp::new(1_u8, 2), &mut [3_i8]).run_blocking();
        assert_refused(refused, "DType", of_clamp("slice", DType::I8, DType::U8));
        assert_eq!((words, singles.map(f32::to_bits)), ([7; 2], [7.0_f32.to_bits(); 3]));
    }
}

#[test]
fn clamps_that_cannot_be() {
    assert_refused(
        Scalar::from_bits(DType::BF16, 0x1_0000),
        "Argument",
        "bits: 0x10000 has bits beyond the 16 of bf16; give the element's bits, zero-extended",
    );
    let three = Scalar::from_le_bytes(DType::BF16, &[0; 3]);
    assert_refused(three, "Argument", "bytes: 3 bytes given; 2 needed");
    // A bound has the clamp's own dtype, not its source's.
    let bytes = Clamp::new(0_u8, 1);
    let from_singles = bytes.with_source(DType::F32).unwrap();
    let refused = Clamp::unbounded(DType::BF16).with_bounds(Number::Absent, 1.0_f32);
    assert_refused(refused, "DType", of_bound("max", DType::F32, DType::BF16));
    let refused = from_singles.with_bounds(0.0_f32, Number::OnGpu);
    assert_refused(refused, "DType", of_bound("min", DType::F32, DType::U8));
    for (scale, bias, said) in [
        (f32::NAN, 0.0, "scale: NaN"),
        (f32::INFINITY, 0.0, "scale: inf"),
        (1.0, f32::NEG_INFINITY, "bias: -inf"),
    ] {
        let said = format!("{said} is not finite; the affine step takes finite numbers");
        assert_refused(bytes.with_affine(scale, bias), "Argument", said);
    }
    // The remedy also serves beside a number on the GPU, which `with_affine` cannot take.
    for (argument, number, given) in
        [("scale", 0.1.into(), "0.1 has dtype f64"), ("bias", 2.into(), "2 has dtype i32")]
    {
        let of = |number: Number| match argument {
            "scale" => bytes.with_scale_bias(number, Number::OnGpu),
            _ => bytes.with_scale_bias(Number::OnGpu, number),
        };
        assert_refused(of(number), "DType", no_f32(argument, given, DType::U8));
        assert!(of(0.1_f32.into()).is_ok());
    }
}

#[test]
fn layouts_that_cannot_be() {
    let line = packed(&[10]);
    let (far, most) = (usize::MAX as i128, isize::MAX as i128);
    let out_of_range = |argument, [lowest, highest]: [i128; 2], offset: usize, remedy: &str| {
        format!(
            "{argument}: elements would lie at {lowest} to {highest} with the offset {offset}; they must lie between 0 \
             and isize::MAX: {remedy}"
        )
    };
    for (layout, said) in [
        (Layout::packed(&[1; 9]), RANK_9),
        (Layout::packed(&[usize::MAX, 3]), &uncountable(&[usize::MAX, 3])),
        (
            Layout::strided(&[1, 2], &[1], 0),
            "strides: 1 given for a shape of rank 2; one stride per dimension is needed",
        ),
        (
            Layout::strided(&[3], &[-1], 1),
            &out_of_range("offset", [-1, 1], 1, "raise the offset, in elements, or shrink the strides"),
        ),
        (
            Layout::strided(&[2], &[1], usize::MAX),
            &out_of_range(
                "offset",
                [far, far + 1],
                usize::MAX,
                "lower the offset, in elements, or shrink the strides",
            ),
        ),
        (
            Layout::strided(&[2, 2], &[isize::MAX, isize::MAX], 0),
            &out_of_range("strides", [0, 2 * most], 0, "shrink them"),
        ),
        (line.flip(1), "axis: 1 is out of range for a layout of rank 1; axes count from 0"),
        (line.step(0, 0), "step: 0 on axis 0; a step is at least 1 (use `flip` to run backwards)"),
    ] {
        assert_refused(layout, "Argument", said);
    }
    for axes in [&[0_usize, 0][..], &[0], &[1, 2], &[0, 1, 2]] {
        let said = format!("axes: {axes:?} is not a permutation of 0..2; each axis must appear exactly once");
        assert_refused(packed(&[2, 3]).permute(axes), "Argument", said);
    }
    for range in [Range { start: 4, end: 3 }, 3..11] {
        let said = format!(
            "range: {range:?} does not fit axis 0 of extent 10; 0 <= start <= end <= extent is needed"
        );
        assert_refused(line.slice(0, range), "Argument", said);
    }
    for shape in [&[9_usize][..], &[], &[10, 2]] {
        let said = format!(
            "shape: [10] does not broadcast to {shape:?}; aligned at the last dimension, each extent must be 1 or equal"
        );
        assert_refused(line.broadcast_to(shape), "Argument", said);
    }
    // Layouts without elements have any extents.
    let nothing = strided(&[usize::MAX, 2, 0], &[1, 1, 1], 0);
    assert_eq!((nothing.len(), nothing.addresses().count()), (0, 0));
    assert_eq!(packed(&[0, usize::MAX, 2]).len(), 0);
    assert_eq!(packed(&[3, 0, 4]).strides(), [4, 4, 1]);
    reference::apply(&Clamp::new(0.0, 1.0), &nothing, &[], &nothing, &mut []).unwrap();
}

#[test]
fn adapters_that_are_not_there() {
    // In a child process, because all threads of this process share one environment.
    let run = |key, value: &str| {
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
    // A backend that this platform does not have.
    let other = if cfg!(windows) { "metal" } else { "dx12" };
    let first = format!("opened: {}", Host::open_nth_blocking(0).unwrap().adapter());
    for (key, value, parts) in [
        ("WGPU_ADAPTER_NAME", "no such thing", &["opened: no device: ", "no such thing"][..]),
        ("WGPU_BACKEND", other, &["opened: no device: "]),
        ("WGPU_CLAMP_ADAPTER", "0", &[&first]),
        ("WGPU_CLAMP_ADAPTER", "99", &["adapter 99, counted from 0, is not among ["]),
        ("WGPU_CLAMP_ADAPTER", "first", &["WGPU_CLAMP_ADAPTER is \"first\", not an index"]),
    ] {
        let said = run(key, value);
        assert!(parts.iter().all(|part| said.contains(part)), "{key} {value}: {said}");
    }
    for gpu in gpus() {
        let info = gpu.adapter.get_info();
        let said = run("WGPU_BACKEND", info.backend.to_str());
        assert!(said.contains(&format!("opened: {}", info.name)), "{said}");
    }
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
    alone_on_each("errors::a_destroyed_device_is_an_error_and_not_a_panic", |gpu| {
        let host = &gpu.host;
        let tensor = Tensor::upload(host, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let operands = Operands::in_place(tensor.view());
        let clamp = Clamp::new(2_u8, 3);
        gpu.device().destroy();

        let mut data = [9_u8, 0];
        for result in [
            host.clamp_slice(&clamp, &[1_u8, 2], &mut data).run_blocking(),
            host.clamp_slice_in_place(&clamp, &mut data).run_blocking(),
            tensor.read_blocking::<u8>().map(drop),
            Tensor::upload(host, &[1], &[1_u8]).map(drop),
            // Zeros need no memory of the host, so wgpu reports the loss only when they are used.
            Tensor::zeros(host, DType::U8, &[1]).and_then(|zeros| zeros.read_blocking::<u8>()).map(drop),
            host.submit(&clamp, operands).map(drop),
        ] {
            // The message does not name the object whose use showed the loss.
            let said = "the device was lost: it was destroyed, or its driver gave it up";
            assert_refused(result, "DeviceLost", said);
        }
        assert_eq!(data, [9, 0]);
        let encoded = host.clamper().encode(&mut gpu.encoder(), &clamp, operands);
        assert!(matches!(encoded, Err(Error::DeviceLost { .. })), "{encoded:?}");
    });
}

#[test]
fn calls_of_the_reference() {
    let clamp = Clamp::new(1_u8, 2);
    let six = packed(&[6]);
    let too_small = |argument, elements, needed, given| {
        too_small(argument, &format!("u8 elements of {elements}, strides [1], offset 0"), needed, given)
    };
    let four = packed(&[4]);
    let of = |dst_after| verify::Buffers {
        src_layout: &four,
        src: &[0; 4],
        dst_layout: &four,
        dst_before: &[0; 4],
        dst_after,
    };
    let refused = reference::apply_in_place(&clamp, &packed(&[5]), &mut [0; 4]);
    assert_refused(refused, "Buffer", too_small("bytes", "shape [5]", 5, 4));
    let refused = reference::apply(&clamp, &six, &[0; 5], &six, &mut [0; 6]);
    assert_refused(refused, "Buffer", too_small("src", "shape [6]", 6, 5));
    let refused = reference::clamp_slice(&clamp, &[1_u8], &mut [0_u8, 0]);
    assert_refused(refused, "Argument", "dst: 2 elements given; 1 needed");
    let refused = verify::check(&clamp, of(&[0; 8]));
    assert_refused(refused, "Argument", "dst_after: 8 bytes given; 4 needed");
    reference::apply(&clamp, &six, &[0; 6], &six, &mut [0; 6]).unwrap();

    let (some, on_gpu) = (Clamp::at_least(1_u8), Number::OnGpu);
    let mut out = [0; 4];
    for (argument, clamp) in [
        ("min", some.with_bounds(on_gpu, 9_u8)),
        ("max", some.with_bounds(1_u8, on_gpu)),
        ("scale", some.with_scale_bias(on_gpu, 1.0_f32)),
        ("bias", some.with_scale_bias(2.0_f32, on_gpu)),
    ] {
        let clamp = clamp.unwrap();
        for result in [
            reference::element(&clamp, 200).map(drop),
            reference::allowed(&clamp, 0).map(drop),
            reference::clamp_slice(&clamp, &[0_u8; 4], &mut out),
            reference::clamp_slice_in_place(&clamp, &mut out),
            reference::apply(&clamp, &four, &[0; 4], &four, &mut out),
            reference::apply_in_place(&clamp, &four, &mut out),
            verify::check(&clamp, of(&[0; 4])).map(drop),
        ] {
            assert_refused(result, "Argument", no_slots(argument));
        }
    }
    assert_eq!(out, [0; 4]);
}

/// The host has the queue of another device: wgpu's poll refuses the submission, and a read must not wait for ever.
#[test]
fn a_poll_that_fails_ends_the_read() {
    alone_on_each("errors::a_poll_that_fails_ends_the_read", |a| {
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

/// Mistakes that the crate cannot see. They end as the manual describes for wgpu 30.
#[test]
fn what_only_wgpu_sees() {
    let panics = |run: &dyn Fn()| catch_unwind(AssertUnwindSafe(run)).is_err();
    alone_on_each("errors::what_only_wgpu_sees", |own| {
        let other = own.fresh();
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let adapters = pollster::block_on(instance.enumerate_adapters(own.adapter.get_info().backend.into()));
        let foreign = with_limits(&adapters[0], wgpu::Limits::downlevel_defaults());
        let clamp = Clamp::new(2_u8, 3);
        let upload = |gpu: &Gpu| Tensor::upload(&gpu.host, &[4], &[1_u8, 2, 3, 4]).unwrap();
        let tensor = upload(&own);
        let submit = |queue: &wgpu::Queue| {
            Host::new(own.clamper(), queue).submit(&clamp, Operands::in_place(tensor.view()))
        };

        let error = own.clamper().prepare(&clamp, Operands::in_place(upload(&other).view())).unwrap_err();
        assert!(matches!(error, Error::Wgpu { .. }), "{error:?}");
        // More buffers than the instance of `own` has, so it cannot mistake the last one for its own buffer.
        let buffers: Vec<_> = (0..200).map(|_| upload(&foreign)).collect();
        let operands = Operands::in_place(buffers[199].view());
        assert!(panics(&|| drop(own.clamper().prepare(&clamp, operands))), "{}", own.name);
        assert!(panics(&|| drop(submit(foreign.host.queue()))), "{}", own.name);

        assert!(panics(&|| drop(submit(other.host.queue()))), "{}", own.name);
        let scope = other.device().push_error_scope(wgpu::ErrorFilter::Validation);
        submit(other.host.queue()).unwrap();
        assert!(pollster::block_on(scope.pop()).is_some());
        // Correct calls still work.
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [1, 2, 3, 4]);
        submit(own.host.queue()).unwrap();
        assert_eq!(tensor.read_blocking::<u8>().unwrap(), [2, 2, 3, 3]);
    });
}

/// A device whose bindings are too small for the uniform block, which the shader `resolve` writes, or for a slot at its
/// offset.
#[test]
fn bindings_too_small_for_bounds_on_the_gpu() {
    for gpu in gpus() {
        for (binding, slot, least) in [(128, 0, 129), (16, 0, 17), (16, 10, 44)] {
            let small = gpu.limited(|limits| limits.max_storage_buffer_binding_size = binding);
            let [src, dst, slots] = [16, 16, 64].map(|size| buffer(&small, &bytes(size)));
            let clamp = Clamp::at_least(1_i32).with_bounds(1_i32, Number::OnGpu).unwrap();
            let backwards = packed(&[2]).flip(0).unwrap();
            let (src, dst) = (View::of::<i32>(&src, backwards), View::of::<i32>(&dst, packed(&[2])));
            let slot = View::of::<i32>(&slots, strided(&[], &[], slot));
            let refused = small.clamper().prepare(&clamp, Operands::new(src, dst).with_max(slot)).map(drop);
            let Err(Error::Limit { needed, .. }) = refused else { panic!("{refused:?}") };
            assert!(needed >= least, "{needed}");
            assert_refused(
                refused,
                "Limit",
                device_limit("max_storage_buffer_binding_size", binding, needed),
            );
        }
    }
}

/// More channels than a binding of the device has room for. This can happen with any limits.
#[test]
fn more_channels_than_a_table_holds() {
    for gpu in gpus() {
        let small = gpu.limited(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
        let all: Vec<_> = (0..3100_u16).map(|n| Clamp::at_most(f32::from(n))).collect();
        let data = buffer(&small, &bytes(4 * all.len()));
        let prepare = |count: usize| {
            let operands = Operands::in_place(View::of::<f32>(&data, packed(&[count, 1])));
            small.clamper().prepare(Clamps::along(0, &all[..count]), operands)
        };
        let said = |argument: &str, channels: usize, each: usize| {
            let needed = channels * each;
            format!(
                "{argument}: max_storage_buffer_binding_size is 65536, but {needed} is needed; each of the {channels} channels takes {each} bytes of a table: split the tensor along their axis, or create the device with its adapter's limits"
            )
        };
        assert!(prepare(1365).is_ok());
        for channels in [3100, 1366] {
            assert_refused(prepare(channels), "Limit", said("clamps", channels, 48));
        }
        // One clamp, with a slot that has an element per channel, or one for all.
        let clamp = Clamp::unbounded(DType::F32).with_scale_bias(Number::OnGpu, Number::Absent).unwrap();
        let slot = buffer(&small, &bytes(4 * all.len()));
        let prepare = |count: usize, scales: usize| {
            let operands = Operands::in_place(View::of::<f32>(&data, packed(&[count, 1])));
            let operands = operands.with_scale(View::of::<f32>(&slot, packed(&[scales])));
            small.clamper().prepare(Clamps::slots_along(0, &clamp), operands)
        };
        assert!(prepare(1489, 1489).is_ok());
        assert_refused(prepare(1490, 1490), "Limit", said("axis", 1490, 44));
        // Whole packets, so that no second dispatch takes their edges.
        assert_eq!(prepare(1492, 1).unwrap().dispatches(), 2);
    }
}

/// wgpu does not say which buffer it refuses; the crate's error does.
#[test]
fn operands_that_wgpu_refuses_are_named() {
    for gpu in gpus() {
        let clamp = Clamp::new(1_u32, 2);
        let on_gpu = clamp.with_bounds(Number::OnGpu, Number::OnGpu).unwrap();
        let [a, b, min, max, gone] = [(); 5].map(|()| buffer(gpu, &bytes(16)));
        gone.destroy();
        let view = |buffer| View::of::<u32>(buffer, packed(&[4]));
        let slot = |buffer| View::of::<u32>(buffer, packed(&[]));
        let good = Operands::new(view(&a), view(&b));
        for (argument, clamp, operands) in [
            ("src", &clamp, Operands::new(view(&gone), view(&b))),
            ("dst", &clamp, Operands::new(view(&a), view(&gone))),
            ("src and dst", &clamp, Operands::in_place(view(&gone))),
            ("min", &on_gpu, good.with_min(slot(&gone)).with_max(slot(&max))),
            ("max", &on_gpu, good.with_min(slot(&min)).with_max(slot(&gone))),
        ] {
            let error = gpu.clamper().prepare(clamp, operands).unwrap_err();
            let Error::Wgpu { reason } = &error else { panic!("{error:?}") };
            assert!(reason.starts_with(&format!("{argument}: ")), "{argument}: {reason}");
            assert!(!reason.contains('\n'), "{reason}");
        }
        gpu.clamper().prepare(&on_gpu, good.with_min(slot(&min)).with_max(slot(&max))).unwrap();
    }
}
