//! The sweep: layouts that users bring × pairs of dtypes. Each is compared with a plain kernel and with a copy of as
//! many bytes.

pub mod layouts;

use std::collections::HashSet;
use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;

use crate::bench::Bench;
use crate::case::{Against, Case};
use crate::outcome::Measured;
use crate::stats::Stats;
use crate::text::{dash, size, slow, wrong};

use layouts::{PAIRS, Pair, Way, ways};

/// A layout with a pair of dtypes at one size.
#[derive(Debug, Serialize)]
pub struct Point {
    pub layout: String,
    /// The pair, as in `u8 → f32`.
    pub pair: String,
    /// The requested size: half of the bytes that a copy reads and writes.
    pub bytes: u64,
    /// Elements of the output. Fewer than requested if the source or the output would not fit into a binding.
    pub elements: u64,
    /// Half of the bytes that these elements take in source and destination together.
    pub moved: u64,
    /// Seconds of the library, unless it failed.
    pub ours: Option<Stats>,
    /// Seconds of the fastest copy kernel.
    pub copy: Option<Stats>,
    /// Seconds of the plain kernel.
    pub plain: Option<Stats>,
    /// The goal of the ratio to the copy, on a software driver.
    pub goal: Option<f64>,
    /// The share of its best speed that a copy beside the row had, if a GPU's clock was held.
    pub clock: Option<f64>,
    pub error: Option<String>,
}

impl Point {
    /// The copy's time over ours; none where the result is wrong.
    pub fn to_copy(&self) -> Option<f64> {
        self.ratio(self.copy.as_ref())
    }

    /// The plain kernel's time over ours; none where the result is wrong.
    pub fn to_plain(&self) -> Option<f64> {
        self.ratio(self.plain.as_ref())
    }

    fn ratio(&self, theirs: Option<&Stats>) -> Option<f64> {
        let ratio = theirs?.median / self.ours.as_ref()?.median;
        self.error.is_none().then_some(ratio)
    }
}

/// Measures the requested points while there is time. Also returns the number of requested points.
pub fn measure(bench: &Bench) -> Result<(Vec<Point>, usize)> {
    let mut cases = Vec::new();
    for bytes in sizes(bench) {
        for (n, way) in ways(PAIRS[0], 1 << 20)?.into_iter().enumerate() {
            for pair in PAIRS {
                let (way, pair_name) = (&way.name, name(pair));
                if bench.options.wants(&format!("{way} {pair_name}")) {
                    cases.push((bytes, n, pair, format!("{way}, {pair_name}")));
                }
            }
        }
    }
    let count = cases.len();
    println!("{HEAD}");
    let title = |(.., title): &(u64, usize, Pair, String)| title.clone();
    let points = bench.each(cases, title, |case| point(bench, case), line)?;
    Ok((points, count))
}

/// The sizes to measure. 16 MiB fit into a CPU's cache, so that no instruction hides behind memory; 64 MiB do not fit.
/// A GPU gets four times as much.
fn sizes(bench: &Bench) -> Vec<u64> {
    let times = if bench.device.is_cpu() { 1 } else { 4 };
    match (bench.options.size, bench.options.quick) {
        (Some(bytes), _) => vec![bytes],
        (None, true) => vec![times * (16 << 20)],
        (None, false) => vec![times * (16 << 20), times * (64 << 20)],
    }
}

fn point(bench: &Bench, (bytes, n, pair, title): (u64, usize, Pair, String)) -> Result<Point> {
    let limits = bench.device.wgpu().limits();
    // Plain kernels bind whole buffers.
    let most = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    let elements = 2 * usize::try_from(bytes)? / (pair[0].size() + pair[1].size());
    let way = Way::nth(n, pair, elements, most)?;
    let case = Case { rival: Against::PlainAndCopy, ..way.case(pair)? };
    let mut point = Point {
        layout: way.name,
        pair: name(pair),
        bytes,
        elements: case.dst.len() as u64,
        moved: case.bytes(),
        ours: None,
        copy: None,
        plain: None,
        goal: bench.device.is_cpu().then_some(way.goal),
        clock: None,
        error: None,
    };
    match bench.run(title, Box::new(move |bench| case.trial(bench))) {
        Ok(Measured { ours, rivals, clock, .. }) => {
            let mut rivals = rivals.into_iter().map(|(_, stats)| stats);
            (point.ours, point.plain, point.clock) = (Some(ours), rivals.next(), clock);
            point.copy = rivals.min_by(|a, b| a.median.total_cmp(&b.median));
        }
        Err(error) => point.error = Some(format!("{error:#}")),
    }
    Ok(point)
}

fn name([source, dtype]: Pair) -> String {
    format!("{source} → {dtype}")
}

const HEAD: &str = "\
| layout | dtypes | bytes | ours, ns per element | copy | plain kernel | copy ÷ ours | goal | plain ÷ ours |
| --- | --- | --: | --: | --: | --: | --: | --: | --: |";

fn line(point: &Point) -> String {
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 elements")]
    let ns = |stats: &Stats| format!("{:.2}", stats.median * 1e9 / point.elements as f64);
    let ratio = |ratio| format!("{ratio:.2}");
    let Point { layout, pair, moved, goal, ours, copy, plain, clock, error, .. } = point;
    let [ours, copy, plain] = [ours, copy, plain].map(|stats| dash(stats.as_ref(), ns));
    let (to_copy, to_plain) = (dash(point.to_copy(), ratio), dash(point.to_plain(), ratio));
    let goal = dash(*goal, |goal| format!("≥ {goal:.2}"));
    let moved = size(*moved);
    format!(
        "| {layout} | {pair} | {moved} | {ours} | {copy} | {plain} | {to_copy} | {goal} | {to_plain} |{}{}",
        slow(*clock),
        wrong(error.as_ref())
    )
}

/// Counts of points by speed, for each size.
pub fn summary(points: &[Point]) -> String {
    let mut text = String::new();
    for points in points.chunk_by(|a, b| a.bytes == b.bytes) {
        let count = |is: &dyn Fn(&Point) -> bool| points.iter().filter(|point| is(point)).count();
        let below = |ratio: Option<f64>, limit| ratio.is_some_and(|ratio| ratio < limit);
        let _ = writeln!(
            text,
            "- {}, {} rows: {} below 0.15 of a copy, {} below 0.3, {} below their goal, {} slower than the plain \
             kernel, {} wrong.",
            size(points[0].bytes),
            points.len(),
            count(&|point| below(point.to_copy(), 0.15)),
            count(&|point| below(point.to_copy(), 0.3)),
            count(&|point| point.goal.is_some_and(|goal| below(point.to_copy(), goal))),
            count(&|point| below(point.to_plain(), 1.0)),
            count(&|point| point.error.is_some()),
        );
    }
    text
}

/// The layouts that are slowest compared with a copy, and the layouts that the plain kernel beats by most. Each appears
/// once, with its slowest point.
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
    add("The layouts that the plain kernel beats, each by its slowest row", Point::to_plain, 1.0);
    text
}
