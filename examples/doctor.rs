//! Prints which adapters this machine has, whether they compute the right bits, and how fast, as text for an issue:
//! `cargo run --release --example doctor`.
//!
//! ```text
//! cargo run --release --example doctor -- radv            only adapters whose name contains "radv"
//! cargo run --release --example doctor -- --cases 0..50   only these cases of the self-test
//! cargo run --release --example doctor -- --exhaustive    all combinations; hours on a software driver
//! ```
//!
//! The self-test runs every dtype, and every pair that converts, on every kernel. Most of its time goes into the
//! driver's compiler: about five minutes on a software driver. The exit code is 1 if an element differs, an error ends
//! an adapter's test, or there is no adapter.

use std::ops::Range;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Command, arg};
use indicatif::{ProgressBar, ProgressStyle};
use wgpu_clamp::{Clamp, Clamper, DType, Host, Operands, Outcome, Tensor, wgpu};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments = Command::new("doctor")
        .about("Which adapters there are, whether they compute the right bits, and how fast")
        .arg(arg!([NAME] "A part of the adapters' names").default_value("").hide_default_value(true))
        .arg(arg!(--cases <RANGE> "Cases of the self-test, such as 0..50; else all").value_parser(range))
        .arg(arg!(--exhaustive "Runs all combinations of the self-test"))
        .get_matches();
    let exhaustive = arguments.get_flag("exhaustive");
    let name = arguments.get_one::<String>("NAME").expect("it has a default").to_lowercase();
    let cases = arguments.get_one("cases").cloned().unwrap_or(0..usize::MAX);
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let backends = descriptor.backends;
    let mut adapters = pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends));
    adapters.retain(|adapter| adapter.get_info().name.to_lowercase().contains(&name));
    println!(
        "wgpu-clamp {}, wgpu 30, {} {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    if adapters.is_empty() {
        println!(
            "no adapter with {name:?} in its name for {backends:?}: a driver is needed (on Linux, Mesa's are \
             mesa-vulkan-drivers in Debian and Ubuntu)"
        );
        return ExitCode::FAILURE;
    }
    let mut agrees = 0;
    for adapter in &adapters {
        match examine(adapter, cases.clone(), exhaustive) {
            Ok(right) => agrees += usize::from(right),
            Err(error) => println!("  did not get through: {error}"),
        }
    }
    println!("\n{agrees} of {} adapters agree with the CPU reference, bit for bit", adapters.len());
    if agrees == adapters.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// `0..50` as a range of the self-test's cases.
fn range(text: &str) -> std::result::Result<Range<usize>, String> {
    let range = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    range.ok_or_else(|| "not a range such as 0..50".to_owned())
}

/// Prints an adapter's name, driver, limits and optional features.
fn describe(adapter: &wgpu::Adapter) {
    let info = adapter.get_info();
    println!("\n{} ({:?}, {:?})", info.name, info.backend, info.device_type);
    println!("  driver: {}", format!("{} {}", info.driver, info.driver_info).trim());
    let limits = adapter.limits();
    println!(
        "  limits: bindings of {} MiB at multiples of {} bytes, buffers of {} MiB, {} workgroups per dimension",
        limits.max_storage_buffer_binding_size >> 20,
        limits.min_storage_buffer_offset_alignment,
        limits.max_buffer_size >> 20,
        limits.max_compute_workgroups_per_dimension,
    );
    let features = Clamper::optional_features(adapter);
    let names: Vec<_> = features.iter_names().map(|(name, _)| name).collect();
    println!("  optional features: {}", if names.is_empty() { "none".to_owned() } else { names.join(", ") });
}

