//! The time to a first result: the time of `prepare` and of the first dispatch when nothing has been compiled before.
//!
//! Drivers and LLVM keep what they have compiled. Each sample therefore runs in a process of its own, with the
//! driver's shader cache off. The process first runs another kernel, so that a driver's one-time setup is not
//! measured.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use half::f16;
use serde::{Deserialize, Serialize};
use wgpu_clamp::{
    Clamp, Clamps, DType, Layout, Limits, Number, Operands, Plan, Precision, Rounding, Shader, View,
};

use crate::bench::{self, Bench};
use crate::case::Case;
use crate::clock::{Clock, Work, wait};
use crate::data;
use crate::device::Device;
use crate::kernels::{COPIES, Packets};
use crate::plain;
use crate::row::Unit;
use crate::stats::Stats;
use crate::table::figure;
use crate::verify;

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
    /// Whether Min is on the GPU.
    slot: bool,
    /// Whether the plain kernel can do the same, for comparison.
    plain: bool,
}

impl Job {
    fn first_clamp(&self) -> Result<Clamp> {
        let clamp = self.case.clamp;
        Ok(if self.slot { clamp.with_bounds(Number::OnGpu, clamp.max())? } else { clamp })
    }

    /// The clamps to prepare; `first` is [`first_clamp`](Self::first_clamp).
    fn clamps<'a>(&self, first: &'a Clamp) -> Clamps<'a> {
        self.case.channels.map_or_else(|| first.into(), |(axis, clamps)| Clamps::along(axis, clamps))
    }
}

/// The times of a job.
#[derive(Debug, Serialize, Deserialize)]
pub struct First {
    /// The job's name.
    pub job: String,
    /// The dtypes of source and destination.
    pub dtypes: String,
    /// The kernels that the job runs.
    pub kernels: String,
    /// The library's times, unless it failed.
    pub ours: Option<Times>,
    /// The plain kernel's times, if it can do the same.
    pub plain: Option<Times>,
    /// The error, if the job failed.
    pub error: Option<String>,
}

impl First {
    /// Our time over the plain kernel's.
    fn to_plain(&self) -> Option<f64> {
        Some(self.ours.as_ref()?.both() / self.plain.as_ref()?.both())
    }
}

/// Times in seconds.
#[derive(Debug, Serialize, Deserialize)]
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

