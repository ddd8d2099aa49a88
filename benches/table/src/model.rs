//! A model of a GPU, for a machine without one: the time of each row of the table and of the sweep, predicted from what
//! the warps of its dispatches do. `data/h200.tsv` has the measured times to which the weights were fitted.

#![expect(clippy::cast_precision_loss, reason = "bytes of a row and dispatches are far below 2^53")]

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use serde::Serialize;
use wgpu_clamp::{BoundBuffer, DType, Lanes, Layout, Limits, Number, Plan, Recording, Shader};
use wgsl_sanitizer::{Binding, Counts, Dispatch, Memory, Module, Program};

use crate::bench::progress;
use crate::case::{Against, Case};
use crate::kernels::{self, Kind};
use crate::options::Options;
use crate::plain::{self, Plain};
use crate::sweep::layouts::{PAIRS, Way, ways};

/// The bytes of a tensor, unless `--size` says otherwise.
const BYTES: u64 = 64 << 20;

/// Batches of 64 invocations of a dispatch that are executed.
const BATCHES: u64 = 48;

/// Microseconds that a dispatch beyond the first costs on the H200.
const DISPATCH: f64 = 2.0;

/// Pixels of the small pictures.
const PICTURES: [(&str, usize); 2] = [("640 × 480", 640 * 480), ("1920 × 1080", 1920 * 1080)];

/// The H200's limits, as far as plans depend on them.
pub(crate) fn limits() -> Limits {
    Limits {
        max_binding_size: (1 << 31) - 4,
        binding_alignment: 32,
        f16_conversions: true,
        lanes: Lanes::InStep,
        ..Limits::default()
    }
}

/// What the warps of one or more dispatches do. Each field is a term of the model.
#[derive(Clone, Copy, Debug, Default)]
struct Work([f64; TERMS.len()]);

/// The half of a GPU that does the work of a term. The halves run at the same time, each on its own warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Memory,
    Instructions,
}

/// A term: its name, the half that does it, and the microseconds of one unit of it on the H200, fitted to the times of
/// `data/h200.tsv` at a clock of 1,980 MHz. The last two are from rows at a lower clock.
const TERMS: [(&str, Half, f64); 10] = [
    // Bytes that are loaded and stored, each once.
    ("bytes", Half::Memory, 2.65e-7),
    // Lines of 128 bytes in which a store fills a sector of 32 bytes only in part.
    ("torn stores", Half::Memory, 2.99e-5),
    // Other lines of stores.
    ("stores", Half::Memory, 1.08e-5),
    // Lines of loads.
    ("loads", Half::Memory, 6.7e-6),
    // Instructions of warps that compute.
    ("operations", Half::Instructions, 1.58e-6),
    // Warps.
    ("warps", Half::Instructions, 1.02e-4),
    // Accesses of private arrays by a computed index.
    ("indexed arrays", Half::Instructions, 5.3e-5),
    // Lines of loads of a table in storage.
    ("table", Half::Memory, 6.5e-6),
    // Addresses beyond one of a load from the uniform block.
    ("uniform addresses", Half::Memory, 2.7e-5),
    // Rounds of workgroup memory's banks, one in each clock of each of 132 multiprocessors.
    ("workgroup memory", Half::Instructions, 3.8e-6),
];

impl Work {
    /// The work of dispatches that load and store these bytes. The uniform block is at binding 0, src at 1, dst at 2, and
    /// a table in storage behind them.
    fn of(bytes: u64, counts: &[Counts]) -> Self {
        let mut work = [0.0; TERMS.len()];
        work[0] = bytes as f64;
        for Counts { warps, operations, indexed, shared, bindings } in counts {
            work[4] += operations;
            work[5] += warps;
            work[6] += indexed;
            work[9] += shared;
            for (binding, access) in bindings {
                work[1] += access.torn_lines;
                work[2] += access.whole_lines;
                match binding {
                    0 => work[8] += access.more_addresses,
                    1 | 2 => work[3] += access.load_lines,
                    _ => work[7] += access.load_lines,
                }
            }
        }
        Self(work)
    }

    /// Microseconds of each term, as if it were alone.
    fn terms(&self) -> [f64; TERMS.len()] {
        std::array::from_fn(|n| self.0[n] * TERMS[n].2)
    }

    /// The predicted time in microseconds. Terms of one half overlap little: their squares are added. The halves overlap
    /// almost wholly: their fourth powers are added.
    fn time(&self) -> f64 {
        let terms = self.terms();
        let squared = |half: Half| -> f64 {
            let of_half = TERMS.iter().zip(terms).filter(|(term, _)| term.1 == half);
            of_half.map(|(_, time)| time * time).sum()
        };
        squared(Half::Memory).hypot(squared(Half::Instructions)).sqrt()
    }

