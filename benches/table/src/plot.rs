//! Pictures: the table's ratios, the sweep as coloured cells.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::outcome::{Outcome, Verdict};
use crate::sweep::Point;
use crate::text::{dash, size};

/// The area of a picture.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Makes a white picture of a width and a height in pixels, and lets `draw` fill it.
pub fn picture(
    path: &Path,
    (width, height): (i32, i32),
    draw: impl FnOnce(&Area<'_>) -> Result<()>,
) -> Result<()> {
    let area = SVGBackend::new(path, (width as u32, height as u32)).into_drawing_area();
    let drawn = || -> Result<()> {
        area.fill(&WHITE)?;
        draw(&area)?;
        Ok(area.present()?)
    };
    drawn().map_err(|error| anyhow!("cannot draw {}: {error}", path.display()))
}

/// Draws text at a point, which is the text's middle or one of its ends.
pub fn text(area: &Area<'_>, words: &str, at: (i32, i32), height: i32, side: HPos) -> Result<()> {
    let font = ("sans-serif", height).into_font();
    let style = font.color(&BLACK).pos(Pos::new(side, VPos::Center));
    Ok(area.draw(&Text::new(words.to_owned(), at, style))?)
}

/// Draws a title and a line of text below it.
pub fn title(area: &Area<'_>, title: &str, below: &str) -> Result<()> {
    text(area, title, (12, 22), 20, HPos::Left)?;
    text(area, below, (12, 43), 13, HPos::Left)
}

/// Draws a straight line.
pub fn line(area: &Area<'_>, from: (i32, i32), to: (i32, i32), style: impl Into<ShapeStyle>) -> Result<()> {
    Ok(area.draw(&PathElement::new(vec![from, to], style.into()))?)
}

/// Draws the table: a dot per row on a logarithmic scale, and a mark at its goal. Leaves out rows without a ratio.
pub(crate) fn ratios(path: &Path, adapter: &str, rows: &[Outcome]) -> Result<()> {
    let mut rows: Vec<_> = rows.iter().filter(|row| row.ratio.is_some()).collect();
    // Gathers each section's rows; sections keep the order of their first rows.
    let sections: Vec<_> = rows.iter().map(|row| &row.section).collect();
    rows.sort_by_key(|row| sections.iter().position(|section| **section == row.section));
    let sections: Vec<_> = rows.chunk_by(|a, b| a.section == b.section).collect();
    let height = HEAD + 40 + LINE * (rows.len() + sections.len()) as i32;
    picture(path, (WIDTH, height), |area| {
        title(area, "Speed of wgpu-clamp: their time ÷ ours", adapter)?;
        let entries = [(Verdict::Met, "goal met"), (Verdict::Missed, "missed"), (Verdict::Report, "no goal")];
        let mut x = LABELS + 20;
        for (verdict, name) in entries {
            area.draw(&Circle::new((x, 63), 5, color(verdict).filled()))?;
            text(area, name, (x + 10, 63), 13, HPos::Left)?;
            x += 100;
        }
        line(area, (x, 57), (x, 69), BLACK.stroke_width(2))?;
        text(area, "the goal", (x + 10, 63), 13, HPos::Left)?;
        let scale = Scale::of(&rows);
        scale.draw(area, height)?;
        let mut y = HEAD + LINE / 2;
        for section in sections {
            text(area, &section[0].section, (12, y), 14, HPos::Left)?;
            y += LINE;
            for row in section {
                dot(area, &scale, row, y)?;
                y += LINE;
            }
        }
        Ok(())
    })
}

/// Height of a row of the table, in pixels.
const LINE: i32 = 17;

/// x where the table's labels end and the dots begin, in pixels.
const LABELS: i32 = 430;

/// Width of the table's picture, in pixels.
const WIDTH: i32 = 1150;

/// Height of the title and the scale above the table's rows, in pixels.
const HEAD: i32 = 92;

fn dot(area: &Area<'_>, scale: &Scale, row: &Outcome, y: i32) -> Result<()> {
    let name = row.name.replace('`', "");
    let label = row.dtype.as_ref().map_or_else(|| name.clone(), |dtype| format!("{name}  {dtype}"));
    text(area, &label, (LABELS - 10, y), 12, HPos::Right)?;
    line(area, (LABELS, y), (WIDTH - 70, y), RGBColor(235, 235, 235))?;
    let Some(speed) = row.ratio.map(|ratio| row.speed(ratio)) else { return Ok(()) };
    if let Some(goal) = row.target.map(|goal| row.speed(goal)) {
        let x = scale.x(goal);
        line(area, (x, y - 6), (x, y + 6), BLACK.stroke_width(2))?;
    }
    area.draw(&Circle::new((scale.x(speed), y), 5, color(row.verdict).filled()))?;
    text(area, &format!("{speed:.2}"), (WIDTH - 20, y), 12, HPos::Right)
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
    /// Spans all speeds and 1, out to the next ticks.
    fn of(rows: &[&Outcome]) -> Self {
        let speeds = rows.iter().filter_map(|row| row.ratio.map(|ratio| row.speed(ratio)));
        let (low, high) =
            speeds.fold((1.0_f64, 1.0_f64), |(low, high), speed| (low.min(speed), high.max(speed)));
        let low = Self::ticks().rfind(|tick| *tick <= low).unwrap_or(low);
        let high = Self::ticks().find(|tick| *tick >= high * 1.05).unwrap_or(high);
        Self { low, high }
    }

    /// 1, 2 and 5 times each power of ten.
    fn ticks() -> impl DoubleEndedIterator<Item = f64> {
        (-4..4).flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(power)))
    }

    fn x(&self, speed: f64) -> i32 {
        let at = (speed / self.low).ln() / (self.high / self.low).ln();
        LABELS + (at.clamp(0.0, 1.0) * f64::from(WIDTH - 80 - LABELS)) as i32
    }

    fn draw(&self, area: &Area<'_>, height: i32) -> Result<()> {
        for tick in Self::ticks().filter(|tick| (self.low..=self.high).contains(tick)) {
            let x = self.x(tick);
            let one = (tick - 1.0).abs() < 1e-9;
            let style = if one { BLACK.stroke_width(1) } else { RGBColor(205, 205, 205).stroke_width(1) };
            line(area, (x, HEAD - 4), (x, height - 26), style)?;
            for y in [HEAD - 12, height - 14] {
                text(area, &tick.to_string(), (x, y), 12, HPos::Center)?;
            }
        }
        Ok(())
    }
}