/// Jobs that together use every kernel, with the dtypes that it is used with most.
fn jobs() -> Result<Vec<Job>> {
    let flat = Layout::packed(&[SIDE * SIDE * 4])?;
    let hwc = Layout::packed(&[SIDE, SIDE, 3])?;
    let planes = Layout::packed(&[3, SIDE, SIDE])?.permute(&[1, 2, 0])?;
    let odd_planes = Layout::packed(&[3, 191, 191])?.permute(&[1, 2, 0])?;
    let odd_pixels = Layout::packed(&[191, 191, 3])?;
    let rows = |pitch: isize| Layout::strided(&[SIDE, SIDE], &[pitch, 1], 0);
    let transposed = Layout::packed(&[SIDE, SIDE + 16])?.permute(&[1, 0])?;
    let transpose =
        |clamp| -> Result<Case> { Ok(Case::new(clamp, transposed, Layout::packed(&[SIDE + 16, SIDE])?)) };
    let plain = |dtype| data::bounds(dtype);
    let stepped = |dtype, precision| -> Result<Clamp> {
        Ok(plain(dtype)?.with_affine(1.7, -0.3)?.with_precision(precision))
    };
    let channels = |clamp: Clamp| -> Result<Vec<Clamp>> {
        [1.7, 1.8, 1.9].map(|scale| Ok(clamp.with_affine(scale, -0.3)?)).into_iter().collect()
    };
    let columns = |clamp: Clamp| -> Result<Vec<Clamp>> {
        (0..SIDE as u16).map(|n| Ok(clamp.with_affine(1.7 + f32::from(n) / 100.0, -0.3)?)).collect()
    };
    let from = |source, clamp: Clamp| -> Result<Clamp> {
        Ok(clamp.with_source(source)?.with_rounding(Rounding::NearestEven))
    };
    let each = |clamp: Clamp, src, dst| -> Result<Case> { Ok(Case::along(2, &channels(clamp)?, src, dst)) };
    let (floats, halves) = (Clamp::new(-2.0_f32, 2.2), Clamp::new(f16::from_f32(-2.0), f16::from_f32(2.2)));
    let (u8_f32, u8_f16) = (from(DType::U8, floats)?, from(DType::U8, halves)?);
    let f32_u8 = from(DType::F32, Clamp::new(5_u8, 250))?;
    let row = Layout::packed(&[1, SIDE])?.broadcast_to(&[SIDE, SIDE])?;
    let column = Layout::packed(&[SIDE, 1])?.broadcast_to(&[SIDE, SIDE])?;
    let gaps = Layout::packed(&[SIDE, SIDE, 4])?.slice(2, 0..3)?;
    let short_rows = Layout::strided(&[SIDE * SIDE, 5], &[100, 1], 0)?;
    let (fast, exact) = (Precision::Fast, Precision::Exact);
    let job = |name, case| Job { name, case, slot: false, plain: true };
    let no_plain = |name, case| Job { plain: false, ..job(name, case) };
    let f32_flat = Case::new(plain(DType::F32)?, flat, flat);
    Ok(vec![
        job("flat, clamp", f32_flat),
        job("flat, scale, bias, clamp", Case::new(stepped(DType::U8, fast)?, flat, flat)),
        job("flat, scale, bias, clamp", Case::new(stepped(DType::F16, fast)?, flat, flat)),
        job("flat, scale, bias, clamp", Case::new(u8_f32.with_affine(0.04, -2.0)?, flat, flat)),
        no_plain("flat, Exact", Case::new(stepped(DType::F32, exact)?, flat, flat)),
        no_plain("flat, Exact", Case::new(stepped(DType::F64, exact)?, flat, flat)),
        no_plain("flat, scale, bias, clamp", Case::new(stepped(DType::I64, fast)?, flat, flat)),
        Job { slot: true, ..no_plain("flat, Min on the GPU", f32_flat) },
        job("HWC, per channel", each(floats, hwc, hwc)?),
        job("HWC, per channel", each(u8_f32, hwc, hwc)?),
        no_plain("per column", Case::along(1, &columns(floats)?, rows(192)?, rows(192)?)),
        no_plain("per column", Case::along(1, &columns(f32_u8)?, rows(192)?, rows(192)?)),
        job("HWC to CHW, per channel", each(u8_f32, hwc, planes)?),
        job("HWC to CHW, per channel", each(u8_f16, hwc, planes)?),
        job("HWC to CHW, off packets, per channel", each(u8_f16, odd_pixels, odd_planes)?),
        job("CHW to HWC, per channel", each(f32_u8, planes, hwc)?),
        job("CHW to HWC, off packets, per channel", each(f32_u8, odd_planes, odd_pixels)?),
        job("transpose", transpose(plain(DType::F32)?)?),
        job("transpose", transpose(plain(DType::U8)?)?),
        job("rows, odd pitch to packed", Case::new(plain(DType::F32)?, rows(197)?, rows(192)?)),
        job("rows, odd pitch to packed", Case::new(plain(DType::U8)?, rows(197)?, rows(192)?)),
        no_plain("rows of five, far apart", Case::new(plain(DType::U8)?, short_rows, short_rows)),
        job("a row to all rows", Case::new(plain(DType::F32)?, row, rows(192)?)),
        job("a column to all columns", Case::new(plain(DType::U8)?, column, rows(192)?)),
        job("RGB into RGBA", Case::new(plain(DType::U8)?, hwc, gaps)),
        job("mirrored", Case::new(plain(DType::U8)?, hwc.flip(1)?, hwc)),
    ])
}

/// Times the jobs that were asked for until the time is over, and prints each at once. Returns the times and how many
/// jobs were asked for.
///
/// # Errors
///
/// A job has no plan. A failure on the device is stored as the job's own error.
pub fn measure(bench: &Bench) -> Result<(Vec<First>, usize)> {
    let wanted = |job: &Job| bench.options.wants(&format!("{} {}", job.name, dtypes(&job.case)));
    let jobs: Vec<_> = jobs()?.into_iter().enumerate().filter(|(_, job)| wanted(job)).collect();
    println!("Each time in a process of its own, {}.\n", caches());
    println!("{HEAD}");
    let count = jobs.len();
    let bar = bench::progress(count);
    let mut all = Vec::new();
    for (n, job) in jobs {
        if bench.time_is_over() {
            break;
        }
        bar.set_message(format!("{}, {}", job.name, dtypes(&job.case)));
        let mut first = First {
            job: job.name.to_owned(),
            dtypes: dtypes(&job.case),
            kernels: kernels(&job, bench.device.host.clamper().limits())?,
            ours: None,
            plain: None,
            error: None,
        };
        first.error = both(bench, n, &job, &mut first).err().map(|error| format!("{error:#}"));
        bar.suspend(|| println!("{}", line(&first)));
        bar.inc(1);
        all.push(first);
    }
    bar.finish_and_clear();
    Ok((all, count))
}

fn both(bench: &Bench, n: usize, job: &Job, first: &mut First) -> Result<()> {
    let times = |side: Side| {
        let samples = (0..bench.rounds()).map(|_| start(n, side));
        let (prepare, dispatch) = samples.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        anyhow::Ok(Times { prepare: Stats::of(prepare), dispatch: Stats::of(dispatch) })
    };
    first.ours = Some(times(Side::Ours)?);
    if job.plain {
        first.plain = Some(times(Side::Plain)?);
    }
    Ok(())
}

