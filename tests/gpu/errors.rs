//! Every mistake that the crate can see returns an error of its own, records nothing and writes nothing. Programs print
//! only the message, so `snapshots/` keeps the whole messages, each below the mistake.

use std::fmt::{Display, Write as _};
use std::ops::Range;

use wgpu_clamp::half::f16;
use wgpu_clamp::{
    Clamp, Clamps, DType, Error, Host, Layout, Limits, Number, Operands, Plan, Rounding, Scalar, View,
    reference, verify, wgpu,
};

use crate::harness::{Gpu, buffer, gpus, packed, read, strided};

mod calls;

/// Mistakes, each with its error below it.
#[derive(Default)]
struct Table(String);

impl Table {
    fn add<T>(&mut self, mistake: impl Display, result: Result<T, Error>) {
        let Err(error) = result else { panic!("not refused: {mistake}") };
        let debug = format!("{error:?}");
        let variant = debug.split(|c: char| !c.is_alphanumeric()).next().unwrap();
        writeln!(self.0, "{mistake}\n    {variant}: {error}").unwrap();
    }

    /// Adds the error of [`refused`].
    #[expect(clippy::large_types_passed_by_value, reason = "each caller makes its operands anew")]
    fn call<'c>(
        &mut self,
        mistake: impl Display,
        gpu: &Gpu,
        clamps: impl Into<Clamps<'c>>,
        operands: Operands<'_>,
    ) {
        let refused = refused(gpu, clamps.into(), operands);
        self.add(mistake, refused);
    }

    #[track_caller]
    fn assert_kept(&self, name: &str) {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gpu/snapshots"));
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(name, self.0));
    }
}

/// The error that all calls with these operands return. wgpu reports none, and dst is not written.
#[expect(clippy::large_types_passed_by_value, reason = "each caller makes its operands anew")]
fn refused(gpu: &Gpu, clamps: Clamps<'_>, operands: Operands<'_>) -> Result<(), Error> {
    let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
    let dst = operands.dst().buffer();
    let before = dst.usage().contains(wgpu::BufferUsages::COPY_SRC).then(|| read(gpu, dst));
    let mut encoder = gpu.encoder();
    let refused = gpu.clamper().encode(&mut encoder, clamps, operands);
    assert_eq!(refused, gpu.clamper().prepare(clamps, operands).map(drop));
    assert_eq!(refused, gpu.host.submit(clamps, operands).map(drop));
    // Anything that was recorded would run here.
    gpu.host.queue().submit([encoder.finish()]);
    assert!(before.is_none_or(|before| before == read(gpu, dst)), "{refused:?}");
    assert!(pollster::block_on(scope.pop()).is_none(), "{refused:?}");
    refused
}

/// Mistakes that need no device.
#[test]
fn without_a_device() {
    let mut table = Table::default();
    layouts(&mut table);
    clamps(&mut table);
    plans(&mut table);
    of_the_reference(&mut table);
    table.assert_kept("without_a_device");
}

fn layouts(table: &mut Table) {
    table.add("9 dimensions", Layout::packed(&[1; 9]));
    table.add("more elements than can be counted", Layout::packed(&[usize::MAX, 3]));
    table.add("an offset beyond isize", Layout::packed_at(&[2], isize::MAX as usize));
    for (shape, strides, offset) in [
        (&[1, 2][..], &[1][..], 0),
        (&[3], &[-1], 1),
        (&[2], &[1], usize::MAX),
        (&[2, 2], &[isize::MAX, isize::MAX], 0),
    ] {
        let what = format!("shape {shape:?}, strides {strides:?}, offset {offset}");
        table.add(what, Layout::strided(shape, strides, offset));
    }
    let line = packed(&[10]);
    table.add("flip of axis 1 of 1", line.flip(1));
    table.add("step 0", line.step(0, 0));
    for axes in [&[0_usize, 0][..], &[0], &[1, 2], &[0, 1, 2]] {
        table.add(format!("permute by {axes:?}"), packed(&[2, 3]).permute(axes));
    }
    for range in [Range { start: 4, end: 3 }, 3..11] {
        table.add(format!("slice {range:?} of 10"), line.slice(0, range));
    }
    for shape in [&[9_usize][..], &[], &[10, 2]] {
        table.add(format!("broadcast to {shape:?}"), line.broadcast_to(shape));
    }
    for (size, pitch, channels, dtype) in [
        ([250, 141], 1000, 4, DType::U8),
        ([250, 141], 768, 4, DType::U8),
        ([250, 141], 0, 4, DType::U8),
        ([65, 1], 1024, 4, DType::F32),
        ([5, 3], 256, 0, DType::U8),
        ([5, 3], 256, 3, DType::F32),
        ([5, 3], 256, u32::MAX, DType::U8),
        ([u32::MAX; 2], u32::MAX - 255, 4, DType::F64),
        ([u32::MAX; 2], u32::MAX, 4, DType::F64),
    ] {
        let what = format!("texels {size:?} of {channels} {dtype}, {pitch} bytes per row");
        table.add(what, Layout::texels(size, pitch, channels, dtype));
    }
    let longest_rows = Layout::texels([1, 1 << 31], 1 << 31, 4, DType::U8).unwrap();
    assert_eq!(longest_rows.strides(), [1, 1 << 31, 4]);
    // Layouts without elements have any extents.
    let nothing = strided(&[usize::MAX, 2, 0], &[1, 1, 1], 0);
    assert_eq!((nothing.len(), nothing.addresses().count()), (0, 0));
    assert_eq!(packed(&[3, 0, 4]).strides(), [4, 4, 1]);
    reference::apply(Clamp::new(0.0, 1.0), &nothing, &[], &nothing, &mut []).unwrap();
}

