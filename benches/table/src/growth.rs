//! Curves of time against something that grows: bytes, rank, clamps in a pass, bytes in host memory.

use std::fmt::Write as _;
use std::rc::Rc;

use anyhow::Result;
use serde::{Deserialize, Serialize};
use wgpu_clamp::{DType, Layout, wgpu};

use crate::bench::{Bench, progress};
use crate::case::Case;
use crate::clock::Work;
use crate::data;
use crate::hand::Hand;
use crate::outcome::Measured;
use crate::row::{Rival, Trial, Unit};
use crate::slices;
use crate::stats::Stats;
use crate::text::{clock_column, error_column, size, slow, spread, tsv as lines, wrong};

/// A curve of time against something that grows.
#[derive(Debug, Serialize, Deserialize)]
pub struct Curve {
    /// What is measured.
    pub name: String,
    /// The quantity that grows.
    pub over: String,
    /// Names of the measured series, ours first.
    pub series: Vec<String>,
    /// Points in the order of growth.
    pub points: Vec<Point>,
}

/// One point of a [`Curve`].
#[derive(Debug, Serialize, Deserialize)]
pub struct Point {
    /// Value of the quantity that grows.
    pub at: u64,
    /// Seconds of each series.
    pub seconds: Vec<Stats>,
    /// The share of its best speed that a copy beside the point had, if a GPU's clock was held.
    pub clock: Option<f64>,
    pub error: Option<String>,
}

impl Curve {
    /// A curve without points.
    pub fn new(name: &str, over: &str, ours: &str) -> Self {
        let (name, over) = (name.to_owned(), over.to_owned());
        Self { name, over, series: vec![ours.to_owned()], points: Vec::new() }
    }

    /// Measures a point.
    pub fn add(
        &mut self,
        bench: &Bench,
        at: u64,
        prepare: impl Fn(&Bench) -> Result<Trial> + 'static,
    ) -> Result<()> {
        let name = format!("Growth: {}, {} {}", self.name, self.at(at), self.over);
        let Measured { ours, rivals, clock, .. } = bench.run(name, Box::new(prepare))?;
        let (names, theirs): (Vec<_>, Vec<_>) = rivals.into_iter().unzip();
        self.series.truncate(1);
        self.series.extend(names);
        let seconds = [ours].into_iter().chain(theirs).collect();
        self.points.push(Point { at, seconds, clock, error: None });
        Ok(())
    }

    /// The ending of the curve's file names.
    pub fn suffix(&self) -> String {
        format!("-growth-{}", self.over.replace(' ', "-"))
    }

    /// The text of a value of the quantity that grows.
    pub fn at(&self, at: u64) -> String {
        if self.over.starts_with("bytes") { size(at) } else { at.to_string() }
    }

    /// The curve in Markdown.
    pub fn table(&self) -> String {
        let mut text = format!("Growth: {}\n\n| {} ", self.name, self.over);
        for name in &self.series {
            let _ = write!(text, "| {name} ");
        }
        let _ = write!(text, "| ratio |\n| --: {}| --: |", "| --: ".repeat(self.series.len()));
        for Point { at, seconds, clock, error } in &self.points {
            let _ = write!(text, "\n| {} ", self.at(*at));
            for stats in seconds {
                let _ = write!(text, "| {} ", spread(stats, Unit::Seconds));
            }
            let best = seconds[1..].iter().map(|stats| stats.median).fold(f64::INFINITY, f64::min);
            let (ratio, slow, wrong) = (best / seconds[0].median, slow(*clock), wrong(error.as_ref()));
            let _ = write!(text, "| {ratio:.2}{slow}{wrong} |");
        }
        text + "\n"
    }
}

/// All points of all curves in seconds, tab-separated.
pub fn tsv(curves: &[Curve]) -> String {
    let points = curves.iter().flat_map(|curve| curve.points.iter().map(move |point| (curve, point)));
    let all = points.flat_map(|(curve, point)| {
        curve.series.iter().zip(&point.seconds).map(move |(series, stats)| (curve, point, series, stats))
    });
    let head = "curve\tover\tat\tseries\tseconds\tq1\tq3\tclock\terror";
    lines(head, all, |(Curve { name, over, .. }, Point { at, clock, error, .. }, series, stats)| {
        let (Stats { median, q1, q3, .. }, error) = (stats, error_column(error.as_ref()));
        let clock = clock_column(*clock);
        format!("{name}\t{over}\t{at}\t{series}\t{median:.4e}\t{q1:.4e}\t{q3:.4e}\t{clock}\t{error}")
    })
}

