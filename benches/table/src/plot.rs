//! The table as a picture: a dot per row on a logarithmic scale, and a mark at its goal.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::row::{Outcome, Verdict};

/// Height of a row, in pixels.
const LINE: i32 = 17;

/// x where the labels end and the dots begin, in pixels.
const LABELS: i32 = 430;

/// Width of the picture, in pixels.
const WIDTH: i32 = 1150;

/// Height of the title and the scale above the rows, in pixels.
const HEAD: i32 = 92;

/// The area of a picture.
pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws all rows that have a ratio.
///
/// # Errors
///
/// The file cannot be written.
pub fn ratios(path: &Path, adapter: &str, rows: &[Outcome]) -> Result<()> {
    let mut rows: Vec<_> = rows.iter().filter(|row| row.ratio.is_some()).collect();
    // Gathers each section's rows; sections keep the order of their first rows.
    let sections: Vec<_> = rows.iter().map(|row| row.section.clone()).collect();
    rows.sort_by_key(|row| sections.iter().position(|section| *section == row.section));
    let sections = rows.chunk_by(|a, b| a.section == b.section).count();
    let height = HEAD + 40 + LINE * (rows.len() + sections) as i32;
    let area = SVGBackend::new(path, (WIDTH as u32, height as u32)).into_drawing_area();
    draw(&area, adapter, &rows, height)
        .and_then(|()| area.present().map_err(|error| anyhow!("{error}")))
        .map_err(|error| anyhow!("cannot draw {}: {error}", path.display()))
}

fn draw(area: &Area<'_>, adapter: &str, rows: &[&Outcome], height: i32) -> Result<()> {
    area.fill(&WHITE)?;
    text(area, "Speed of wgpu-clamp: their time ÷ ours", (12, 22), 20, HPos::Left)?;
    text(area, adapter, (12, 43), 13, HPos::Left)?;
    legend(area)?;
    let scale = Scale::of(rows);
    scale.draw(area, height)?;
    let mut y = HEAD + LINE / 2;
    for section in rows.chunk_by(|a, b| a.section == b.section) {
        text(area, &section[0].section, (12, y), 14, HPos::Left)?;
        y += LINE;
        for row in section {
            line(area, &scale, row, y)?;
            y += LINE;
        }
    }
    Ok(())
}

fn legend(area: &Area<'_>) -> Result<()> {
    let entries = [(Verdict::Met, "goal met"), (Verdict::Missed, "missed"), (Verdict::Report, "no goal")];
    let mut x = LABELS + 20;
    for (verdict, name) in entries {
        area.draw(&Circle::new((x, 63), 5, color(verdict).filled()))?;
        text(area, name, (x + 10, 63), 13, HPos::Left)?;
        x += 100;
    }
    area.draw(&PathElement::new(vec![(x, 57), (x, 69)], BLACK.stroke_width(2)))?;
    text(area, "the goal", (x + 10, 63), 13, HPos::Left)
}

fn line(area: &Area<'_>, scale: &Scale, row: &Outcome, y: i32) -> Result<()> {
    let label = match &row.dtype {
        Some(dtype) => format!("{}  {dtype}", row.name.replace('`', "")),
        None => row.name.replace('`', ""),
    };
    text(area, &label, (LABELS - 10, y), 12, HPos::Right)?;
    area.draw(&PathElement::new(vec![(LABELS, y), (WIDTH - 70, y)], RGBColor(235, 235, 235)))?;
    // Always their time over ours, so that faster is farther right.
    let speed = |ratio: f64| if row.time_over_time { 1.0 / ratio } else { ratio };
    let Some(ratio) = row.ratio.map(speed) else { return Ok(()) };
    if let Some(goal) = row.target.map(speed) {
        let x = scale.x(goal);
        area.draw(&PathElement::new(vec![(x, y - 6), (x, y + 6)], BLACK.stroke_width(2)))?;
    }
    area.draw(&Circle::new((scale.x(ratio), y), 5, color(row.verdict).filled()))?;
    text(area, &format!("{ratio:.2}"), (WIDTH - 20, y), 12, HPos::Right)
}

/// Colours that can be told apart without red and green.
fn color(verdict: Verdict) -> RGBColor {
    match verdict {
        Verdict::Met => RGBColor(0, 114, 178),
        Verdict::Missed | Verdict::Wrong => RGBColor(213, 94, 0),
        Verdict::Report => RGBColor(150, 150, 150),
    }
}

/// A logarithmic scale.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// Spans all ratios and 1, out to the next ticks.
    fn of(rows: &[&Outcome]) -> Self {
        let speeds = rows.iter().filter_map(|row| {
            let ratio = row.ratio?;
            Some(if row.time_over_time { 1.0 / ratio } else { ratio })
        });
        let (low, high) =
            speeds.fold((1.0_f64, 1.0_f64), |(low, high), speed| (low.min(speed), high.max(speed)));
        let ticks = Self::ticks();
        let low = ticks.iter().copied().rfind(|tick| *tick <= low).unwrap_or(low);
        let high = ticks.iter().copied().find(|tick| *tick >= high * 1.05).unwrap_or(high);
        Self { low, high }
    }

    /// 1, 2 and 5 times each power of ten.
    fn ticks() -> Vec<f64> {
        (-4..4).flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(power))).collect()
    }

    fn x(&self, speed: f64) -> i32 {
        let at = (speed / self.low).ln() / (self.high / self.low).ln();
        LABELS + (at.clamp(0.0, 1.0) * f64::from(WIDTH - 80 - LABELS)) as i32
    }

    fn draw(&self, area: &Area<'_>, height: i32) -> Result<()> {
        for tick in Self::ticks().into_iter().filter(|tick| (self.low..=self.high).contains(tick)) {
            let x = self.x(tick);
            let one = (tick - 1.0).abs() < 1e-9;
            let style = if one { BLACK.stroke_width(1) } else { RGBColor(205, 205, 205).stroke_width(1) };
            area.draw(&PathElement::new(vec![(x, HEAD - 4), (x, height - 26)], style))?;
            for y in [HEAD - 12, height - 14] {
                text(area, &format!("{tick}"), (x, y), 12, HPos::Center)?;
            }
        }
        Ok(())
    }
}

/// Draws text at a point, which is the text's middle or one of its ends.
pub(crate) fn text(area: &Area<'_>, words: &str, at: (i32, i32), height: i32, side: HPos) -> Result<()> {
    let font = ("sans-serif", height).into_font();
    let style = font.color(&BLACK).pos(Pos::new(side, VPos::Center));
    Ok(area.draw(&Text::new(words.to_owned(), at, style))?)
}