    /// The name of the largest term.
    fn largest(&self) -> &'static str {
        let terms = self.terms();
        let largest = (0..TERMS.len()).max_by(|&a, &b| terms[a].total_cmp(&terms[b]));
        TERMS[largest.unwrap_or_default()].0
    }
}

/// A row of the table or of the sweep.
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) case: Case,
    /// Whether the plain kernel takes it.
    has_plain: bool,
    pub(crate) is_small: bool,
}

/// What the model predicts for a row.
#[derive(Debug, Serialize)]
struct Prediction {
    row: String,
    /// Microseconds.
    ours: f64,
    copy: f64,
    plain: Option<f64>,
    largest: &'static str,
    dispatches: usize,
    plan: String,
    #[serde(skip)]
    is_small: bool,
}

impl Prediction {
    fn to_copy(&self) -> f64 {
        self.ours / self.copy
    }

    fn to_plain(&self) -> Option<f64> {
        Some(self.ours / self.plain?)
    }

    fn line(&self) -> String {
        let plain = self.to_plain().map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
        let Self { row, ours, largest, dispatches, .. } = self;
        let copy = self.to_copy();
        format!("| {row} | {ours:.1} | {copy:.2} | {plain} | {largest} | {dispatches} |")
    }
}

/// Predicts the requested rows, and prints them.
pub fn run(options: &Options) -> Result<()> {
    let copy = copy()?;
    let rows = in_parallel(&jobs(options)?, |job| predict(job, copy))?;
    println!("| row | predicted µs | of a copy | of the plain kernel | largest term | dispatches |");
    println!("| --- | ---: | ---: | ---: | --- | ---: |");
    for row in &rows {
        println!("{}", row.line());
    }
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_string_pretty(&rows)?)?;
    }
    println!("\n{}", summary(&rows));
    Ok(())
}

/// What `make` makes of each job, in their order. All cores work.
pub(crate) fn in_parallel<T: Send>(jobs: &[Job], make: impl Fn(&Job) -> Result<T> + Sync) -> Result<Vec<T>> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let bar = progress(jobs.len());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(n) else { break };
                    let row = make(job).with_context(|| job.name.clone());
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((n, row));
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, row)| row).collect()
}

/// The last lines: groups of rows, and all large ones.
fn summary(rows: &[Prediction]) -> String {
    let mut text = String::new();
    let (small, large): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_small);
    let several = small.iter().filter(|row| row.dispatches > 1).count();
    let _ = writeln!(text, "small pictures: {} rows, {several} with more than one dispatch", small.len());
    for (name, is_sweep) in [("table", false), ("sweep", true)] {
        let of: Vec<_> =
            large.iter().filter(|row| row.row.starts_with("layouts: ") == is_sweep).copied().collect();
        let above = |ratio: f64| of.iter().filter(|row| row.to_copy() > ratio).count();
        let _ =
            writeln!(text, "{name}: {}, above 1.5: {}, above 2: {}", figures(&of), above(1.5), above(2.0));
    }
    let _ = write!(text, "model: {}", figures(&large));
    text
}

fn figures(rows: &[&Prediction]) -> String {
    let mut ratios: Vec<_> = rows.iter().map(|row| row.to_copy()).collect();
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or_default();
    let worst = ratios.last().copied().unwrap_or_default();
    let slower = rows.iter().filter(|row| row.to_plain().is_some_and(|ratio| ratio > 1.0)).count();
    format!(
        "{} rows, median {median:.2}, worst {worst:.2}, slower than the plain kernel {slower}",
        rows.len()
    )
}

/// The requested rows: of the table, of the sweep, and small pictures in the sweep's layouts.
pub(crate) fn jobs(options: &Options) -> Result<Vec<Job>> {
    let bytes = usize::try_from(options.size.unwrap_or(BYTES))?;
    let mut jobs = Vec::new();
    for row in crate::cases(false, bytes)? {
        let Some(case) = row.case else { continue };
        let has_plain = matches!(case.rival, Against::Plain | Against::PlainAndCopy);
        let name = format!("{}: {} {}", row.section, row.name, row.dtype.map_or("", DType::name));
        jobs.push(Job { name, case, has_plain, is_small: false });
    }
    for (n, way) in ways(PAIRS[0], 1 << 20)?.into_iter().enumerate() {
        for pair in PAIRS {
            let elements = |bytes: usize| 2 * bytes / (pair[0].size() + pair[1].size());
            let sizes = [(String::new(), elements(bytes), false)]
                .into_iter()
                .chain(PICTURES.map(|(name, pixels)| (format!(", {name}"), 3 * pixels, true)));
            for (size, elements, is_small) in sizes {
                let case = Way::nth(n, pair, elements, limits().max_binding_size)?.case(pair)?;
                let name = format!("layouts: {}, {} → {}{size}", way.name, pair[0], pair[1]);
                jobs.push(Job { name, case, has_plain: !is_small, is_small });
            }
        }
    }
    jobs.retain(|job| options.wants(&job.name));
    // Names are keys; the table has two rows of one name where clamps differ only in their numbers.
    let mut met = std::collections::HashMap::new();
    for job in &mut jobs {
        let count = met.entry(job.name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            let _ = write!(job.name, " ({count})");
        }
    }
    Ok(jobs)
}