fn clamps(table: &mut Table) {
    table.add("17 bits for BF16", Scalar::from_bits(DType::BF16, 0x1_0000));
    table.add("3 bytes for BF16", Scalar::from_le_bytes(DType::BF16, &[0; 3]));
    for (dtype, value) in [
        (DType::F32, 3.5e38),
        (DType::F16, -65_520.0),
        (DType::BF16, f64::MAX),
        (DType::I8, -129.0),
        (DType::U8, 0.5),
        (DType::U64, 18_446_744_073_709_551_616.0),
        (DType::I64, f64::NAN),
        (DType::I32, f64::INFINITY),
    ] {
        table.add(format!("{value:?} as {dtype}"), Scalar::from_f64(dtype, value));
    }
    for (dtype, value) in [(DType::F16, 65_520), (DType::U64, -1), (DType::I32, 1 << 31)] {
        table.add(format!("{value} as {dtype}"), Scalar::from_i64(dtype, value));
    }
    let floats = Clamp::unbounded(DType::F32);
    for (one, mean, deviation) in [
        (0.0, 0.5, 0.5),
        (f64::NAN, 0.5, 0.5),
        (255.0, f64::INFINITY, 0.5),
        (255.0, 0.5, 0.0),
        (255.0, 0.5, f64::NAN),
        (1.0, 0.5, 1e-39),
        (1.0, 0.5, 1e60),
        (1.0, 1e39, 0.5),
    ] {
        let what = format!("normalise by mean {mean:?}, deviation {deviation:?}, one {one:?}");
        table.add(what, floats.normalize(one, [0.0, mean], [1.0, deviation]));
    }
    let doubles = Clamp::unbounded(DType::F64);
    assert!(doubles.normalize(1.0, [1e39, 1e-60], [1e-39, 1e60]).is_ok());
    table.add("the inverse by deviation 1e39", floats.denormalize(1.0, [0.0], [1e39]));
    table.add("the inverse by mean 1e39", floats.denormalize(1.0, [1e39], [1.0]));
    let bytes = Clamp::new(0_u8, 1);
    let (absent, on_gpu) = (Number::Absent, Number::OnGpu);
    table.add("Max of f32 for BF16", Clamp::unbounded(DType::BF16).with_bounds(absent, 1.0_f32));
    // A bound has the clamp's own dtype, not its source's.
    let from_singles = bytes.with_source(DType::F32).unwrap();
    table.add("Min of the source's dtype", from_singles.with_bounds(0.0_f32, on_gpu));
    for (scale, bias) in [(f32::NAN, 0.0), (f32::INFINITY, 0.0), (1.0, f32::NEG_INFINITY)] {
        table.add(format!("x * {scale} + {bias}"), bytes.with_affine(scale, bias));
    }
    table.add("a scale beyond f32", bytes.with_affine(-1e39, on_gpu));
    table.add(
        "a bias of an f64 that is infinite",
        Clamp::unbounded(DType::F64).with_affine(1.0, f64::INFINITY),
    );
    assert_eq!(Clamp::unbounded(DType::F64).with_affine(-1e39, 0.0).unwrap().scale(), (-1e39).into());
    // Ties go to even, and the identity is found after the rounding.
    let rounded = bytes.with_affine(16_777_217.0, 16_777_219.0).unwrap();
    assert_eq!((rounded.scale(), rounded.bias()), (16_777_216.0_f32.into(), 16_777_220.0_f32.into()));
    assert_eq!(bytes.with_affine(1.0 + 1e-12, 1e-60), Ok(bytes));
    table.add("a bias of i32", bytes.with_affine(on_gpu, 2));
    table.add("a scale of f16", Clamp::unbounded(DType::F16).with_affine(f16::ONE, absent));
    for (dtype, source) in [(DType::I32, DType::F32), (DType::U64, DType::U64), (DType::F64, DType::F64)] {
        let clamp = Clamp::unbounded(dtype).with_source(source).unwrap();
        table.add(format!("a scale on the GPU, {dtype}"), clamp.with_affine(on_gpu, absent));
        table.add(format!("a bias on the GPU, {dtype}"), clamp.with_affine(2.0_f32, on_gpu));
    }
    table.add("i64 to u8", bytes.with_source(DType::I64));
    let quantize = |scale, zero_point| Clamp::quantize_linear(DType::F32, DType::I8, scale, zero_point);
    let dequantize = |source, zero_point| Clamp::dequantize_linear(source, DType::F16, 0.1, zero_point);
    table.add("quantise by -0", quantize(-0.0, 0));
    table.add("quantise by NaN", quantize(f32::NAN, 0));
    table.add("quantise, zero point 128 of i8", quantize(0.1, 128));
    table.add("dequantise, zero point -1 of u16", dequantize(DType::U16, -1));
    table.add("dequantise, zero point 1 of i32", dequantize(DType::I32, 1));
    table.add("quantise f64", Clamp::quantize_linear(DType::F64, DType::I8, 0.1, 0));
    table.add("dequantise to f64", Clamp::dequantize_linear(DType::U8, DType::F64, 0.1, 0));
    let (quantize, dequantize) = (quantize(0.1, 3).unwrap(), dequantize(DType::U8, 3).unwrap());
    table.add("quantise with an affine step", quantize.with_affine(1.0, 0.0));
    table.add("dequantise with an affine step", dequantize.with_affine(0.5, 3.0));
    table.add("dequantise and normalise", dequantize.normalize(1.0, [0.5], [0.5]));
    table.add("quantise, a scale on the GPU", quantize.with_affine(on_gpu, absent));
    table.add("quantise, a bias on the GPU", quantize.with_affine(absent, on_gpu));
    table.add("quantise, no scale and no bias", quantize.with_affine(absent, absent));
    table.add("dequantise, Max on the GPU", dequantize.with_bounds(absent, on_gpu));
    table.add("dequantise from another source", dequantize.with_source(DType::I8));
    assert_eq!(
        quantize.with_source(DType::F32).map(|same| same.with_rounding(Rounding::TowardZero)),
        Ok(quantize)
    );
    for (dtype, source) in
        DType::ALL.iter().copied().flat_map(|dtype| DType::ALL.iter().map(move |&source| (dtype, source)))
    {
        let offered = [source, dtype].iter().all(|dtype| DType::CONVERTIBLE.contains(dtype));
        let made = Clamp::unbounded(dtype).with_source(source);
        assert_eq!(made.is_ok(), source == dtype || offered, "{source} {dtype}");
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

fn plans(table: &mut Table) {
    let (bytes, doubles) = (Clamp::new(1_u8, 2), Clamp::new(0.0, 1.0));
    let limits = Limits::default();
    let hard = strided(&[9; 8], &HARD, 0);
    table.add("an undecided overlap of dst", Plan::new(bytes, &hard, &hard, limits));
    // The search decides each layout alone, but not the two together.
    let dst = strided(&[9; 6], &HARD[..6], 0);
    let src = strided(&[9; 6], &HARD.map(|stride| stride / 3 + 1)[..6], 1);
    table.add("an undecided overlap of src and dst", Plan::in_one_buffer(bytes, &src, &dst, limits));
    // The last element's address fits into 64 bits, but the addresses of its bytes do not.
    let far = strided(&[2], &[-1], 1 << 61);
    table.add("bytes beyond 2^64", Plan::new(doubles, &far, &packed(&[2]), limits));
    let none = limits.with(|limits| limits.max_workgroups_per_dimension = 0);
    table.add("no workgroups", Plan::new(bytes, &packed(&[4]), &packed(&[4]), none));
}

fn of_the_reference(table: &mut Table) {
    let clamp = Clamp::new(1_u8, 2);
    let (four, six) = (packed(&[4]), packed(&[6]));
    let far = strided(&[3], &[-1], 4);
    let mut dst = [0xee; 8];
    let buffers = |dst_after| verify::Buffers {
        src_layout: &four,
        src: &[0; 4],
        dst_layout: &four,
        dst_before: &[0; 4],
        dst_after,
    };
    let convert = Clamp::unbounded(DType::F32).with_source(DType::U16).unwrap();
    for (mistake, refused) in [
        ("5 bytes in place of 4", reference::apply_in_place(clamp, &packed(&[5]), &mut dst[..4])),
        ("a short src", reference::apply(clamp, &six, &[0; 5], &six, &mut dst)),
        ("a short dst", reference::apply(clamp, &six, &[0; 6], &six, &mut dst[..5])),
        ("a short dst of another size", reference::apply(convert, &four, &[0; 8], &four, &mut dst)),
        ("a src that begins far behind", reference::apply(clamp, &far, &[0; 4], &packed(&[3]), &mut dst)),
        ("two shapes", reference::apply(clamp, &packed(&[2, 2]), &[0; 4], &four, &mut dst)),
        ("two sizes in place", reference::apply_in_place(convert, &four, &mut dst)),
        ("a longer slice of dst", reference::clamp_slice(&clamp, &[1_u8], &mut [0_u8, 0])),
        ("a slice of dst of another dtype", reference::clamp_slice(&clamp, &[1_u8], &mut [0_u16])),
        ("a slice of src of another dtype", reference::clamp_slice(&clamp, &[1_u16], &mut [0_u8])),
        ("a slice that is no source", reference::clamp_slice(&convert, &[1.0_f32], &mut [0.0_f32])),
        ("a longer buffer after", verify::check(clamp, buffers(&[0; 8])).map(drop)),
        ("a short buffer after", verify::check(clamp, buffers(&[0; 3])).map(drop)),
    ] {
        table.add(format!("reference: {mistake}"), refused);
    }
    let (some, on_gpu) = (Clamp::at_least(1_u8), Number::OnGpu);
    for (argument, clamp) in [
        ("min", some.with_bounds(on_gpu, 9_u8)),
        ("max", some.with_bounds(1_u8, on_gpu)),
        ("scale", some.with_affine(on_gpu, 1.0_f32)),
        ("bias", some.with_affine(2.0_f32, on_gpu)),
    ] {
        let clamp = clamp.unwrap();
        let refused = reference::element(&clamp, 200).map(drop);
        for other in [
            reference::allowed(&clamp, 0).map(drop),
            reference::clamp_slice(&clamp, &[0_u8; 4], &mut dst[..4]),
            reference::clamp_slice_in_place(&clamp, &mut dst[..4]),
            reference::apply(clamp, &four, &[0; 4], &four, &mut dst),
            reference::apply_in_place(clamp, &four, &mut dst),
            verify::check(clamp, buffers(&[0; 4])).map(drop),
        ] {
            assert_eq!(other, refused);
        }
        table.add(format!("reference: {argument} on the GPU"), refused);
    }
    assert_eq!(dst, [0xee; 8]);
}

/// wgpu does not say which buffer it refuses; the crate's error does.
#[test]
fn operands_that_wgpu_refuses_are_named() {
    for gpu in gpus() {
        let clamp = Clamp::new(1_u32, 2);
        let on_gpu = clamp.with_bounds(Number::OnGpu, Number::OnGpu).unwrap();
        let [a, b, min, max, gone] = [(); 5].map(|()| buffer(gpu, &[0; 16]));
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
        gpu.clamper().prepare(on_gpu, good.with_min(slot(&min)).with_max(slot(&max))).unwrap();
    }
}

/// Refusals that come from the host alone: an adapter that is not there.
#[test]
fn adapters_that_are_not_there() {
    // In a child process, because all threads of this process share one environment.
    let run = |key, value: &str| {
        let program = std::env::current_exe().unwrap();
        let output = std::process::Command::new(program)
            .args(["--exact", "errors::child_opens_a_host", "--nocapture"])
            .env(key, value)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    // A backend that this platform does not have.
    let other = if cfg!(windows) { "metal" } else { "dx12" };
    let first = format!("opened: {}", Host::open_nth_blocking(0).unwrap().description());
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
        Ok(host) => host.description(),
        Err(error) => error.to_string(),
    };
    println!("opened: {said}");
    assert!(!said.is_empty());
}
