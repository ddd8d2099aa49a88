//! The lines above the table: the device, the driver, the commit, the date and the clock.

use std::fmt::Write as _;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use wgpu_clamp::wgpu;

use crate::bench::Bench;
use crate::clock::{Method, Work};
use crate::kernels::{COPIES, Packets};
use crate::row::Unit;
use crate::stats::Stats;
use crate::table::{figure, size, spread};

/// The lines above the table.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Head {
    /// Name and value of each line.
    pub lines: Vec<(String, String)>,
}

impl Head {
    /// Describes the device; this takes a moment, because it times copies.
    ///
    /// # Errors
    ///
    /// The device is lost.
    pub fn of(bench: &Bench) -> Result<Self> {
        let info = &bench.device.info;
        let limits = bench.device.wgpu().limits();
        let kind = format!("{:?}, {:?}", info.backend, info.device_type);
        let copies: Vec<_> = bench
            .copy_medians(bench.bytes())?
            .iter()
            .map(|(name, stats)| format!("{name} {}", spread(stats, Unit::Seconds)))
            .collect();
        let lines = vec![
            ("adapter", format!("{} ({kind})", info.name)),
            ("driver", format!("{} {}", info.driver, info.driver_info).trim().to_owned()),
            ("features", features(bench)),
            (
                "limits",
                format!(
                    "binding {}, buffer {}, {} invocations in a workgroup, {} workgroups in a dimension, bindings at {} B",
                    size(limits.max_storage_buffer_binding_size),
                    size(limits.max_buffer_size),
                    limits.max_compute_invocations_per_workgroup,
                    limits.max_compute_workgroups_per_dimension,
                    limits.min_storage_buffer_offset_alignment,
                ),
            ),
            ("commit", commit()),
            ("date", date(SystemTime::now())),
            ("rounds", format!("{}, order rotated; median (quartiles)", bench.rounds())),
            ("copies", format!("of {}: {}", size(bench.bytes()), copies.join(", "))),
            ("clock", clocks(bench)?),
        ];
        Ok(Self { lines: lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect() })
    }

    /// The value of a line, empty if there is no such line.
    fn line(&self, name: &str) -> &str {
        self.lines.iter().find(|(line, _)| line == name).map_or("", |(_, value)| value)
    }

    /// The adapter, its driver, the date and the commit in one line.
    #[must_use]
    pub fn title(&self) -> String {
        ["adapter", "driver", "date", "commit"].map(|name| self.line(name)).join(", ")
    }

    /// The adapter's name and API.
    #[must_use]
    pub fn adapter(&self) -> &str {
        self.line("adapter")
    }

    /// The adapter and its API as a part of a file's name: `nvidia-h100-vulkan`.
    #[must_use]
    pub fn slug(&self) -> String {
        let adapter = self.line("adapter");
        let name = adapter.split(" (").next().unwrap_or_default();
        let api = adapter.rsplit('(').next().and_then(|kind| kind.split(',').next()).unwrap_or_default();
        let words = format!("{name} {api}").to_lowercase();
        let words =
            words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-")
    }

    /// The lines as comments above a table of tab-separated values.
    #[must_use]
    pub fn tsv(&self) -> String {
        self.markdown().lines().map(|line| line.replacen('-', "#", 1) + "\n").collect()
    }

    /// The lines as a Markdown list.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.lines {
            let _ = writeln!(text, "- {name}: {value}");
        }
        text
    }
}

/// Names of the device's features.
fn features(bench: &Bench) -> String {
    let names: Vec<_> = bench.device.wgpu().features().iter_names().map(|(name, _)| name).collect();
    names.join(", ")
}

