//! The sweep: layouts that users bring × pairs of dtypes, each compared with a copy of as many bytes and a plain
//! kernel.

pub mod layouts;
mod plot;

use std::collections::HashSet;
use std::fmt::Write as _;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::bench::{self, Bench};
use crate::case::Case;
use crate::plain;
use crate::stats::Stats;
use crate::table::size;

use layouts::{PAIRS, Pair, Way, ways};
pub use plot::draw;

/// A layout with a pair of dtypes at one size.
#[derive(Debug, Serialize, Deserialize)]
pub struct Point {
    /// The layout.
    pub layout: String,
    /// The pair, as in `u8 → f32`.
    pub pair: String,
    /// The requested size: half of the bytes that a copy reads and writes.
    pub bytes: u64,
    /// Elements of the output. Fewer than requested if the source or the output would not fit into a binding.
    pub elements: u64,
    /// Half of the bytes of these elements in source and destination together.
    pub moved: u64,
    /// Seconds of the library, unless it failed.
    pub ours: Option<Stats>,
    /// Seconds of the fastest copy kernel.
    pub copy: Option<Stats>,
    /// Seconds of the plain kernel.
    pub plain: Option<Stats>,
    /// The goal of the ratio to the copy, on a software driver.
    pub goal: Option<f64>,
    /// The error, if there was one.
    pub error: Option<String>,
}

impl Point {
    /// The copy's time over ours; none where the result is wrong.
    #[must_use]
    pub fn to_copy(&self) -> Option<f64> {
        self.ratio(self.copy.as_ref())
    }

    /// The plain kernel's time over ours; none where the result is wrong.
    #[must_use]
    pub fn to_plain(&self) -> Option<f64> {
        self.ratio(self.plain.as_ref())
    }

    fn ratio(&self, theirs: Option<&Stats>) -> Option<f64> {
        let ratio = theirs?.median / self.ours.as_ref()?.median;
        self.error.is_none().then_some(ratio)
    }

    fn missed(&self) -> bool {
        self.to_copy().zip(self.goal).is_some_and(|(ratio, goal)| ratio < goal)
    }
}

/// Measures the requested points while there is time and prints each at once. Also returns the number of requested
/// points.
///
/// # Errors
///
/// A case cannot be made. A failure on the device is stored as the point's own error.
pub fn measure(bench: &Bench) -> Result<(Vec<Point>, usize)> {
    let mut cases = Vec::new();
    for bytes in sizes(bench) {
        for (way, pair) in ways().into_iter().flat_map(|way| PAIRS.map(|pair| (way, pair))) {
            if bench.options.wants(&format!("{} {}", way.name(), name(pair))) {
                cases.push((bytes, way, pair));
            }
        }
    }
    let count = cases.len();
    let bar = bench::progress(count);
    println!("{HEAD}");
    let mut points = Vec::new();
    for (bytes, way, pair) in cases {
        if bench.time_is_over() {
            break;
        }
        bar.set_message(format!("{}, {}", way.name(), name(pair)));
        let point = point(bench, bytes, way, pair)?;
        bar.suspend(|| println!("{}", line(&point)));
        bar.inc(1);
        points.push(point);
    }
    bar.finish_and_clear();
    Ok((points, count))
}

/// 16 MiB fit into a CPU's cache, so that memory hides no instruction; 64 MiB do not. Four times as much on a GPU.
fn sizes(bench: &Bench) -> Vec<u64> {
    let times = if bench.device.is_cpu() { 1 } else { 4 };
    match (bench.options.size, bench.options.quick) {
        (Some(bytes), _) => vec![bytes],
        (None, true) => vec![times * (16 << 20)],
        (None, false) => vec![times * (16 << 20), times * (64 << 20)],
    }
}

fn point(bench: &Bench, bytes: u64, way: Way, pair: Pair) -> Result<Point> {
    let limits = bench.device.wgpu().limits();
    // Plain kernels bind whole buffers.
    let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    let elements = 2 * usize::try_from(bytes)? / (pair[0].size() + pair[1].size());
    let case = way.case(pair, elements, most)?;
    let mut point = Point {
        layout: way.name(),
        pair: name(pair),
        bytes,
        elements: case.dst.len() as u64,
        moved: case.bytes(),
        ours: None,
        copy: None,
        plain: None,
        goal: bench.device.is_cpu().then(|| way.goal(pair)),
        error: None,
    };
    point.error = run(bench, &case, &mut point).err().map(|error| format!("{error:#}"));
    Ok(point)
}

