//! The time to a first result: the time of `prepare` and of the first dispatch when nothing has been compiled before.
//!
//! Drivers and LLVM keep what they have compiled. Each sample therefore runs in a process of its own, with the
//! driver's shader cache off. The process first runs another kernel, so that a driver's one-time setup is not
//! measured.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use half::f16;
use serde::Serialize;
use wgpu_clamp::{Clamp, DType, Layout, Limits, Number, Plan, Precision, Rounding, Shader};

use crate::bench::Bench;
use crate::case::Case;
use crate::clock::{Clock, Work};
use crate::data;
use crate::device::Device;
use crate::kernels::{Kind, Packets};
use crate::plain;
use crate::row::Unit;
use crate::stats::Stats;
use crate::text::{dash, figure};

/// Variables that turn shader caches off: Mesa's before version 22.1, Mesa's since then, and NVIDIA's.
const CACHES_OFF: [(&str, &str); 3] = [
    ("MESA_GLSL_CACHE_DISABLE", "true"),
    ("MESA_SHADER_CACHE_DISABLE", "true"),
    ("__GL_SHADER_DISK_CACHE", "0"),
];

/// A clamp whose first result is timed.
struct Job {
    name: &'static str,
    case: Case,
    /// Whether the plain kernel can do the same work, for comparison.
    plain: bool,
}

/// The times of a job.
#[derive(Debug, Serialize)]
pub struct First {
    pub job: String,
    pub dtypes: String,
    /// The kernels that the job runs.
    pub kernels: String,
    /// The library's times, unless it failed.
    pub ours: Option<Times>,
    /// The plain kernel's times, if it can do the same.
    pub plain: Option<Times>,
    pub error: Option<String>,
}

impl First {
    /// Our time over the plain kernel's.
    fn to_plain(&self) -> Option<f64> {
        Some(self.ours.as_ref()?.both() / self.plain.as_ref()?.both())
    }
}

/// Times in seconds.
#[derive(Debug, Serialize)]
pub struct Times {
    /// From the call until the work can be recorded: texts, modules, pipelines, buffers.
    pub prepare: Stats,
    /// From the first submission to its completion.
    pub dispatch: Stats,
}

impl Times {
    fn both(&self) -> f64 {
        self.prepare.median + self.dispatch.median
    }
}

/// Width and height of the jobs' pictures: small, so that compiling takes most of the time.
const SIDE: usize = 192;

