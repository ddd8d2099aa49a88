//! Curves of time against something that grows: bytes, rank, clamps in a pass, bytes in host memory.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use wgpu_clamp::{DType, Layout, wgpu};

use crate::bench::{Bench, progress};
use crate::case::Case;
use crate::clock::Work;
use crate::data;
use crate::hand::Hand;
use crate::slices;
use crate::stats::Stats;

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

impl Curve {
    /// The ending of its file names.
    #[must_use]
    pub fn suffix(&self) -> String {
        format!("-growth-{}", self.over.replace(' ', "-"))
    }
}

/// One point of a [`Curve`].
#[derive(Debug, Serialize, Deserialize)]
pub struct Point {
    /// Value of the quantity that grows.
    pub at: u64,
    /// Seconds of each series.
    pub seconds: Vec<Stats>,
    /// The error, if the result is wrong.
    pub error: Option<String>,
}

/// All curves.
///
/// # Errors
///
/// The device is lost.
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

fn point(bench: &Bench, at: u64, case: &Case) -> Result<Point> {
    let set = case.set(&bench.device, bench.sets(case.bytes()))?;
    let mut works = vec![set.work()];
    works.extend(bench.copies(case.bytes())?.into_iter().map(|rival| rival.work));
    let seconds = bench.take_turns(&mut works.iter_mut().collect::<Vec<_>>())?;
    let error = case.check(&bench.device, &set).err().map(|error| format!("{error:#}"));
    Ok(Point { at, seconds, error })
}

fn series(bench: &Bench) -> Result<Vec<String>> {
    let rivals = bench.copies(1 << 20)?;
    Ok([String::from("clamp")].into_iter().chain(rivals.into_iter().map(|rival| rival.name)).collect())
}

/// 4 KiB to 1 GiB, or up to the largest buffer.
fn sizes(bench: &Bench) -> Result<Curve> {
    let wanted = if bench.options.quick { 256 << 20 } else { 1 << 30 };
    let most = wanted.min(bench.device.wgpu().limits().max_buffer_size);
    let clamp = data::bounds(DType::F32)?;
    let mut points = Vec::new();
    for bytes in (0..10).map(|power| 4096_u64 << (2 * power)).take_while(|bytes| *bytes <= most) {
        let layout = Layout::packed(&[usize::try_from(bytes / 4)?])?;
        let case = Case::new(clamp, layout, layout);
        points.push(point(bench, bytes, &case)?);
    }
    Ok(Curve {
        name: "a contiguous clamp of f32".to_owned(),
        over: "bytes".to_owned(),
        series: series(bench)?,
        points,
    })
}

/// The same number of elements in 1 to 8 dimensions, none of which can be merged: the source has the outer dimensions
/// in reverse order and a gap after each row.
fn ranks(bench: &Bench) -> Result<Curve> {
    let clamp = data::bounds(DType::F32)?;
    let mut points = Vec::new();
    for rank in 1..=8_usize {
        // 2^21 elements: 2 in every outer dimension, the rest in the innermost.
        let mut shape = vec![2_usize; rank];
        shape[rank - 1] = 1_usize << (22 - rank);
        // The source's smallest outer stride is that of the outermost dimension.
        let row = shape[rank - 1].cast_signed() + 8;
        let strides: Vec<_> = (0..rank - 1).map(|axis| row << axis).chain([1]).collect();
        let (src, dst) = (Layout::strided(&shape, &strides, 0)?, Layout::packed(&shape)?);
        let case = Case::new(clamp, src, dst);
        points.push(point(bench, rank as u64, &case)?);
    }
    let name = "a clamp of 2 Mi f32, the source's outer dimensions reversed";
    Ok(Curve { name: name.to_owned(), over: "rank".to_owned(), series: series(bench)?, points })
}

/// Many clamps of 4 KiB in one pass, from submission to completion.
fn counts(bench: &Bench) -> Result<Curve> {
    const SMALL: usize = 4096;
    let most = if bench.options.quick { 1024 } else { 4096 };
    let hand = Hand::new(&bench.device);
    let layout = Layout::packed(&[SMALL / 4])?;
    let clamp = data::bounds(DType::F32)?;
    let case = Case::new(clamp, layout, layout);
    let set = case.set(&bench.device, most)?;
    let groups: Result<Vec<_>> = set
        .buffers
        .iter()
        .map(|[src, dst]| hand.bind(bench.device.wgpu(), src.as_entire_binding(), dst.as_entire_binding()))
        .collect();
    let groups = groups?;
    let mut points = Vec::new();
    for count in (0..7).map(|power| 1 << (2 * power)).take_while(|count| *count <= most) {
        let (prepared, groups, hand) =
            (set.prepared[..count].to_vec(), groups[..count].to_vec(), hand.clone());
        let mut works = [
            Work::Pass(vec![Box::new(move |pass: &mut wgpu::ComputePass<'_>| {
                for prepared in &prepared {
                    prepared.record(pass);
                }
            })]),
            Work::Pass(vec![Box::new(move |pass: &mut wgpu::ComputePass<'_>| {
                hand.record(pass, &groups, SMALL as u64);
            })]),
        ];
        let seconds = bench.take_turns(&mut works.iter_mut().collect::<Vec<_>>())?;
        points.push(Point { at: count as u64, seconds, error: None });
    }
    Ok(Curve {
        name: "clamps of 4 KiB of f32 in one pass".to_owned(),
        over: "clamps".to_owned(),
        series: vec!["ours".to_owned(), "by hand".to_owned()],
        points,
    })
}