/// Runs the self-test and the speed measurement on an adapter. Returns whether all results are right.
fn examine(adapter: &wgpu::Adapter, cases: Range<usize>, exhaustive: bool) -> Result<bool> {
    describe(adapter);
    let descriptor = wgpu::DeviceDescriptor {
        required_features: Clamper::optional_features(adapter),
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
    let host = Host::new(&Clamper::new(&device)?, &queue);
    let right = pollster::block_on(host.check_f16())?;
    println!(
        "  conversions of F16 by the device: {}",
        if right { "right" } else { "not right, so not used" }
    );

    let bar = ProgressBar::no_length();
    bar.set_style(ProgressStyle::with_template("  {bar:40} {pos} of {len} cases, {eta} left")?);
    let started = Instant::now();
    let (mut wrong, mut told) = (0, started);
    let progress = |done, total, outcome: &Outcome| {
        wrong += usize::from(!outcome.report.passed());
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        // Without a terminal, prints progress lines: if the driver crashes, they show how far it got.
        if bar.is_hidden() && told.elapsed() >= Duration::from_secs(30) {
            told = Instant::now();
            println!("  {done} of {total} cases, {wrong} wrong, {} s", started.elapsed().as_secs());
        }
    };
    let test = host.self_test().cases(cases).with_progress(progress);
    let report = if exhaustive { test.exhaustive() } else { test }.run_blocking()?;
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs();
    println!("  self-test, {seconds} s: {}", report.to_string().replace('\n', "\n    "));
    if let Err(error) = speed(&host) {
        println!("  speed not measured: {error}");
    }
    Ok(report.passed())
}

/// The copy that clamps are measured against, 16 bytes per invocation. On some GPUs `copy_buffer_to_buffer` reaches a
/// fifth of its speed.
const COPY: &str = "
@group(0) @binding(0) var<storage, read> src: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4u>;
@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) at: vec3u) {
    dst[at.x] = src[at.x];
}";

/// Measures a few clamps against a copy of as many bytes.
fn speed(host: &Host) -> Result<()> {
    const BYTES: u32 = 64 << 20;
    let device = host.clamper().device();
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(COPY.into()),
    });
    let copy = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: None,
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let relu6 = Clamp::new(0.0_f32, 6.0);
    let to_f16 = Clamp::unbounded(DType::F16).with_source(DType::U8)?.with_affine(1.0 / 255.0, 0.0)?;
    for (name, clamp) in [
        ("f32, two bounds", relu6),
        ("f32, fast scale and bias", relu6.with_affine(1.7, -0.3)?),
        ("u8, two bounds", Clamp::new(16_u8, 235)),
        ("u8 to f16, scale", to_f16),
    ] {
        let [from, to] = [clamp.source(), clamp.dtype()].map(DType::size);
        // The clamp and the copy read and write the same number of bytes in all.
        let elements = BYTES as usize / (from + to) * 2;
        let src = Tensor::zeros(host, clamp.source(), &[elements])?;
        let dst = Tensor::zeros(host, clamp.dtype(), &[elements])?;
        let [a, b] = [(); 2].map(|()| Tensor::zeros(host, DType::U8, &[BYTES as usize]));
        let (a, b) = (a?, b?);
        let prepared = host.clamper().prepare(&clamp, Operands::new(src.view(), dst.view()))?;
        let mut times = [Vec::new(), Vec::new()];
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &copy.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: a.buffer().as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: b.buffer().as_entire_binding() },
            ],
        });
        // Copy and clamp take turns, so that other load on the machine slows both. The first two rounds warm up.
        for round in 0..11 {
            let copied = time(host, |encoder| {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(&copy);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(BYTES / 16 / 256, 1, 1);
            })?;
            let clamped = time(host, |encoder| {
                prepared.record(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
            })?;
            if round > 1 {
                times[0].push(copied);
                times[1].push(clamped);
            }
        }
        let [copied, clamped] = times.map(median);
        let ratio = copied.as_secs_f64() / clamped.as_secs_f64();
        let rate = 2.0 * f64::from(BYTES) / clamped.as_secs_f64() / 1e9;
        println!("  {name}: {ratio:.2} of a copy kernel's speed, {rate:.1} GB/s read and written");
    }
    Ok(())
}

/// The mean time of four recordings in one submission, until the GPU is done.
fn time(host: &Host, record: impl Fn(&mut wgpu::CommandEncoder)) -> Result<Duration> {
    let device = host.clamper().device();
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    for _ in 0..4 {
        record(&mut encoder);
    }
    let commands = encoder.finish();
    let started = Instant::now();
    host.queue().submit([commands]);
    device.poll(wgpu::PollType::wait_indefinitely())?;
    Ok(started.elapsed() / 4)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