/// The predicted microseconds per byte of the fastest copy kernel.
fn copy() -> Result<f64> {
    let mut least = f64::INFINITY;
    for packets in [1, 2, 4] {
        let program = Module::parse(&kernels::text(Kind::Copy, packets))?.program("main", &[])?;
        let buffers = [(); 2].map(|()| Memory::new(BYTES, 0x3f));
        let bindings =
            (0..2).map(|n| Binding { group: 0, binding: n as u32, buffer: n, offset: 0, size: BYTES });
        let [x, y] = kernels::grid(BYTES / 16 / u64::from(256 * packets));
        let dispatch = Dispatch { program: &program, grid: [x, y, 1], bindings: bindings.collect() };
        let mut counts = wgsl_sanitizer::counts(&[dispatch], &buffers, BATCHES);
        for (binding, _) in &mut counts[0].bindings {
            // A copy has no uniform block: src is at 0 and dst at 1.
            *binding += 1;
        }
        least = least.min(Work::of(2 * BYTES, &counts).time() / BYTES as f64);
    }
    Ok(least)
}

fn predict(job: &Job, copy: f64) -> Result<Prediction> {
    let case = &job.case;
    let (src, dst) = (&case.src, &case.dst);
    let planned = if case.in_place {
        Plan::in_one_buffer(case.asked(), src, dst, limits())?
    } else {
        Plan::new(case.asked(), src, dst, limits())?
    };
    let recording = planned.record(case.asked(), slots(case)?)?;
    let (ours, dispatches) = (work(case, &recording)?, recording.dispatches.len());
    let theirs = job.has_plain.then(|| plain_counts(case)).transpose()?;
    Ok(Prediction {
        row: job.name.clone(),
        ours: ours.time() + further(dispatches),
        copy: copy * case.bytes() as f64,
        plain: theirs.map(|counts| Work::of(2 * case.bytes(), &counts).time()),
        largest: ours.largest(),
        dispatches,
        plan: planned.to_string(),
        is_small: job.is_small,
    })
}

/// The slots of a case's numbers on the GPU, each in a buffer of its own.
pub(crate) fn slots(case: &Case) -> Result<[Option<Layout>; 4]> {
    let asked = case.asked();
    let shape: &[usize] = match asked.axis() {
        Some(axis) if asked.has_slots_along() => &[case.dst.shape()[axis]],
        _ => &[],
    };
    let (clamp, layout) = (asked.as_slice()[0], Layout::packed(shape)?);
    let numbers = [clamp.min(), clamp.max(), clamp.scale(), clamp.bias()];
    Ok(numbers.map(|number| (number == Number::OnGpu).then_some(layout)))
}

/// The predicted microseconds of a plan's dispatches.
pub(crate) fn time(case: &Case, recording: &Recording) -> Result<f64> {
    Ok(work(case, recording)?.time() + further(recording.dispatches.len()))
}

/// The work of a plan's dispatches.
fn work(case: &Case, recording: &Recording) -> Result<Work> {
    Ok(Work::of(2 * case.bytes(), &counts(case, recording)?))
}

/// The microseconds of dispatches beyond the first.
fn further(dispatches: usize) -> f64 {
    DISPATCH * dispatches.saturating_sub(1) as f64
}

/// The counts of a plan's dispatches.
fn counts(case: &Case, recording: &Recording) -> Result<Vec<Counts>> {
    let program = |one: &Shader| -> Result<Program> {
        Ok(Module::parse(&one.wgsl)?.program(one.entry_point, &one.constants)?)
    };
    let programs = recording.shaders.iter().map(program).collect::<Result<Vec<_>>>()?;
    // src, dst, four slots, then the crate's own buffers.
    let bind = |one: &wgpu_clamp::Binding| Binding {
        group: 0,
        binding: one.binding,
        buffer: match one.buffer {
            BoundBuffer::Src => 0,
            BoundBuffer::Dst => 1,
            BoundBuffer::Slot(number) => 2 + number,
            BoundBuffer::Own(n) => 6 + n,
            other => unreachable!("{other:?} is new"),
        },
        offset: one.offset,
        size: one.size,
    };
    let dispatch = |one: &wgpu_clamp::Dispatch| Dispatch {
        program: &programs[one.shader],
        grid: [one.grid[0], one.grid[1], 1],
        bindings: one.bindings.iter().map(bind).collect(),
    };
    let dispatches: Vec<_> = recording.dispatches.iter().map(dispatch).collect();
    let [src, dst] = case.sizes()?.map(|size| Memory::new(size.next_multiple_of(16) as u64, 0x3f));
    let slots = (0..4).map(|_| Memory::new(1 << 16, 0x3f));
    let own = recording.buffers.iter().map(|bytes| Memory::from_bytes(bytes));
    let buffers: Vec<_> = [src, dst].into_iter().chain(slots).chain(own).collect();
    Ok(wgsl_sanitizer::counts(&dispatches, &buffers, BATCHES))
}

