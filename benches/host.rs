//! `cargo bench`: times the library's host-side functions and counts their allocations. `cargo xtask bench` measures
//! the device.

use std::hint::black_box;
use std::sync::OnceLock;

use divan::counter::BytesCount;
use divan::{AllocProfiler, Bencher};
use wgpu_clamp::{
    Clamp, DType, Host, Layout, Limits, Operands, Plan, Precision, Scalar, View, reference, wgpu,
};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// Layouts that take different paths through the plan.
const LAYOUTS: [&str; 5] = ["packed", "rows", "transposed", "broadcast", "nested_8d"];

fn layouts(name: &str) -> (Layout, Layout) {
    let packed = |shape: &[usize]| Layout::packed(shape).unwrap();
    match name {
        "packed" => (packed(&[16, 3, 224, 224]), packed(&[16, 3, 224, 224])),
        "rows" => (Layout::strided(&[480, 640], &[643, 1], 0).unwrap(), packed(&[480, 640])),
        "transposed" => (packed(&[640, 480]).permute(&[1, 0]).unwrap(), packed(&[480, 640])),
        "broadcast" => (packed(&[480, 1]).broadcast_to(&[480, 640]).unwrap(), packed(&[480, 640])),
        "nested_8d" => {
            let shape = [3, 4, 5, 4, 3, 4, 5, 8];
            let strides = [170_100, 42_500, 8500, 2100, 700, 170, 33, 4];
            (packed(&shape), Layout::strided(&shape, &strides, 0).unwrap())
        }
        other => unreachable!("{other}"),
    }
}

#[divan::bench(args = LAYOUTS)]
fn plan(bencher: Bencher<'_, '_>, name: &str) {
    let ((src, dst), clamp) = (layouts(name), Clamp::new(-1.0_f32, 1.0));
    bencher.bench_local(|| Plan::new(black_box(&clamp), black_box(&src), &dst, Limits::default()));
}

/// In one buffer, the plan also has to decide whether source and destination overlap.
#[divan::bench]
fn plan_in_one_buffer(bencher: Bencher<'_, '_>) {
    let pixels = Layout::packed(&[1080, 1920, 4]).unwrap();
    let (rgb, alpha) = (pixels.slice(2, 0..1).unwrap(), pixels.slice(2, 3..4).unwrap());
    let clamp = Clamp::new(16_u8, 235);
    bencher.bench_local(|| Plan::in_one_buffer(black_box(&clamp), &rgb, &alpha, Limits::default()));
}

#[divan::bench]
fn layout_permuted_and_sliced() -> Layout {
    let image = Layout::packed(black_box(&[480, 640, 3])).unwrap();
    image.permute(&[2, 0, 1]).unwrap().slice(1, 100..200).unwrap()
}

/// The reference on 4,096 elements.
#[divan::bench_group(sample_count = 20)]
mod reference_throughput {
    use super::{Bencher, BytesCount, Clamp, DType, Layout, Precision, Scalar, black_box, reference};

    fn run(bencher: Bencher<'_, '_>, clamp: Clamp) {
        let layout = Layout::packed(&[4096]).unwrap();
        let bytes: Vec<u8> = (0..4096 * clamp.dtype().size()).map(|i| (i * 167 + i / 251) as u8).collect();
        let mut dst = bytes.clone();
        bencher
            .counter(BytesCount::new(bytes.len()))
            .bench_local(|| reference::apply(&clamp, &layout, black_box(&bytes), &layout, &mut dst));
    }

    fn clamp_of(dtype: DType) -> Clamp {
        Clamp::unbounded(dtype)
            .with_bounds(Scalar::from_bits(dtype, 3).unwrap(), Scalar::from_bits(dtype, 100).unwrap())
            .unwrap()
    }

    #[divan::bench(args = DType::ALL)]
    fn clamp(bencher: Bencher<'_, '_>, dtype: DType) {
        run(bencher, clamp_of(dtype));
    }

    #[divan::bench(args = DType::ALL)]
    fn affine_exact(bencher: Bencher<'_, '_>, dtype: DType) {
        let clamp = clamp_of(dtype).with_affine(1.5, -20.0).unwrap();
        run(bencher, clamp.with_precision(Precision::Exact));
    }
}

/// Benchmarks that need a device; left out without one.
mod on_a_device {
    use super::{Bencher, Clamp, Host, Layout, OnceLock, Operands, View, black_box, layouts, wgpu};

    fn host() -> Option<&'static Host> {
        static HOST: OnceLock<Option<Host>> = OnceLock::new();
        let open = || Host::open_blocking().inspect_err(|error| eprintln!("not measured: {error}")).ok();
        HOST.get_or_init(open).as_ref()
    }

    fn buffer(host: &Host) -> wgpu::Buffer {
        host.clamper().device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4 << 20,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        })
    }

    #[divan::bench(args = ["rows", "transposed", "nested_8d"], sample_count = 30)]
    fn prepare(bencher: Bencher<'_, '_>, name: &str) {
        let Some(host) = host() else { return };
        let (src, dst) = layouts(name);
        let (from, to) = (buffer(host), buffer(host));
        let clamp = Clamp::new(-1.0_f32, 1.0);
        bencher.bench_local(|| {
            let operands =
                Operands::new(View::new(&from, clamp.source(), src), View::new(&to, clamp.dtype(), dst));
            host.clamper().prepare(black_box(&clamp), operands)
        });
    }

    /// Records a clamp a thousand times in one pass, which is then dropped.
    #[divan::bench(sample_count = 30)]
    fn record_1000(bencher: Bencher<'_, '_>) {
        let Some(host) = host() else { return };
        let buffer = buffer(host);
        let view = View::of::<f32>(&buffer, Layout::packed(&[1024]).unwrap());
        let prepared = host.clamper().prepare(&Clamp::new(-1.0_f32, 1.0), Operands::in_place(view)).unwrap();
        bencher.bench_local(|| {
            let device = host.clamper().device();
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            (0..1000).for_each(|_| prepared.record(&mut pass));
        });
    }
}
