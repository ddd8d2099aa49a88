//! The lines above the table: the device, the driver, the commit, the date and the clock.

use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;
use time::OffsetDateTime;
use wgpu_clamp::DType;

use crate::bench::{Bench, WARM, YARDSTICK};
use crate::clock::{Method, TRIES, Work};
use crate::data::Content;
use crate::kernels::{Kind, Packets};
use crate::row::Unit::Seconds;
use crate::stats::Stats;
use crate::text::{figure, size, spread};

/// The lines above the table.
#[derive(Debug, Default, Serialize)]
pub struct Head {
    /// Name and value of each line.
    pub lines: Vec<(String, String)>,
}

impl Head {
    /// Describes the device; this takes a moment, because it times copies.
    pub fn of(bench: &Bench) -> Result<Self> {
        let info = &bench.device.info;
        let limits = bench.device.wgpu().limits();
        let features = bench.device.wgpu().features();
        let features: Vec<_> = features.iter_names().map(|(name, _)| name).collect();
        let limits = [
            format!("binding {}", size(limits.max_storage_buffer_binding_size)),
            format!("buffer {}", size(limits.max_buffer_size)),
            format!("{} invocations in a workgroup", limits.max_compute_invocations_per_workgroup),
            format!("{} workgroups in a dimension", limits.max_compute_workgroups_per_dimension),
            format!("bindings at {} B", limits.min_storage_buffer_offset_alignment),
        ];
        let (names, works): (Vec<_>, Vec<_>) =
            bench.all_copies(bench.bytes())?.into_iter().map(|copy| (copy.name, copy.work)).unzip();
        let copies: Vec<_> = names
            .iter()
            .zip(bench.take_turns(works)?.1)
            .map(|(name, stats)| format!("{name} {}", spread(&stats, Seconds)))
            .collect();
        let lines = [
            ("adapter", format!("{} ({:?}, {:?})", info.name, info.backend, info.device_type)),
            ("driver", format!("{} {}", info.driver, info.driver_info).trim().to_owned()),
            ("features", features.join(", ")),
            ("limits", limits.join(", ")),
            // `cargo xtask bench` and `cargo xtask carry` set the variable.
            ("commit", std::env::var("WGPU_CLAMP_COMMIT").unwrap_or_else(|_| "unknown".to_owned())),
            ("date", OffsetDateTime::now_utc().date().to_string()),
            ("rounds", format!("{}, order rotated; median (quartiles)", bench.rounds())),
            ("copies", format!("of {}: {}", size(bench.bytes()), copies.join(", "))),
            ("clock", clocks(bench)?),
            ("clock rule", rule(bench)),
        ];
        Ok(Self { lines: lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect() })
    }

    /// The value of a line, empty if there is no such line.
    fn line(&self, name: &str) -> &str {
        self.lines.iter().find(|(line, _)| line == name).map_or("", |(_, value)| value)
    }

    /// The adapter, its driver, the date and the commit in one line.
    pub fn title(&self) -> String {
        ["adapter", "driver", "date", "commit"].map(|name| self.line(name)).join(", ")
    }

    /// The lines as a Markdown list.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.lines {
            let _ = writeln!(text, "- {name}: {value}");
        }
        text
    }
}

/// The clock in use, and the time of one copy by every available method.
fn clocks(bench: &Bench) -> Result<String> {
    let bytes = if bench.device.is_cpu() { 4 << 20 } else { bench.bytes() };
    let buffer = || Content::Random(DType::U64).buffer(&bench.device, usize::try_from(bytes)?);
    let work =
        Packets::new(&bench.device, Kind::Copy, 2).work(&bench.device, bytes, &[[buffer()?, buffer()?]]);
    let used = match bench.clock.method {
        Method::Timestamps => "pass timestamps",
        Method::Wall => "wall time of a submission less that of an empty one",
    };
    let time = |method, repeats| -> Result<String> {
        let sample = || bench.clock.with(method, &bench.device, &work, repeats);
        sample()?;
        Ok(figure(Stats::median_of(9, sample)?, Seconds))
    };
    let mut text = format!(
        "{used} ({}). Check, a copy of {}: slope of the wall over 1 to 64 dispatches {}, wall {}",
        figure(bench.clock.empty, Seconds),
        size(bytes),
        figure(slope(bench, &work)?, Seconds),
        time(Method::Wall, 16)?,
    );
    if bench.device.has_timestamps() {
        let (many, one) = (time(Method::Timestamps, 16)?, time(Method::Timestamps, 1)?);
        let _ = write!(text, ", timestamps {many} (16 in a pass) and {one} (one)");
    }
    Ok(text)
}

/// How the clock is held.
fn rule(bench: &Bench) -> String {
    if bench.device.is_cpu() {
        return "not held, as the device is a CPU".to_owned();
    }
    format!(
        "held: before each row copies for {} ms or more; a row is measured again, {TRIES} times at most, until the copy of \
         {} beside it is within 5 % of the run's best. Results are compared after all timing",
        WARM.as_millis(),
        size(YARDSTICK),
    )
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
