//! A model of a GPU, for a machine without one: the time of each row of the table and of the layouts, predicted from what
//! the warps of its dispatches do. `data/h200.tsv` has the measured times to which the weights were fitted.

#![expect(clippy::cast_precision_loss, reason = "bytes of a row and dispatches are far below 2^53")]

use anyhow::{Context, Result};
use indicatif::ParallelProgressIterator as _;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde::Serialize;
use wgpu_clamp::Limits;
use wgsl_sanitizer::{Counts, Dispatch, Memory, Module};

use crate::case::Case;
use crate::cases::{self, LAYOUTS};
use crate::kernels::{Kernels, Kind, Launch};
use crate::options::Options;
use crate::plain::plain;
use crate::table::dash;

/// The bytes of a tensor, unless `--size` says otherwise.
pub(crate) const BYTES: u64 = 64 << 20;

/// Batches of 64 invocations of a dispatch that are executed.
const BATCHES: u64 = 48;

/// Microseconds that a dispatch beyond the first costs on the H200.
const DISPATCH: f64 = 2.0;

/// Sections of small pictures, and their pixels.
const PICTURES: [(&str, usize); 2] =
    [("layouts of 640 × 480", 640 * 480), ("layouts of 1920 × 1080", 1920 * 1080)];

/// The H200's limits, as far as plans depend on them.
pub(crate) fn limits() -> Limits {
    Limits::default().with(|limits| {
        limits.max_binding_size = (1 << 31) - 4;
        limits.binding_alignment = 32;
        limits.f16_conversions = true;
    })
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

/// A term: its name, the half that does it, and the microseconds of one unit of it on the H200 at a clock of 1,980 MHz.
/// `data/fit.py` fits the first [`FITTED`] to the times of `data/h200.tsv`. The other terms have few rows there: those of
/// tables and uniform addresses are from rows at a lower clock.
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

/// The first terms, whose weights a fit finds.
#[cfg(test)]
const FITTED: usize = 6;

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

    /// The predicted time in microseconds.
    fn time(&self) -> f64 {
        Self::time_of(self.terms())
    }

    /// The microseconds of these terms together. Terms of one half overlap little: their squares are added. The halves
    /// overlap almost wholly: their fourth powers are added.
    fn time_of(terms: [f64; TERMS.len()]) -> f64 {
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

/// What the model predicts for a row.
#[derive(Debug, Serialize)]
struct Prediction {
    row: String,
    section: String,
    /// Microseconds.
    ours: f64,
    copy: f64,
    plain: Option<f64>,
    largest: &'static str,
    dispatches: usize,
    plan: String,
}

impl Prediction {
    fn to_copy(&self) -> f64 {
        self.ours / self.copy
    }

    fn to_plain(&self) -> Option<f64> {
        Some(self.ours / self.plain?)
    }

    fn is_small(&self) -> bool {
        PICTURES.iter().any(|(section, _)| *section == self.section)
    }

    fn line(&self) -> String {
        let Self { row, ours, largest, dispatches, .. } = self;
        let (copy, plain) = (self.to_copy(), dash(self.to_plain(), |ratio| format!("{ratio:.2}")));
        format!("| {row} | {ours:.1} | {copy:.2} | {plain} | {largest} | {dispatches} |")
    }
}

/// Predicts the requested rows, and prints them.
pub fn run(options: &Options) -> Result<()> {
    let (copy, bytes) = (copy()?, options.bytes().unwrap_or(BYTES));
    let mut cases = large(options, bytes)?;
    for (section, pixels) in PICTURES {
        let pictures = cases::cases(usize::try_from(bytes)?, Some(3 * pixels), limits().max_binding_size)?;
        let layouts = pictures.into_iter().filter(|case| case.section == LAYOUTS);
        cases.extend(layouts.map(|case| Case { section: section.to_owned(), ..case }));
    }
    cases.retain(|case| options.wants(&case.title()));
    let rows = in_parallel(&cases, |case| predict(case, copy))?;
    println!("| row | predicted µs | of a copy | of the plain kernel | largest term | dispatches |");
    println!("| --- | ---: | ---: | ---: | --- | ---: |");
    for row in &rows {
        println!("{}", row.line());
    }
    options.write(&rows)?;
    println!("\n{}", summary(&rows));
    Ok(())
}

/// The requested rows, of tensors of about `bytes` bytes.
pub(crate) fn large(options: &Options, bytes: u64) -> Result<Vec<Case>> {
    let mut cases = cases::cases(usize::try_from(bytes)?, None, limits().max_binding_size)?;
    cases.retain(|case| options.wants(&case.title()));
    Ok(cases)
}

/// What `make` makes of each case, in their order. All cores work.
pub(crate) fn in_parallel<T: Send>(
    cases: &[Case],
    make: impl Fn(&Case) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let make = |case: &Case| make(case).with_context(|| case.title());
    cases.par_iter().progress_count(cases.len() as u64).map(make).collect()
}

/// The last lines: groups of rows, and all large ones.
fn summary(rows: &[Prediction]) -> String {
    let (small, large): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_small());
    let several = small.iter().filter(|row| row.dispatches > 1).count();
    let (layouts, table): (Vec<_>, Vec<_>) = large.iter().copied().partition(|row| row.section == LAYOUTS);
    let of = |rows: &[&Prediction]| {
        let above = |ratio: f64| rows.iter().filter(|row| row.to_copy() > ratio).count();
        format!("{}, above 1.5: {}, above 2: {}", figures(rows), above(1.5), above(2.0))
    };
    format!(
        "small pictures: {} rows, {several} with more than one dispatch\ntable: {}\nlayouts: {}\nmodel: {}",
        small.len(),
        of(&table),
        of(&layouts),
        figures(&large)
    )
}

fn figures(rows: &[&Prediction]) -> String {
    let mut ratios: Vec<_> = rows.iter().map(|row| row.to_copy()).collect();
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or_default();
    let worst = ratios.last().copied().unwrap_or_default();
    let slower = rows.iter().filter(|row| row.to_plain().is_some_and(|ratio| ratio > 1.0)).count();
    let count = rows.len();
    format!("{count} rows, median {median:.2}, worst {worst:.2}, slower than the plain kernel {slower}")
}

/// The predicted microseconds per byte of the fastest copy kernel.
fn copy() -> Result<f64> {
    let size = usize::try_from(BYTES)?;
    let time = |packets| Ok(work(&Kernels::packets(Kind::Copy, packets, BYTES), [size; 2], 0, BYTES)?.time());
    let times = [1, 2, 4].map(time).into_iter().collect::<Result<Vec<_>>>()?;
    Ok(times.into_iter().fold(f64::INFINITY, f64::min) / BYTES as f64)
}

fn predict(case: &Case, copy: f64) -> Result<Prediction> {
    let plan = case.plan(limits())?;
    let slot = case.slots.map(|_| case.slot()).transpose()?;
    let ours = plan.recording(case.asked(), [None, None, slot, slot])?.into();
    let work = of_case(case, &ours)?;
    Ok(Prediction {
        row: case.title(),
        section: case.section.clone(),
        ours: work.time() + further(&ours),
        copy: copy * case.bytes() as f64,
        plain: plain(case).map(|theirs| time(case, &theirs)).transpose()?,
        largest: work.largest(),
        dispatches: ours.launches.len(),
        plan: plan.to_string(),
    })
}

/// The predicted microseconds of kernels that do what a case asks for.
pub(crate) fn time(case: &Case, kernels: &Kernels) -> Result<f64> {
    Ok(of_case(case, kernels)?.time() + further(kernels))
}

/// The microseconds of dispatches beyond the first.
fn further(kernels: &Kernels) -> f64 {
    DISPATCH * kernels.launches.len().saturating_sub(1) as f64
}

fn of_case(case: &Case, kernels: &Kernels) -> Result<Work> {
    work(kernels, case.sizes()?, case.clamps.len(), case.bytes())
}

/// The work of kernels on buffers of these sizes, with so many channels, that move as much as a copy of `bytes` bytes.
fn work(kernels: &Kernels, sizes: [usize; 2], channels: usize, bytes: u64) -> Result<Work> {
    let program = |one: &Launch| Module::parse(&one.wgsl)?.program(one.entry_point, &one.constants);
    let programs = kernels.launches.iter().map(program).collect::<Result<Vec<_>, _>>()?;
    let dispatch = |(one, program): (&Launch, _)| {
        let [x, y] = one.grid;
        Dispatch { program, grid: [x, y, 1], bindings: one.bindings.clone() }
    };
    let dispatches: Vec<_> = kernels.launches.iter().zip(&programs).map(dispatch).collect();
    // src, dst, a buffer for each slot, then the kernels' own buffers.
    let filled = |size: usize| Memory::new(size.next_multiple_of(16) as u64, 0x3f);
    let slots = (0..4).map(|_| filled(4 * channels));
    let own = kernels.own.iter().map(|bytes| Memory::from_bytes(bytes));
    let buffers: Vec<_> = sizes.map(filled).into_iter().chain(slots).chain(own).collect();
    Ok(Work::of(2 * bytes, &wgsl_sanitizer::counts(&dispatches, &buffers, BATCHES)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds of rows, by their sections, and the weights that `data/fit.py` fits to all other rows. The last kind has the
    /// rows of no section: kernels by hand.
    const WITHOUT: [(&[&str], [f64; FITTED]); 5] = [
        (&["contiguous", "scale and bias"], [2.62e-7, 2.99e-5, 1.14e-5, 6.70e-6, 1.77e-6, 1.01e-4]),
        (&["permutations", "eight dimensions"], [2.66e-7, 2.86e-5, 8.65e-6, 6.74e-6, 1.58e-6, 1.02e-4]),
        (&["pictures", "gaps in words"], [2.64e-7, 3.20e-5, 1.09e-5, 6.72e-6, 1.58e-6, 1.02e-4]),
        (&["rows", "broadcast, against a fill"], [2.62e-7, 3.00e-5, 1.26e-5, 6.58e-6, 1.58e-6, 1.02e-4]),
        (&[], [2.68e-7, 2.98e-5, 9.99e-6, 6.75e-6, 1.58e-6, 1.02e-4]),
    ];

    /// Spearman's coefficient: of ranks, equal numbers sharing one.
    #[expect(clippy::cast_precision_loss, reason = "a few thousand numbers")]
    fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
        let ranks = |numbers: &[f64]| -> Vec<f64> {
            let below = |x: f64| numbers.iter().filter(|other| **other < x).count();
            let equal = |x: f64| numbers.iter().filter(|other| other.total_cmp(&x).is_eq()).count();
            numbers.iter().map(|x| below(*x) as f64 + (equal(*x) as f64 - 1.0) / 2.0).collect()
        };
        let centred = |x: Vec<f64>| -> Vec<f64> {
            let mean = x.iter().sum::<f64>() / x.len() as f64;
            x.into_iter().map(|x| x - mean).collect()
        };
        let (a, b) = (centred(ranks(a)), centred(ranks(b)));
        let dot = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
        dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
    }

    /// Each row is predicted by weights that were fitted without its kind.
    #[test]
    fn weights_foretell_times_of_kinds_of_rows_that_their_fit_has_not_seen() {
        let (mut times, mut predicted) = (Vec::new(), Vec::new());
        for row in include_str!("../data/h200.tsv").lines().skip(1) {
            let (name, numbers) = row.split_once('\t').unwrap();
            let numbers: Vec<f64> = numbers.split('\t').map(|part| part.parse().unwrap()).collect();
            let section = name.split(':').next().unwrap();
            let kind = WITHOUT.iter().find(|(sections, _)| sections.contains(&section));
            let weights = kind.unwrap_or(&WITHOUT[4]).1;
            let weight = |n: usize| weights.get(n).copied().unwrap_or(TERMS[n].2);
            times.push(numbers[0]);
            predicted.push(Work::time_of(std::array::from_fn(|n| numbers[n + 1] * weight(n))));
        }
        let rank = rank_correlation(&times, &predicted);
        let mut errors: Vec<_> = times.iter().zip(&predicted).map(|(a, b)| (b / a).ln().abs()).collect();
        errors.sort_by(f64::total_cmp);
        let median = errors[errors.len() / 2];
        println!("{} rows, rank correlation {rank:.3}, median error {median:.3}", times.len());
        assert!(rank >= 0.93 && median <= 0.07, "{rank} {median}");
    }

    /// The weights of the model are like those that were judged.
    #[test]
    fn the_weights_lie_among_those_of_the_fits() {
        for (n, (term, _, weight)) in TERMS[..FITTED].iter().enumerate() {
            let [mut low, mut high] = [f64::INFINITY, 0.0];
            for (_, weights) in WITHOUT {
                (low, high) = (low.min(weights[n]), high.max(weights[n]));
            }
            assert!((low * 0.98..high * 1.02).contains(weight), "{term}: {weight}, from {low} to {high}");
        }
    }

    #[test]
    fn a_copy_is_at_the_speed_of_the_h200() {
        let time = copy().unwrap() * BYTES as f64;
        assert!((31.0..37.0).contains(&time), "{time} µs for 64 MiB; 33.7 were measured");
    }
}