/// Width and height of a cell of the sweep, in pixels.
const CELL: (i32, i32) = (62, 20);

/// Draws the sweep: a row per layout, a column per pair of dtypes, coloured by the ratio to a copy.
pub(crate) fn cells(path: &Path, adapter: &str, points: &[Point]) -> Result<()> {
    // x where the layouts' names end; the height of the title, the legend and the columns' names; the gap between two
    // sizes.
    let (labels, head, gap) = (270, 118, 18);
    let rows = unique(points, |point| point.layout.as_str());
    let pairs = unique(points, |point| point.pair.as_str());
    let sizes = unique(points, |point| point.bytes);
    let panel = CELL.0 * pairs.len() as i32 + gap;
    let (width, height) = (labels + panel * sizes.len() as i32, head + CELL.1 * rows.len() as i32 + 12);
    picture(path, (width, height), |area| {
        title(area, "Layouts of wgpu-clamp: a copy's time ÷ ours", adapter)?;
        let mut x = 12;
        for ratio in [0.05, 0.1, 0.2, 0.4, 0.7, 1.0] {
            cell(area, (x, 56), Some(ratio), false)?;
            x += CELL.0;
        }
        x += 14;
        cell(area, (x, 56), Some(0.4), true)?;
        text(area, "slower than the plain kernel", (x + CELL.0 + 8, 66), 13, HPos::Left)?;
        for (row, y) in rows.iter().zip((0..).map(|n| head + CELL.1 * n + CELL.1 / 2)) {
            text(area, row, (labels - 8, y), 12, HPos::Right)?;
        }
        for (bytes, left) in sizes.iter().zip((0..).map(|n| labels + panel * n)) {
            text(area, &size(*bytes), (left, head - 28), 14, HPos::Left)?;
            for (pair, n) in pairs.iter().zip(0..) {
                let middle = left + CELL.0 * n + CELL.0 / 2;
                text(area, pair, (middle, head - 10), 11, HPos::Center)?;
            }
        }
        for point in points {
            let panels = place(&sizes, &point.bytes);
            let x = labels + panels * panel + place(&pairs, &point.pair.as_str()) * CELL.0;
            let y = head + place(&rows, &point.layout.as_str()) * CELL.1;
            if point.error.is_some() {
                text(area, "wrong", (x + CELL.0 / 2, y + CELL.1 / 2), 12, HPos::Center)?;
            } else {
                cell(area, (x, y), point.to_copy(), point.to_plain().is_some_and(|to| to < 1.0))?;
            }
        }
        Ok(())
    })
}

/// The distinct values, in the order of their first points.
fn unique<'a, T: PartialEq>(points: &'a [Point], of: fn(&'a Point) -> T) -> Vec<T> {
    let mut all = Vec::new();
    for one in points.iter().map(of) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

fn place<T: PartialEq>(all: &[T], one: &T) -> i32 {
    all.iter().position(|other| other == one).unwrap_or(0) as i32
}

/// Draws the ratio on its colour, framed if the plain kernel is faster.
fn cell(area: &Area<'_>, (x, y): (i32, i32), ratio: Option<f64>, framed: bool) -> Result<()> {
    let corners = [(x, y), (x + CELL.0 - 2, y + CELL.1 - 2)];
    let color = ratio.map_or(RGBColor(220, 220, 220), shade);
    area.draw(&Rectangle::new(corners, color.filled()))?;
    if framed {
        let inner = [(x + 1, y + 1), (x + CELL.0 - 3, y + CELL.1 - 3)];
        area.draw(&Rectangle::new(inner, BLACK.stroke_width(2)))?;
    }
    let words = dash(ratio, |ratio| format!("{ratio:.2}"));
    text(area, &words, (x + CELL.0 / 2 - 1, y + CELL.1 / 2 - 1), 12, HPos::Center)
}

/// The colour of a ratio: orange (a twentieth of a copy) over white to blue (a copy), on a logarithmic scale. Colours
/// can be told apart without red and green, and are light enough for black digits.
fn shade(ratio: f64) -> RGBColor {
    let at = ((ratio / 0.05).ln() / 20_f64.ln()).clamp(0.0, 1.0);
    let [low, middle, high] = [[230.0, 110.0, 30.0], [250.0, 246.0, 235.0], [90.0, 165.0, 215.0]];
    let (from, to, part) = if at < 0.6 { (low, middle, at / 0.6) } else { (middle, high, (at - 0.6) / 0.4) };
    let [red, green, blue] = [0, 1, 2].map(|n| (from[n] + (to[n] - from[n]) * part) as u8);
    RGBColor(red, green, blue)
}