/// The clock in use, and the time of one copy by every available method.
fn clocks(bench: &Bench) -> Result<String> {
    let bytes = if bench.device.is_cpu() { 4 << 20 } else { bench.bytes() };
    let kernel = Packets::new(&bench.device, COPIES[1]);
    let pairs = [bench.scratch(bytes)?];
    let work = kernel.work(&bench.device, bytes, &pairs);
    let used = match bench.clock.method {
        Method::Timestamps => "pass timestamps",
        Method::Wall => "wall time of a submission less that of an empty one",
    };
    let empty = figure(bench.clock.empty, Unit::Seconds);
    let slope = slope(bench, &work)?;
    let wall = of(bench, &work, Method::Wall, 16)?;
    let mut text = format!(
        "{used} ({empty}). Check, a copy of {}: slope of the wall over 1 to 64 dispatches {}, wall {}",
        size(bytes),
        figure(slope, Unit::Seconds),
        figure(wall, Unit::Seconds),
    );
    if bench.device.has_timestamps() {
        let one = of(bench, &work, Method::Timestamps, 1)?;
        let many = of(bench, &work, Method::Timestamps, 16)?;
        let _ = write!(
            text,
            ", timestamps {} (16 in a pass) and {} (one)",
            figure(many, Unit::Seconds),
            figure(one, Unit::Seconds)
        );
    }
    Ok(text)
}

fn of(bench: &Bench, work: &Work, method: Method, repeats: usize) -> Result<f64> {
    bench.clock.with(method, &bench.device, work, repeats)?;
    let samples: Result<Vec<_>> =
        (0..9).map(|_| bench.clock.with(method, &bench.device, work, repeats)).collect();
    Ok(Stats::of(samples?).median)
}

/// Slope of the wall time: least squares through the medians over 1, 2, 4, … 64 dispatches.
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn slope(bench: &Bench, work: &Work) -> Result<f64> {
    let mut points = Vec::new();
    for repeats in (0..7).map(|power| 1_usize << power) {
        bench.clock.wall(&bench.device, work, repeats)?;
        let samples: Result<Vec<_>> =
            (0..5).map(|_| bench.clock.wall(&bench.device, work, repeats)).collect();
        points.push((repeats as f64, Stats::of(samples?).median));
    }
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / n, sum.1 + point.1 / n));
    let product: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let square: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    Ok(product / square)
}

/// The commit from `WGPU_CLAMP_COMMIT`, or from git.
fn commit() -> String {
    std::env::var("WGPU_CLAMP_COMMIT").ok().filter(|commit| !commit.is_empty()).unwrap_or_else(|| {
        let output = Command::new("git").args(["describe", "--always", "--dirty"]).output();
        output.ok().filter(|output| output.status.success()).map_or_else(
            || "unknown".to_owned(),
            |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        )
    })
}

/// The date in UTC, by Howard Hinnant's `civil_from_days`.
fn date(now: SystemTime) -> String {
    let days = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400) + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{}-{month:02}-{day:02}", era * 400 + year_of_era + carry)
}

impl Bench {
    /// A new pair of buffers with random bytes.
    fn scratch(&self, bytes: u64) -> Result<[wgpu::Buffer; 2]> {
        let random = crate::data::random(wgpu_clamp::DType::U64, usize::try_from(bytes)?, 2);
        Ok([crate::data::buffer(&self.device, &random)?, crate::data::buffer(&self.device, &random)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn files_are_named_by_adapter_and_api() {
        for (adapter, slug) in [
            ("llvmpipe (LLVM 15.0.6, 256 bits) (Vulkan, Cpu)", "llvmpipe-vulkan"),
            ("NVIDIA H100 80GB HBM3 (Dx12, DiscreteGpu)", "nvidia-h100-80gb-hbm3-dx12"),
            ("", ""),
        ] {
            let head = Head { lines: vec![("adapter".to_owned(), adapter.to_owned())] };
            assert_eq!(head.slug(), slug);
        }
    }

    #[test]
    fn days_of_the_calendar() {
        for (days, text) in [(0, "1970-01-01"), (11_016, "2000-02-29"), (20_454, "2026-01-01")] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(days * 86_400)), text);
        }
    }
}
