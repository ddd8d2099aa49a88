//! Curves of growth as tables and pictures.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use crate::growth::Curve;
use crate::row::Unit;
use crate::stats::Stats;
use crate::table::{figure, size, spread};

/// A curve as markdown.
#[must_use]
pub fn table(curve: &Curve) -> String {
    let mut text = format!("Growth: {}\n\n| {} ", curve.name, curve.over);
    for name in &curve.series {
        let _ = write!(text, "| {name} ");
    }
    let _ = write!(text, "| ratio |\n| --: {}| --: |", "| --: ".repeat(curve.series.len()));
    for point in &curve.points {
        let _ = write!(text, "\n| {} ", at(curve, point.at));
        for stats in &point.seconds {
            let _ = write!(text, "| {} ", spread(stats, Unit::Seconds));
        }
        let best = point.seconds[1..].iter().map(|stats| stats.median).fold(f64::INFINITY, f64::min);
        let verdict = point.error.as_ref().map_or(String::new(), |error| format!(" **WRONG**: {error}"));
        let _ = write!(text, "| {:.2}{verdict} |", best / point.seconds[0].median);
    }
    text + "\n"
}

/// All points of all curves in seconds, tab-separated.
#[must_use]
pub fn tsv(curves: &[Curve]) -> String {
    let mut text = "curve\tover\tat\tseries\tseconds\tq1\tq3\terror\n".to_owned();
    for Curve { name, over, series, points } in curves {
        for point in points {
            let error = point.error.as_deref().unwrap_or("-").replace(['\n', '\t'], " ");
            for (one, Stats { median, q1, q3, .. }) in series.iter().zip(&point.seconds) {
                let at = point.at;
                let _ =
                    writeln!(text, "{name}\t{over}\t{at}\t{one}\t{median:.4e}\t{q1:.4e}\t{q3:.4e}\t{error}");
            }
        }
    }
    text
}

fn at(curve: &Curve, at: u64) -> String {
    if curve.over.starts_with("bytes") { size(at) } else { at.to_string() }
}

/// Draws a curve. Time is on a logarithmic scale; the points are evenly spaced.
///
/// # Errors
///
/// The file cannot be written.
pub fn draw(path: &Path, adapter: &str, curve: &Curve) -> Result<()> {
    try_draw(path, adapter, curve).map_err(|error| anyhow!("cannot draw {}: {error}", path.display()))
}

fn try_draw(path: &Path, adapter: &str, curve: &Curve) -> Result<()> {
    let area = SVGBackend::new(path, (900, 520)).into_drawing_area();
    area.fill(&WHITE)?;
    let area = area.titled(&format!("Time of {}", curve.name), ("sans-serif", 18))?;
    let area = area.titled(adapter, ("sans-serif", 13))?;
    let all: Vec<_> = curve.points.iter().flat_map(|p| p.seconds.iter().map(|s| s.median)).collect();
    // Whole decades and a margin, so that the scale is labelled at each decade.
    let low = 0.97 * 10_f64.powf(all.iter().copied().fold(f64::INFINITY, f64::min).log10().floor());
    let high = 1.03 * 10_f64.powf(all.iter().copied().fold(0.0, f64::max).log10().ceil());
    // x is the index of a point: each point is a fixed factor, or one rank, after the previous one.
    let last = f64::from(curve.points.len() as u32) - 0.7;
    let mut chart = ChartBuilder::on(&area)
        .margin(14)
        .x_label_area_size(46)
        .y_label_area_size(76)
        .build_cartesian_2d(-0.3..last, (low..high).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(WHITE)
        .x_desc(curve.over.as_str())
        .x_labels(curve.points.len() + 1)
        .x_label_formatter(&|x| label(curve, *x))
        .y_label_formatter(&|y| figure(*y, Unit::Seconds))
        .draw()?;
    // Colours that colour-blind readers can tell apart, used again if there are more series. Ours is drawn last, on
    // top.
    let colors =
        [(213, 94, 0), (0, 114, 178), (0, 158, 115), (204, 121, 167)].map(|(r, g, b)| RGBColor(r, g, b));
    for (i, name) in curve.series.iter().enumerate().rev() {
        let color = colors[i % colors.len()];
        let points: Vec<_> =
            curve.points.iter().zip(0_u32..).map(|(p, x)| (f64::from(x), p.seconds[i].median)).collect();
        chart
            .draw_series(LineSeries::new(points.clone(), color.stroke_width(2)))?
            .label(name.as_str())
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], color.stroke_width(2)));
        chart.draw_series(points.into_iter().map(|point| Circle::new(point, 4, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font(("sans-serif", 13))
        .background_style(WHITE)
        .border_style(RGBColor(205, 205, 205))
        .draw()?;
    area.present()?;
    Ok(())
}

/// Labels an axis position if it is a point.
fn label(curve: &Curve, x: f64) -> String {
    let near = x.round();
    let point = curve.points.get(near.max(0.0) as usize);
    match point {
        Some(point) if (x - near).abs() < 0.01 && near >= 0.0 => at(curve, point.at),
        _ => String::new(),
    }
}