fn run(bench: &Bench, case: &Case, point: &mut Point) -> Result<()> {
    let set = case.set(&bench.device, bench.sets(case.bytes()))?;
    let pairs = set.beside(&bench.device)?;
    let mut works = vec![set.work(), plain::words(case, &bench.device, &pairs)?];
    works.extend(bench.copies(case.bytes())?.into_iter().map(|rival| rival.work));
    let mut stats = bench.take_turns(&mut works.iter_mut().collect::<Vec<_>>())?.into_iter();
    point.ours = stats.next();
    point.plain = stats.next();
    point.copy = stats.min_by(|a, b| a.median.total_cmp(&b.median));
    case.check(&bench.device, &set)?;
    plain::alike(case, &bench.device, &set, &pairs[0][1])
}

fn name([source, dtype]: Pair) -> String {
    format!("{source} → {dtype}")
}

const HEAD: &str = "\
| layout | dtypes | bytes | ours, ns per element | copy | plain kernel | copy ÷ ours | goal | plain ÷ ours |
| --- | --- | --: | --: | --: | --: | --: | --: | --: |";

fn line(point: &Point) -> String {
    let ns = |stats: &Option<Stats>| {
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 elements")]
        let per_element = |seconds: f64| seconds * 1e9 / point.elements as f64;
        stats.as_ref().map_or_else(|| "–".to_owned(), |stats| format!("{:.2}", per_element(stats.median)))
    };
    let ratio = |ratio: Option<f64>| ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
    let Point { layout, pair, moved, goal, .. } = point;
    let goal = goal.map_or_else(|| "–".to_owned(), |goal| format!("≥ {goal:.2}"));
    let mut line = format!("| {layout} | {pair} | {} | {} ", size(*moved), ns(&point.ours));
    let _ = write!(line, "| {} | {} ", ns(&point.copy), ns(&point.plain));
    let _ = write!(line, "| {} | {goal} | {} |", ratio(point.to_copy()), ratio(point.to_plain()));
    if let Some(error) = &point.error {
        let _ = write!(line, " **WRONG**: {}", error.replace('\n', " "));
    }
    line
}

/// Counts of points by speed, for each size.
#[must_use]
pub fn summary(points: &[Point]) -> String {
    let mut text = String::new();
    for points in points.chunk_by(|a, b| a.bytes == b.bytes) {
        let below =
            |limit| points.iter().filter(|point| point.to_copy().is_some_and(|to| to < limit)).count();
        let missed = points.iter().filter(|point| point.missed()).count();
        let slower = points.iter().filter(|point| point.to_plain().is_some_and(|to| to < 1.0)).count();
        let wrong = points.iter().filter(|point| point.error.is_some()).count();
        let _ = writeln!(
            text,
            "- {}, {} rows: {} below 0.15 of a copy, {} below 0.3, {missed} below their goal, {slower} slower than the \
             plain kernel, {wrong} wrong.",
            size(points[0].bytes),
            points.len(),
            below(0.15),
            below(0.3),
        );
    }
    text
}

/// The slowest layouts compared with a copy, and those that the plain kernel beats by most. Each layout stands by its
/// slowest point.
#[must_use]
pub fn worst(points: &[Point], count: usize) -> String {
    let mut text = String::new();
    let mut add = |title: &str, of: fn(&Point) -> Option<f64>, below: f64| {
        let ratio = |point: &&Point| of(point).unwrap_or(f64::INFINITY);
        let mut sorted: Vec<_> = points.iter().filter(|point| ratio(point) < below).collect();
        sorted.sort_by(|a, b| ratio(a).total_cmp(&ratio(b)));
        let mut layouts = HashSet::new();
        sorted.retain(|point| layouts.insert(&point.layout));
        sorted.truncate(count);
        if !sorted.is_empty() {
            let _ = writeln!(text, "{title}:\n\n{HEAD}");
            for point in sorted {
                let _ = writeln!(text, "{}", line(point));
            }
            text.push('\n');
        }
    };
    add("The slowest layouts beside a copy, each by its slowest row", Point::to_copy, f64::INFINITY);
    add("The same of those that the plain kernel beats", Point::to_plain, 1.0);
    text
}

/// All points, tab-separated.
#[must_use]
pub fn tsv(points: &[Point]) -> String {
    let mut text =
        "layout\tdtypes\tasked_bytes\tbytes\telements\tours_s\tcopy_s\tplain_s\tgoal\terror\n".to_owned();
    for point in points {
        let seconds = |stats: &Option<Stats>| {
            stats.as_ref().map_or_else(|| "-".to_owned(), |stats| format!("{:.3e}", stats.median))
        };
        let Point { layout, pair, bytes, elements, moved, ours, copy, plain, goal, error } = point;
        let times = [ours, copy, plain].map(seconds).join("\t");
        let goal = goal.map_or_else(|| "-".to_owned(), |goal| goal.to_string());
        let error = error.as_deref().unwrap_or("-").replace(['\n', '\t'], " ");
        let _ = writeln!(text, "{layout}\t{pair}\t{bytes}\t{moved}\t{elements}\t{times}\t{goal}\t{error}");
    }
    text
}