/// The kernel that a sample compiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The library's.
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
///
/// # Errors
///
/// There is no such job, the device fails, or the result is wrong.
pub fn sample(n: usize, side: Side) -> Result<()> {
    let jobs = jobs()?;
    let job =
        jobs.get(n).with_context(|| format!("there are {} jobs, so none has number {n}", jobs.len()))?;
    let device = Device::open()?;
    let clock = Clock::new(&device)?;
    let scratch = [data::buffer(&device, &[1; 4096])?, data::buffer(&device, &[0; 4096])?];
    clock.wall(&device, &Packets::new(&device, COPIES[0]).work(&device, 4096, &[scratch]), 1)?;
    let [source, dtype] = [job.case.clamp.source(), job.case.clamp.dtype()];
    let bytes = |layout: &Layout, dtype| usize::try_from(layout.required_bytes(dtype));
    let src_bytes = data::random(source, bytes(&job.case.src, source)?, 42);
    let dst_bytes = vec![0; bytes(&job.case.dst, dtype)?];
    let (src, dst) = (data::buffer(&device, &src_bytes)?, data::buffer(&device, &dst_bytes)?);
    // The case's own Min.
    let slot = data::buffer(&device, &(-4.1_f32).to_le_bytes())?;
    let after = dst.clone();
    wait(&device)?;
    let start = Instant::now();
    let work = match side {
        Side::Plain => plain::words(&job.case, &device, &[[src, dst]])?,
        Side::Ours => {
            let mut operands = Operands::new(
                View::new(&src, job.case.clamp.source(), job.case.src),
                View::new(&dst, job.case.clamp.dtype(), job.case.dst),
            );
            if job.slot {
                operands = operands.with_min(View::new(&slot, job.case.clamp.dtype(), Layout::packed(&[])?));
            }
            let prepared = device.host.clamper().prepare(job.clamps(&job.first_clamp()?), operands)?;
            Work::Pass(vec![Box::new(move |pass| prepared.record(pass))])
        }
    };
    let prepare = start.elapsed().as_secs_f64();
    let dispatch = clock.wall(&device, &work, 1)?;
    if side == Side::Ours {
        let sides = [(&job.case.src, &src_bytes), (&job.case.dst, &dst_bytes)];
        let [src, dst] = sides.map(|(layout, bytes)| verify::Side { layout, bytes });
        verify::check(job.case.clamps(), &src, &dst, &data::read(&device, &after)?[..dst_bytes.len()])?;
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

/// The kernel, as its label names it, and the entry point of each pipeline.
fn kernels(job: &Job, limits: Limits) -> Result<String> {
    let plan = Plan::new(job.clamps(&job.first_clamp()?), &job.case.src, &job.case.dst, limits)?;
    let of = |shader: Shader| {
        let kernel = shader.label.rsplit(", ").nth(1).unwrap_or_default().to_owned();
        format!("{} `{}`", kernel.trim_end_matches(" kernel"), shader.entry_point)
    };
    let mut names: Vec<_> = plan.shaders().into_iter().map(of).collect();
    if job.slot {
        // `resolve` runs before the plan's own dispatches.
        names.insert(0, "resolve `resolve`".to_owned());
    }
    Ok(names.join(", "))
}

const HEAD: &str = "\
| job | dtypes | kernels | prepare | first dispatch | both | plain kernel, both | ours ÷ plain |
| --- | --- | --- | --: | --: | --: | --: | --: |";

fn line(first: &First) -> String {
    let seconds = |seconds: Option<f64>| seconds.map_or_else(|| "–".to_owned(), |s| figure(s, Unit::Seconds));
    let (ours, plain) = (first.ours.as_ref(), first.plain.as_ref());
    let First { job, dtypes, kernels, .. } = first;
    let mut line = format!("| {job} | {dtypes} | {kernels} ");
    for time in [
        ours.map(|times| times.prepare.median),
        ours.map(|times| times.dispatch.median),
        ours.map(Times::both),
        plain.map(Times::both),
    ] {
        let _ = write!(line, "| {} ", seconds(time));
    }
    let _ = write!(
        line,
        "| {} |",
        first.to_plain().map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.1}"))
    );
    if let Some(error) = &first.error {
        let _ = write!(line, " **FAILED**: {}", error.replace('\n', " "));
    }
    line
}

/// One sentence with the range over all jobs and the method.
#[must_use]
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

/// All jobs in seconds, tab-separated.
#[must_use]
pub fn tsv(all: &[First]) -> String {
    let mut text =
        "job\tdtypes\tkernels\tprepare\tdispatch\tplain_prepare\tplain_dispatch\terror\n".to_owned();
    for first in all {
        let First { job, dtypes, kernels, ours, plain, error } = first;
        let times = |times: &Option<Times>| match times {
            Some(Times { prepare, dispatch }) => format!("{:.3e}\t{:.3e}", prepare.median, dispatch.median),
            None => "-\t-".to_owned(),
        };
        let (ours, plain) = (times(ours), times(plain));
        let error = error.as_deref().unwrap_or("-").replace(['\n', '\t'], " ");
        let _ = writeln!(text, "{job}\t{dtypes}\t{kernels}\t{ours}\t{plain}\t{error}");
    }
    text
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
