//! Runs the self-test on one adapter, in each of its configurations.

use std::ops::Range;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clamp_proof::{Column, Counts, LIMITS, limits};
use indicatif::{ProgressBar, ProgressStyle};
use wgpu_clamp::{Clamper, Host, Outcome, wgpu};

/// Returns the columns of the adapter that the environment names, one for each configuration. After each column, `keep`
/// receives all finished columns, since a driver may crash later.
pub fn columns(
    name: &str,
    cases: Range<usize>,
    keep: impl Fn(&[Column]) -> Result<()>,
) -> Result<Vec<Column>> {
    let adapter = pollster::block_on(adapter())?;
    let offered = Clamper::optional_features(&adapter);
    let mut columns = Vec::new();
    for features in [false, true] {
        if features && offered.is_empty() {
            println!("{name} has none of the optional features that the crate uses");
            continue;
        }
        let (wanted, named) =
            if features { (offered, "optional features") } else { (wgpu::Features::empty(), "no feature") };
        for (limits, required) in LIMITS.into_iter().filter_map(|name| Some((name, limits(name)?))) {
            let config = format!("{limits} limits, {named}");
            let host = open(&adapter, wanted, required).with_context(|| config.clone())?;
            columns.push(column(name, &host, &config, cases.clone())?);
            keep(&columns)?;
        }
    }
    Ok(columns)
}

fn column(name: &str, host: &Host, config: &str, cases: Range<usize>) -> Result<Column> {
    println!("{name}, {config}: {}", host.adapter());
    let bar = ProgressBar::no_length();
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len} cases, {msg} wrong, {eta} left")?);
    let mut wrong = 0;
    let progress = |done, total, outcome: &Outcome| {
        wrong += usize::from(!outcome.report.passed());
        bar.set_length(total as u64);
        bar.set_message(wrong.to_string());
        bar.set_position(done as u64);
    };
    let started = Instant::now();
    let column = Column::fill(name, host, config, cases, progress, || {
        (time::OffsetDateTime::now_utc().date().to_string(), started.elapsed())
    });
    let column = pollster::block_on(column)?;
    bar.finish_and_clear();
    let Column { cases, total: Counts { elements, differing }, seconds, .. } = column;
    println!("{cases} cases, {elements} elements, {differing} differ, {seconds} s");
    ensure!(cases > 0, "--cases names no case");
    Ok(column)
}

/// The adapter that the environment names.
pub async fn adapter() -> Result<wgpu::Adapter> {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let backends = descriptor.backends;
    let wanted = std::env::var("WGPU_ADAPTER_NAME").unwrap_or_default().to_lowercase();
    let adapters = wgpu::Instance::new(descriptor).enumerate_adapters(backends).await;
    let named = adapters.into_iter().find(|adapter| adapter.get_info().name.to_lowercase().contains(&wanted));
    named.with_context(|| format!("there is no adapter for {backends:?} whose name contains {wanted:?}"))
}

/// Opens a device of the adapter.
pub fn open(adapter: &wgpu::Adapter, features: wgpu::Features, limits: wgpu::Limits) -> Result<Host> {
    let descriptor =
        wgpu::DeviceDescriptor { required_features: features, required_limits: limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
    let host = Host::new(&Clamper::new(&device)?, &queue);
    let converts = pollster::block_on(host.check_f16())?;
    println!("conversions of F16 by the device: {}", if converts { "right" } else { "not right, not used" });
    Ok(host)
}
