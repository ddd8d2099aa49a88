//! The lines above the table: the device, the driver, the commit, the date and the clock.

use anyhow::Result;
use time::OffsetDateTime;

use crate::bench::{Bench, WARM, YARDSTICK, random_pair};
use crate::clock::{TRIES, Work};
use crate::kernels::{Kind, Launch};
use crate::stats::Stats;
use crate::table::{size, time};

/// Name and value of each line.
pub type Head = Vec<(&'static str, String)>;

/// Describes the device; this takes a moment, because it times copies.
pub fn head(bench: &Bench) -> Result<Head> {
    let info = &bench.device.info;
    let limits = bench.device.wgpu().limits();
    let features: Vec<_> = bench.device.wgpu().features().iter_names().map(|(name, _)| name).collect();
    let limits = format!(
        "binding {}, buffer {}, {} invocations in a workgroup, {} workgroups in a dimension, bindings at {} B",
        size(limits.max_storage_buffer_binding_size),
        size(limits.max_buffer_size),
        limits.max_compute_invocations_per_workgroup,
        limits.max_compute_workgroups_per_dimension,
        limits.min_storage_buffer_offset_alignment,
    );
    let held = if bench.device.is_cpu() {
        "not held, as the device is a CPU".to_owned()
    } else {
        format!(
            "held: before each row copies for {} ms or more; a row is measured again, {TRIES} times at most, until the copy of {} \
             beside it is within 5 % of the run's best. Results are compared after all timing",
            WARM.as_millis(),
            size(YARDSTICK),
        )
    };
    Ok(vec![
        ("adapter", format!("{} ({:?}, {:?})", info.name, info.backend, info.device_type)),
        ("driver", format!("{} {}", info.driver, info.driver_info).trim().to_owned()),
        ("features", features.join(", ")),
        ("limits", limits),
        // `cargo xtask bench` and `cargo xtask carry` set the variable.
        ("commit", std::env::var("WGPU_CLAMP_COMMIT").unwrap_or_else(|_| "unknown".to_owned())),
        ("date", OffsetDateTime::now_utc().date().to_string()),
        ("rounds", format!("{}, order rotated; median (quartiles)", bench.rounds())),
        ("clock", clocks(bench)?),
        ("clock rule", held),
    ])
}

/// The clock in use, and the time of one copy by it and by the slope of the wall time.
fn clocks(bench: &Bench) -> Result<String> {
    let bytes = if bench.device.is_cpu() { 4 << 20 } else { bench.bytes() };
    let pair = random_pair(&bench.device, bytes)?;
    let mut work = Launch::packets(Kind::Copy, 2, bytes).work(&bench.device, &[pair]);
    let slope = slope(bench, &work)?;
    let by_clock = Stats::median_of(9, || bench.clock.sample(&bench.device, &mut work, 16))?;
    let used = if bench.clock.has_timestamps() {
        "pass timestamps"
    } else {
        "wall time of a submission less that of an empty one"
    };
    Ok(format!(
        "{used} ({}). Check: a copy of {} takes {}, by the slope of the wall over 1 to 64 dispatches {}",
        time(bench.clock.empty),
        size(bytes),
        time(by_clock),
        time(slope),
    ))
}

/// Slope of the wall time: least squares through the medians over 1, 2, 4, … 64 dispatches.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn slope(bench: &Bench, work: &Work) -> Result<f64> {
    let mut points = Vec::new();
    for repeats in (0..7).map(|power| 1_usize << power) {
        let sample = || bench.clock.wall(&bench.device, work, repeats);
        sample()?;
        points.push((repeats as f64, Stats::median_of(5, sample)?));
    }
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / n, sum.1 + point.1 / n));
    let product: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    Ok(product / square)
}
