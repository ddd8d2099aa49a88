//! The lines above the table: the device, the driver, the commit, the date and the clock.

use anyhow::Result;
use time::OffsetDateTime;

use crate::bench::{Bench, random_pair};
use crate::clock::Work;
use crate::kernels::{Kernels, Kind};
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
    Ok(vec![
        ("adapter", format!("{} ({:?}, {:?})", info.name, info.backend, info.device_type)),
        ("driver", format!("{} {}", info.driver, info.driver_info).trim().to_owned()),
        ("features", features.join(", ")),
        ("limits", limits),
        // `cargo xtask bench` and `cargo xtask carry` set the variable.
        ("commit", std::env::var("WGPU_CLAMP_COMMIT").unwrap_or_else(|_| "unknown".to_owned())),
        ("date", OffsetDateTime::now_utc().date().to_string()),
        ("rounds", format!("{}, order rotated; median (quartiles)", bench.rounds())),
        ("clock", clock(bench)?),
    ])
}

/// The clock in use, and the time of one copy by it and by the slope of the wall time.
fn clock(bench: &Bench) -> Result<String> {
    let device = &bench.device;
    let bytes = if device.is_cpu() { 4 << 20 } else { bench.bytes() };
    let copy = || {
        let pair = random_pair(device, bytes)?;
        anyhow::Ok(Kernels::packets(Kind::Copy, 2, bytes).dispatches(device, &[pair]))
    };
    let (copies, mut work) = (copy()?, Work::Pass(copy()?));
    let by_clock = Stats::median_of(9, || bench.clock.sample(device, &mut work, 16))?;
    let wall = |repeats| Stats::median_of(9, || bench.clock.wall(device, &copies, repeats));
    let slope = (wall(64)? - wall(1)?) / 63.0;
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