/// The counts of the plain kernel.
fn plain_counts(case: &Case) -> Result<Vec<Counts>> {
    let kernel = if case.rival == Against::Plain { plain::picture } else { plain::words };
    let Plain { source, constants, params, table, grid } = kernel(case)?;
    let program = Module::parse(source)?.program("main", &constants)?;
    let [src, dst] = case.sizes()?.map(|size| Memory::new(size.next_multiple_of(4) as u64, 0x3f));
    let filled = |bytes: &[u8]| {
        let mut memory = Memory::new(bytes.len() as u64, 0);
        memory.write(0, bytes);
        memory
    };
    let [params, table]: [&[u8]; 2] = [bytemuck::cast_slice(&params), bytemuck::cast_slice(&table)];
    let buffers = [filled(params), src, dst, filled(table)];
    let bind =
        |n: usize| Binding { group: 0, binding: n as u32, buffer: n, offset: 0, size: buffers[n].size() };
    let dispatch =
        Dispatch { program: &program, grid: [grid[0], grid[1], 1], bindings: (0..4).map(bind).collect() };
    Ok(wgsl_sanitizer::counts(&[dispatch], &buffers, BATCHES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::rank_correlation;

    /// Name, measured microseconds and counts of each line of `data/h200.tsv`.
    fn measured() -> Vec<(&'static str, f64, Work)> {
        let text = include_str!("../data/h200.tsv");
        let line = |line: &'static str| {
            let mut parts = line.split('\t');
            let (name, mut numbers) = (parts.next().unwrap(), parts.map(|part| part.parse::<f64>().unwrap()));
            (name, numbers.next().unwrap(), Work(std::array::from_fn(|_| numbers.next().unwrap())))
        };
        text.lines().skip(1).map(line).collect()
    }

    #[test]
    fn the_weights_explain_the_measured_times() {
        let rows = measured();
        let times: Vec<_> = rows.iter().map(|(_, time, _)| *time).collect();
        let predicted: Vec<_> = rows.iter().map(|(.., work)| work.time()).collect();
        let rank = rank_correlation(&times, &predicted);
        let mut errors: Vec<_> = times.iter().zip(&predicted).map(|(a, b)| (b / a).ln().abs()).collect();
        errors.sort_by(f64::total_cmp);
        let median = errors[errors.len() / 2];
        println!("{} rows, rank correlation {rank:.3}, median error {median:.3}", rows.len());
        assert!(rank >= 0.94 && median <= 0.05, "{rank} {median}");
    }

    #[test]
    fn the_largest_term_has_the_largest_share() {
        let mut work = Work::default();
        work.0[0] = 1e8;
        assert_eq!(work.largest(), "bytes");
        work.0[1] = 1e6;
        assert_eq!(work.largest(), "torn stores");
        assert!((work.time() - 26.5_f64.hypot(29.9)).abs() < 1e-9);
        // 158 µs of operations beside them.
        work.0[4] = 1e8;
        assert_eq!(work.largest(), "operations");
        assert!((work.time() - (26.5_f64.hypot(29.9).powi(4) + 158.0_f64.powi(4)).powf(0.25)).abs() < 1e-9);
    }

    #[test]
    fn a_copy_is_at_the_speed_of_the_h200() {
        let time = copy().unwrap() * BYTES as f64;
        assert!((31.0..37.0).contains(&time), "{time} µs for 64 MiB; 33.7 were measured");
    }

    #[test]
    fn rows_are_predicted_beside_a_copy_and_the_plain_kernel() {
        let options = Options {
            only: Some("HWC to CHW, 3 channels, one clamp, u8 → f32".to_owned()),
            ..Options::default()
        };
        let jobs = jobs(&options).unwrap();
        assert_eq!(jobs.len(), 3);
        let prediction = predict(&jobs[0], copy().unwrap()).unwrap();
        assert!(prediction.to_copy() > 0.9 && prediction.to_plain().unwrap() < 1.5, "{prediction:?}");
        let text = summary(&[prediction]);
        assert!(text.lines().last().unwrap().starts_with("model: 1 rows, median "), "{text}");
    }
}