/// Jobs that together use every kernel, each with its most common dtypes.
fn jobs() -> Result<Vec<Job>> {
    let flat = Layout::packed(&[SIDE * SIDE * 4])?;
    let hwc = Layout::packed(&[SIDE, SIDE, 3])?;
    let planes = Layout::packed(&[3, SIDE, SIDE])?.permute(&[1, 2, 0])?;
    let odd_planes = Layout::packed(&[3, 191, 191])?.permute(&[1, 2, 0])?;
    let odd_pixels = Layout::packed(&[191, 191, 3])?;
    let rows = |pitch: isize| Layout::strided(&[SIDE, SIDE], &[pitch, 1], 0);
    let (packed_rows, wide_rows) = (rows(192)?, rows(197)?);
    let transposed = Layout::packed(&[SIDE, SIDE + 16])?.permute(&[1, 0])?;
    let from_transposed = Layout::packed(&[SIDE + 16, SIDE])?;
    let row = Layout::packed(&[1, SIDE])?.broadcast_to(&[SIDE, SIDE])?;
    let column = Layout::packed(&[SIDE, 1])?.broadcast_to(&[SIDE, SIDE])?;
    let gaps = Layout::packed(&[SIDE, SIDE, 4])?.slice(2, 0..3)?;
    let short_rows = Layout::strided(&[SIDE * SIDE, 5], &[100, 1], 0)?;

    let (f32_plain, u8_plain) = (data::bounds(DType::F32), data::bounds(DType::U8));
    let stepped = |dtype| data::bounds(dtype).with_affine(1.7, -0.3);
    let exact = |dtype| -> Result<Clamp> { Ok(stepped(dtype)?.with_precision(Precision::Exact)) };
    let from = |source, clamp: Clamp| -> Result<Clamp> {
        Ok(clamp.with_source(source)?.with_rounding(Rounding::NearestEven))
    };
    let (floats, halves) = (Clamp::new(-2.0_f32, 2.2), Clamp::new(f16::from_f32(-2.0), f16::from_f32(2.2)));
    let (u8_f32, u8_f16) = (from(DType::U8, floats)?, from(DType::U8, halves)?);
    let f32_u8 = from(DType::F32, Clamp::new(5_u8, 250))?;

    let one = |clamp, src, dst| -> Result<Case> { Ok(Case::new(clamp, src, dst)) };
    let each = |clamp: Clamp, src, dst| -> Result<Case> {
        let clamps: Result<Vec<_>> =
            [1.7, 1.8, 1.9].into_iter().map(|scale| Ok(clamp.with_affine(scale, -0.3)?)).collect();
        Ok(Case::along(2, &clamps?, src, dst))
    };
    let per_column = |clamp: Clamp| -> Result<Case> {
        let scale = |n: u16| 1.7 + f32::from(n) / 100.0;
        let clamps: Result<Vec<_>> =
            (0..SIDE as u16).map(|n| Ok(clamp.with_affine(scale(n), -0.3)?)).collect();
        Ok(Case::along(1, &clamps?, packed_rows, packed_rows))
    };
    let min_on_gpu = f32_plain.with_bounds(Number::OnGpu, f32_plain.max())?;
    let min_on_gpu = Case { slots: Some(min_on_gpu), ..Case::new(f32_plain, flat, flat) };
    let jobs = [
        ("flat, clamp", true, one(f32_plain, flat, flat)),
        ("flat, scale, bias, clamp", true, one(stepped(DType::U8)?, flat, flat)),
        ("flat, scale, bias, clamp", true, one(stepped(DType::F16)?, flat, flat)),
        ("flat, scale, bias, clamp", true, one(u8_f32.with_affine(0.04, -2.0)?, flat, flat)),
        ("flat, Exact", false, one(exact(DType::F32)?, flat, flat)),
        ("flat, Exact", false, one(exact(DType::F64)?, flat, flat)),
        ("flat, scale, bias, clamp", false, one(stepped(DType::I64)?, flat, flat)),
        ("flat, Min on the GPU", false, Ok(min_on_gpu)),
        ("HWC, per channel", true, each(floats, hwc, hwc)),
        ("HWC, per channel", true, each(u8_f32, hwc, hwc)),
        ("per column", false, per_column(floats)),
        ("per column", false, per_column(f32_u8)),
        ("HWC to CHW, per channel", true, each(u8_f32, hwc, planes)),
        ("HWC to CHW, per channel", true, each(u8_f16, hwc, planes)),
        ("HWC to CHW, off packets, per channel", true, each(u8_f16, odd_pixels, odd_planes)),
        ("CHW to HWC, per channel", true, each(f32_u8, planes, hwc)),
        ("CHW to HWC, off packets, per channel", true, each(f32_u8, odd_planes, odd_pixels)),
        ("transpose", true, one(f32_plain, transposed, from_transposed)),
        ("transpose", true, one(u8_plain, transposed, from_transposed)),
        ("rows, odd pitch to packed", true, one(f32_plain, wide_rows, packed_rows)),
        ("rows, odd pitch to packed", true, one(u8_plain, wide_rows, packed_rows)),
        ("rows of five, far apart", false, one(u8_plain, short_rows, short_rows)),
        ("a row to all rows", true, one(f32_plain, row, packed_rows)),
        ("a column to all columns", true, one(u8_plain, column, packed_rows)),
        ("RGB into RGBA", true, one(u8_plain, hwc, gaps)),
        ("mirrored", true, one(u8_plain, hwc.flip(1)?, hwc)),
    ];
    jobs.into_iter().map(|(name, plain, case)| Ok(Job { name, plain, case: case? })).collect()
}

/// Times the requested jobs until the time is over. Returns the times and the number of requested jobs.
pub fn measure(bench: &Bench) -> Result<(Vec<First>, usize)> {
    let title = |(_, job): &(usize, Job)| format!("{}, {}", job.name, dtypes(&job.case));
    let mut jobs: Vec<_> = jobs()?.into_iter().enumerate().collect();
    jobs.retain(|(_, job)| bench.options.wants(&format!("{} {}", job.name, dtypes(&job.case))));
    println!("Each time in a process of its own, {}.\n\n{HEAD}", caches());
    let count = jobs.len();
    let first = |(n, job): (usize, Job)| {
        let ours = times(bench, n, Side::Ours);
        let plain = (job.plain && ours.is_ok()).then(|| times(bench, n, Side::Plain)).transpose();
        let error = ours.as_ref().err().or(plain.as_ref().err()).map(|error| format!("{error:#}"));
        Ok(First {
            job: job.name.to_owned(),
            dtypes: dtypes(&job.case),
            kernels: kernels(&job, bench.device.host.clamper().limits())?,
            ours: ours.ok(),
            plain: plain.ok().flatten(),
            error,
        })
    };
    Ok((bench.each(jobs, title, first, line)?, count))
}

fn times(bench: &Bench, n: usize, side: Side) -> Result<Times> {
    let samples = (0..bench.rounds()).map(|_| start(n, side));
    let (prepare, dispatch) = samples.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    Ok(Times { prepare: Stats::of(prepare), dispatch: Stats::of(dispatch) })
}

/// The kernel that a sample compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The library's kernel.
    Ours,
    /// The plain kernel.
    Plain,
}

