//! `cargo xtask proof` runs this program once for each implementation. Progress goes to the standard error, the row to the
//! standard output.

#![forbid(unsafe_code)]

mod patterns;

use std::ops::Range;

use anyhow::{Context as _, Result, ensure};
use clamp_check::{Row, limits, range};
use clap::{Parser, value_parser};
use indicatif::{ProgressBar, ProgressStyle};
use wgpu_clamp::self_test::Outcome;
use wgpu_clamp::{Clamper, Host, wgpu};

/// The runs of `cargo xtask proof`. `WGPU_BACKEND`, `WGPU_ADAPTER_NAME` and the driver's own variables choose the adapter.
#[derive(Debug, Parser)]
enum Task {
    /// Runs the self-test on one adapter: with default and downlevel limits, without and, if the adapter has them, with the
    /// optional features that the crate uses. Prints what differs, and a row of the table.
    Run {
        /// The name of the implementation.
        name: String,
        /// Only these cases of the self-test.
        #[arg(long, value_name = "A..B", value_parser = range, default_value = "0..99999", hide_default_value = true)]
        cases: Range<usize>,
    },
    /// Takes all 2^32 patterns of F32, I32 and U32 through the clamp, the affine step and the conversions. Hours on a CPU.
    Patterns {
        /// Only lines that contain this, in any case.
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
        /// The size of a tensor in MiB.
        #[arg(long, value_name = "MIB", default_value_t = 16, value_parser = value_parser!(u64).range(1..=1024))]
        size: u64,
    },
}

fn main() -> Result<()> {
    match Task::parse() {
        Task::Run { name, cases } => self_test(&name, &cases),
        Task::Patterns { only, size } => {
            let host = open(&adapter()?, wgpu::Features::empty(), wgpu::Limits::default())?;
            patterns::run(&host, &only.to_lowercase(), size << 20)
        }
    }
}

fn self_test(name: &str, cases: &Range<usize>) -> Result<()> {
    let adapter = adapter()?;
    let offered = Clamper::optional_features(&adapter);
    let date = time::OffsetDateTime::now_utc().date().to_string();
    let mut row = Row::new(name, "", &date);
    for features in [Some(wgpu::Features::empty()), (!offered.is_empty()).then_some(offered)] {
        let Some(features) = features else { continue };
        for (named, limits) in limits() {
            let host = open(&adapter, features, limits)?;
            row.adapter = host.description();
            let names: Vec<_> = features.iter_names().map(|(name, _)| name).collect();
            eprintln!("{}, {named}, features: {}", row.adapter, names.join(", "));
            let bar = ProgressBar::no_length();
            bar.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len} cases, {eta} left")?);
            let mut done_any = false;
            let progress = |done, total, outcome: &Outcome| {
                done_any = true;
                bar.set_length(total as u64);
                bar.set_position(done as u64);
                if !outcome.report.passed() {
                    bar.suspend(|| eprintln!("{outcome}"));
                }
            };
            pollster::block_on(row.add(&host, cases.clone(), progress))?;
            bar.finish_and_clear();
            ensure!(done_any, "--cases names no case");
        }
    }
    println!("{row}");
    Ok(())
}

/// The adapter that the environment names.
fn adapter() -> Result<wgpu::Adapter> {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let backends = descriptor.backends;
    let wanted = std::env::var("WGPU_ADAPTER_NAME").unwrap_or_default().to_lowercase();
    let adapters = pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends));
    let named = adapters.into_iter().find(|adapter| adapter.get_info().name.to_lowercase().contains(&wanted));
    named.with_context(|| format!("there is no adapter for {backends:?} whose name contains {wanted:?}"))
}

/// Opens a device of the adapter.
fn open(adapter: &wgpu::Adapter, features: wgpu::Features, limits: wgpu::Limits) -> Result<Host> {
    let descriptor =
        wgpu::DeviceDescriptor { required_features: features, required_limits: limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
    let clamper = Clamper::new(&device)?;
    let found = pollster::block_on(Host::new(&clamper, &queue).check_f16())?;
    eprintln!("conversions of F16 by the device: {found}");
    Ok(Host::new(&clamper.with_f16_conversions(found), &queue))
}