/// All curves.
pub fn curves(bench: &Bench) -> Result<Vec<Curve>> {
    let bar = progress(4);
    let mut curves = Vec::new();
    for (name, curve) in
        [("size", sizes as fn(&Bench) -> Result<Curve>), ("rank", ranks), ("clamps in a pass", counts)]
    {
        bar.set_message(format!("growth: {name}"));
        curves.push(curve(bench)?);
        bar.inc(1);
    }
    bar.set_message("growth: host memory");
    curves.extend(slices::curves(bench)?);
    bar.finish_and_clear();
    Ok(curves)
}

/// 4 KiB to 1 GiB, or up to the largest buffer.
fn sizes(bench: &Bench) -> Result<Curve> {
    let wanted = if bench.options.quick { 256 << 20 } else { 1 << 30 };
    let most = wanted.min(bench.device.wgpu().limits().max_buffer_size);
    let mut curve = Curve::new("a contiguous clamp of f32", "bytes", "clamp");
    for bytes in (0..10).map(|power| 4096_u64 << (2 * power)).take_while(|bytes| *bytes <= most) {
        let layout = Layout::packed(&[usize::try_from(bytes / 4)?])?;
        let case = Case::new(data::bounds(DType::F32), layout, layout);
        curve.add(bench, bytes, move |bench| case.trial(bench))?;
    }
    Ok(curve)
}

/// The same number of elements in 1 to 8 dimensions, none of which can be merged: the source has the outer dimensions
/// in reverse order and a gap after each row.
fn ranks(bench: &Bench) -> Result<Curve> {
    let name = "a clamp of 2 Mi f32, the source's outer dimensions reversed";
    let mut curve = Curve::new(name, "rank", "clamp");
    for rank in 1..=8_usize {
        // 2^21 elements: 2 in every outer dimension, the rest in the innermost.
        let mut shape = vec![2_usize; rank];
        shape[rank - 1] = 1_usize << (22 - rank);
        // The source's smallest outer stride is that of the outermost dimension.
        let row = shape[rank - 1].cast_signed() + 8;
        let strides: Vec<_> = (0..rank - 1).map(|axis| row << axis).chain([1]).collect();
        let (src, dst) = (Layout::strided(&shape, &strides, 0)?, Layout::packed(&shape)?);
        let case = Case::new(data::bounds(DType::F32), src, dst);
        curve.add(bench, rank as u64, move |bench| case.trial(bench))?;
    }
    Ok(curve)
}

/// Many clamps of 4 KiB in one pass, from submission to completion.
fn counts(bench: &Bench) -> Result<Curve> {
    const SMALL: usize = 4096;
    let most = if bench.options.quick { 1024 } else { 4096 };
    let hand = Rc::new(Hand::new(&bench.device));
    let layout = Layout::packed(&[SMALL / 4])?;
    let set = Case::new(data::bounds(DType::F32), layout, layout).set(&bench.device, most)?;
    let bind = |[src, dst]: &[wgpu::Buffer; 2]| {
        hand.bind(bench.device.wgpu(), src.as_entire_binding(), dst.as_entire_binding())
    };
    let groups: Vec<_> = set.buffers.iter().map(bind).collect();
    let mut curve = Curve::new("clamps of 4 KiB of f32 in one pass", "clamps", "ours");
    for count in (0..7).map(|power| 1 << (2 * power)).take_while(|count| *count <= most) {
        let (prepared, groups) = (set.prepared[..count].to_vec(), groups[..count].to_vec());
        let hand = Rc::clone(&hand);
        curve.add(bench, count as u64, move |_| {
            let (prepared, groups, hand) = (prepared.clone(), groups.clone(), Rc::clone(&hand));
            let ours =
                Work::Pass(vec![Box::new(move |pass| prepared.iter().for_each(|one| one.record(pass)))]);
            let work = Work::Pass(vec![Box::new(move |pass| hand.record(pass, &groups, SMALL as u64))]);
            let rivals = vec![Rival { name: "by hand".to_owned(), work }];
            Ok(Trial { bytes: SMALL as u64, ours, rivals, check: Box::new(|_| Ok(())) })
        })?;
    }
    Ok(curve)
}