/// Takes one sample in a new process: seconds of preparing and of the first dispatch.
fn start(n: usize, side: Side) -> Result<(f64, f64)> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--first-sample", &format!("{n}:{side:?}")]).envs(CACHES_OFF);
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {}", output.status, errors.trim());
    let (prepare, dispatch) = text.trim().split_once(' ').with_context(|| format!("no times: {text:?}"))?;
    Ok((prepare.parse()?, dispatch.parse()?))
}

/// Takes one sample in this process, prints both times and compares our result with the reference.
pub fn sample(n: usize, side: Side) -> Result<()> {
    let jobs = jobs()?;
    let job =
        jobs.get(n).with_context(|| format!("there are {} jobs, so none has number {n}", jobs.len()))?;
    let device = Device::open()?;
    let clock = Clock::new(&device)?;
    let scratch = [data::buffer(&device, &[1; 4096])?, data::buffer(&device, &[0; 4096])?];
    clock.wall(&device, &Packets::new(&device, Kind::Copy, 1).work(&device, 4096, &[scratch]), 1)?;
    let set = job.case.buffers(&device, 1)?;
    device.wait()?;
    let start = Instant::now();
    let work = match side {
        Side::Plain => plain::words(&job.case)?.work(&device, &set.buffers)?,
        Side::Ours => {
            let prepared = job.case.prepare(&device, &set, 0)?;
            Work::Pass(vec![Box::new(move |pass| prepared.record(pass))])
        }
    };
    let prepare = start.elapsed().as_secs_f64();
    let dispatch = clock.wall(&device, &work, 1)?;
    if side == Side::Ours {
        job.case.check(&device, &set)?;
    }
    println!("{prepare} {dispatch}");
    Ok(())
}

fn caches() -> String {
    let words: Vec<_> = CACHES_OFF.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("shader caches off by {} (other drivers may keep what a run before compiled)", words.join(", "))
}

fn dtypes(case: &Case) -> String {
    let [source, dtype] = [case.clamp.source(), case.clamp.dtype()];
    if source == dtype { dtype.to_string() } else { format!("{source} → {dtype}") }
}

/// For each pipeline, the kernel's name from the label and the entry point.
fn kernels(job: &Job, limits: Limits) -> Result<String> {
    let plan = Plan::new(job.case.asked(), &job.case.src, &job.case.dst, limits)?;
    let of = |shader: Shader| {
        let kernel = shader.label.rsplit(", ").nth(1).unwrap_or_default().to_owned();
        format!("{} `{}`", kernel.trim_end_matches(" kernel"), shader.entry_point)
    };
    let mut names: Vec<_> = plan.shaders().into_iter().map(of).collect();
    if job.case.slots.is_some() {
        // `resolve` runs before the plan's own dispatches.
        names.insert(0, "resolve `resolve`".to_owned());
    }
    Ok(names.join(", "))
}

const HEAD: &str = "\
| job | dtypes | kernels | prepare | first dispatch | both | plain kernel, both | ours ÷ plain |
| --- | --- | --- | --: | --: | --: | --: | --: |";

fn line(first: &First) -> String {
    let seconds = |seconds: Option<f64>| dash(seconds, |seconds| figure(seconds, Unit::Seconds));
    let First { job, dtypes, kernels, ours, plain, error } = first;
    let ours = ours.as_ref();
    let prepare = seconds(ours.map(|times| times.prepare.median));
    let dispatch = seconds(ours.map(|times| times.dispatch.median));
    let [both, plain] = [ours, plain.as_ref()].map(|times| seconds(times.map(Times::both)));
    let ratio = dash(first.to_plain(), |ratio| format!("{ratio:.1}"));
    let failed =
        error.as_ref().map_or_else(String::new, |error| format!(" **FAILED**: {}", error.replace('\n', " ")));
    format!("| {job} | {dtypes} | {kernels} | {prepare} | {dispatch} | {both} | {plain} | {ratio} |{failed}")
}

/// One sentence with the range over all jobs and the method.
pub fn summary(all: &[First]) -> String {
    let range = |of: fn(&First) -> Option<f64>| {
        let values: Vec<_> = all.iter().filter_map(of).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        (low, values.iter().copied().fold(0.0, f64::max))
    };
    let (fastest, slowest) = range(|first| first.ours.as_ref().map(Times::both));
    let (least, most) = range(First::to_plain);
    format!(
        "{} jobs, each in a process of its own, {}: {} to {}, {least:.1} to {most:.1} times a plain kernel.",
        all.len(),
        caches(),
        figure(fastest, Unit::Seconds),
        figure(slowest, Unit::Seconds),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_a_job() {
        let used: Vec<_> =
            jobs().unwrap().iter().map(|job| kernels(job, Limits::default()).unwrap()).collect();
        for kernel in ["block", "gather", "resolve"] {
            assert!(used.iter().any(|used| used.contains(&format!("{kernel} `"))), "{kernel}: {used:?}");
        }
    }
}
