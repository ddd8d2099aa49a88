//! Prints which adapters this machine has, whether they compute the right bits, and how fast, as text for an issue:
//! `cargo run --release --example doctor`.
//!
//! ```text
//! cargo run --release --example doctor -- radv                 only adapters whose name contains "radv"
//! cargo run --release --example doctor -- --report report.md   also writes a report per adapter, for an issue
//! cargo run --release --example doctor -- --quick              each pair of dtypes, step, layout and kernel once
//! cargo run --release --example doctor -- --cases 0..50        only these cases of the self-test
//! cargo run --release --example doctor -- --exhaustive         all combinations; hours on a software driver
//! ```
//!
//! The self-test runs every dtype, and every pair that converts, on every kernel. Most of its time goes into the
//! driver's compiler: about five minutes on a software driver. The exit code is 1 if an element differs, an error ends
//! an adapter's test, an adapter gives no device, or there is no adapter. Nothing is sent anywhere.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clamp_check::{COMMIT, Check, Extent, Report, VERSION, range};
use clap::{Command, arg, value_parser};
use indicatif::{ProgressBar, ProgressStyle};
use wgpu_clamp::{Error, wgpu};

fn main() -> ExitCode {
    let arguments = Command::new("doctor")
        .about("Which adapters there are, whether they compute the right bits, and how fast")
        .arg(arg!([NAME] "A part of the adapters' names").default_value("").hide_default_value(true))
        .arg(
            arg!(--report <FILE> "Also writes a report per adapter, for an issue")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(arg!(--quick "Runs each pair of dtypes, step, layout and kernel of the self-test once"))
        .arg(arg!(--cases <RANGE> "Cases of the self-test, such as 0..50; else all").value_parser(range))
        .arg(arg!(--exhaustive "Runs all combinations of the self-test").conflicts_with("quick"))
        .get_matches();
    let extent = match (arguments.get_flag("quick"), arguments.get_flag("exhaustive")) {
        (true, _) => Extent::Quick,
        (_, true) => Extent::Exhaustive,
        _ => Extent::Whole,
    };
    let name = arguments.get_one::<String>("NAME").expect("it has a default").to_lowercase();
    let cases = arguments.get_one("cases").cloned().unwrap_or(0..usize::MAX);
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    let backends = descriptor.backends;
    let mut adapters = pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends));
    adapters.retain(|adapter| adapter.get_info().name.to_lowercase().contains(&name));
    println!("wgpu-clamp {VERSION} ({COMMIT}), wgpu 30, {system}");
    if adapters.is_empty() {
        println!(
            "no adapter with {name:?} in its name for {backends:?}: a driver is needed (on Linux, Mesa's are \
             mesa-vulkan-drivers in Debian and Ubuntu)"
        );
        return ExitCode::FAILURE;
    }
    let mut reports = Vec::new();
    for adapter in &adapters {
        println!("\n{}", adapter.get_info().name);
        match pollster::block_on(examine(adapter, extent, &cases, &system)) {
            Ok(report) => {
                println!("{}", report.summary());
                reports.push(report);
            }
            Err(error) => println!("gives no device: {error}"),
        }
        // After each adapter, since the next one's driver may crash.
        if let Some(file) = arguments.get_one::<PathBuf>("report") {
            let text: Vec<_> = reports.iter().map(Report::to_string).collect();
            if let Err(error) = std::fs::write(file, text.join("\n")) {
                println!("cannot write the report to {}: {error}", file.display());
                return ExitCode::FAILURE;
            }
        }
    }
    let agree = reports.iter().filter(|report| report.passed()).count();
    println!("\n{agree} of {} adapters agree with the CPU reference, bit for bit", adapters.len());
    if agree == adapters.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the self-test and the measurement on an adapter. An error after the device was opened ends the report early.
async fn examine(
    adapter: &wgpu::Adapter,
    extent: Extent,
    cases: &Range<usize>,
    system: &str,
) -> Result<Report, Error> {
    let mut check = Check::open(adapter, extent).await?.with_cases(cases);
    if check.found().of == 0 {
        println!("no case of the self-test is in {cases:?}");
    }
    let ended = match self_test(&mut check).await {
        Ok(()) => check.measure().await.err().map(|error| format!("the speed was not measured: {error}")),
        Err(error) => Some(error.to_string()),
    };
    let date = time::OffsetDateTime::now_utc().date().to_string();
    Ok(check.report(&date, system, ended))
}

/// Runs the cases. Without a terminal, prints lines of progress: if the driver crashes, they show how far it got.
async fn self_test(check: &mut Check) -> Result<(), Error> {
    const STYLE: &str = "{bar:40} {pos} of {len} cases, {eta} left";
    let bar = ProgressBar::new(check.found().of as u64);
    bar.set_style(ProgressStyle::with_template(STYLE).expect("the template is well formed"));
    let mut told = Instant::now();
    while check.next().await?.is_some() {
        bar.inc(1);
        if bar.is_hidden() && told.elapsed() >= Duration::from_secs(30) {
            told = Instant::now();
            let found = check.found();
            println!("{} of {} cases, {} elements differ", found.cases, found.of, found.differing);
        }
    }
    bar.finish_and_clear();
    Ok(())
}
