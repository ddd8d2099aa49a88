//! The sweep as a picture: a row per layout, a column per pair, coloured by the ratio to a copy.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::Point;
use crate::plot::{Area, text};
use crate::table::size;

/// Width and height of a cell, in pixels.
const CELL: (i32, i32) = (62, 20);

/// x where the layouts' names end, in pixels.
const LABELS: i32 = 270;

/// Height of the title, the legend and the columns' names, in pixels.
const HEAD: i32 = 118;

/// Width of the gap between two sizes, in pixels.
const GAP: i32 = 18;

/// Draws all points.
///
/// # Errors
///
/// The file cannot be written.
pub fn draw(path: &Path, adapter: &str, points: &[Point]) -> Result<()> {
    let rows = unique(points, |point| &point.layout);
    let pairs = unique(points, |point| &point.pair);
    let sizes = unique(points, |point| &point.bytes);
    let panel = CELL.0 * pairs.len() as i32 + GAP;
    let (width, height) = (LABELS + panel * sizes.len() as i32, HEAD + CELL.1 * rows.len() as i32 + 12);
    let area = SVGBackend::new(path, (width as u32, height as u32)).into_drawing_area();
    let at = |point: &Point| {
        let place = |all: &[&String], one: &String| all.iter().position(|other| *other == one);
        let column = place(&pairs, &point.pair).unwrap_or(0) as i32;
        let panels = sizes.iter().position(|bytes| **bytes == point.bytes).unwrap_or(0) as i32;
        let row = place(&rows, &point.layout).unwrap_or(0) as i32;
        (LABELS + panels * panel + column * CELL.0, HEAD + row * CELL.1)
    };
    let draw = || -> Result<()> {
        area.fill(&WHITE)?;
        text(&area, "Layouts of wgpu-clamp: a copy's time ÷ ours", (12, 22), 20, HPos::Left)?;
        text(&area, adapter, (12, 43), 13, HPos::Left)?;
        legend(&area)?;
        for (n, row) in rows.iter().enumerate() {
            text(&area, row, (LABELS - 8, HEAD + CELL.1 * n as i32 + CELL.1 / 2), 12, HPos::Right)?;
        }
        for (n, bytes) in sizes.iter().enumerate() {
            let left = LABELS + panel * n as i32;
            text(&area, &size(**bytes), (left, HEAD - 28), 14, HPos::Left)?;
            for (n, pair) in pairs.iter().enumerate() {
                let middle = left + CELL.0 * n as i32 + CELL.0 / 2;
                text(&area, pair, (middle, HEAD - 10), 11, HPos::Center)?;
            }
        }
        for point in points {
            let (x, y) = at(point);
            if point.error.is_some() {
                text(&area, "wrong", (x + CELL.0 / 2, y + CELL.1 / 2), 12, HPos::Center)?;
                continue;
            }
            cell(&area, (x, y), point.to_copy(), point.to_plain().is_some_and(|to| to < 1.0))?;
        }
        Ok(area.present()?)
    };
    draw().map_err(|error| anyhow!("cannot draw {}: {error}", path.display()))
}

/// The distinct values, in the order of their first points.
fn unique<T: PartialEq>(points: &[Point], of: fn(&Point) -> &T) -> Vec<&T> {
    let mut all = Vec::new();
    for one in points.iter().map(of) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

fn legend(area: &Area<'_>) -> Result<()> {
    let mut x = 12;
    for ratio in [0.05, 0.1, 0.2, 0.4, 0.7, 1.0] {
        cell(area, (x, 56), Some(ratio), false)?;
        x += CELL.0;
    }
    x += 14;
    cell(area, (x, 56), Some(0.4), true)?;
    text(area, "slower than the plain kernel", (x + CELL.0 + 8, 66), 13, HPos::Left)
}

/// Draws the ratio on its colour, framed if the plain kernel is faster.
fn cell(area: &Area<'_>, (x, y): (i32, i32), ratio: Option<f64>, framed: bool) -> Result<()> {
    let corners = [(x, y), (x + CELL.0 - 2, y + CELL.1 - 2)];
    let color = ratio.map_or(RGBColor(220, 220, 220), color);
    area.draw(&Rectangle::new(corners, color.filled()))?;
    if framed {
        area.draw(&Rectangle::new(
            [(x + 1, y + 1), (x + CELL.0 - 3, y + CELL.1 - 3)],
            BLACK.stroke_width(2),
        ))?;
    }
    let words = ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
    text(area, &words, (x + CELL.0 / 2 - 1, y + CELL.1 / 2 - 1), 12, HPos::Center)
}

/// From orange (a twentieth of a copy) over white to blue (a copy), on a logarithmic scale. Colours can be told apart
/// without red and green, and are light enough for black digits.
fn color(ratio: f64) -> RGBColor {
    let at = ((ratio / 0.05).ln() / 20_f64.ln()).clamp(0.0, 1.0);
    let mix =
        |from: u8, to: u8, part: f64| (f64::from(from) + (f64::from(to) - f64::from(from)) * part) as u8;
    let [low, middle, high] = [[230, 110, 30], [250, 246, 235], [90, 165, 215]];
    let (from, to, part) = if at < 0.6 { (low, middle, at / 0.6) } else { (middle, high, (at - 0.6) / 0.4) };
    RGBColor(mix(from[0], to[0], part), mix(from[1], to[1], part), mix(from[2], to[2], part))
}
