//! The picture of a table: a cell for each row, coloured by their time over ours.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::row::{Outcome, Verdict};
use crate::table::dash;

/// Width and height of a cell, and the width of the names, in pixels.
const CELL: [usize; 2] = [66, 20];
const NAMES: usize = 470;

/// Draws the rows of one name side by side, below the dtypes of their section. `below` is the line below the title.
pub fn draw(path: &Path, below: &str, rows: &[Outcome]) -> Result<()> {
    let mut body = String::new();
    let (mut y, mut columns) = (64, 6);
    for section in rows.chunk_by(|a, b| a.section == b.section) {
        let dtypes = unique(section, |row| &row.dtypes);
        columns = columns.max(dtypes.len());
        y += 2 * CELL[1];
        body += &text([12, y - 6], "start", "font-weight='bold'", &section[0].section);
        for (n, dtypes) in dtypes.iter().enumerate() {
            body += &text([NAMES + CELL[0] * n + CELL[0] / 2, y - 6], "middle", "", dtypes);
        }
        for name in unique(section, |row| &row.name) {
            body += &text([NAMES - 8, y + 14], "end", "", &name.replace('`', ""));
            for row in section.iter().filter(|row| row.name == name) {
                let column = dtypes.iter().position(|dtypes| *dtypes == row.dtypes).unwrap_or_default();
                body += &cell([NAMES + CELL[0] * column, y], row);
            }
            y += CELL[1];
        }
    }
    let (width, height) = (NAMES + CELL[0] * columns + 12, y + 12);
    let legend = "orange over white to blue: a twentieth of their speed to their speed; framed: the plain kernel is faster; bold: \
                  below its goal";
    let head = text([12, 22], "start", "font-size='20'", "wgpu-clamp: their time ÷ ours")
        + &text([12, 43], "start", "", below)
        + &text([12, 60], "start", "", legend);
    let svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif' \
         font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n{head}{body}</svg>\n"
    );
    fs::write(path, svg).with_context(|| format!("cannot write {}", path.display()))
}

/// The distinct values, in the order of their first rows.
fn unique<'a>(rows: &'a [Outcome], of: fn(&'a Outcome) -> &'a String) -> Vec<&'a str> {
    let mut all: Vec<&str> = Vec::new();
    for one in rows.iter().map(of) {
        if !all.contains(&one.as_str()) {
            all.push(one);
        }
    }
    all
}

fn text([x, y]: [usize; 2], anchor: &str, style: &str, words: &str) -> String {
    format!("<text x='{x}' y='{y}' text-anchor='{anchor}' {style}>{words}</text>\n")
}

/// The ratio on its colour.
fn cell([x, y]: [usize; 2], row: &Outcome) -> String {
    let (ratio, verdict) = (row.ratio(), row.verdict());
    let color = ratio.map_or([220; 3], shade).map(|part| part.to_string()).join(",");
    let frame =
        if row.to_plain().is_some_and(|ratio| ratio < 1.0) { "stroke='black' stroke-width='2'" } else { "" };
    let style = if verdict == Verdict::Missed { "font-weight='bold'" } else { "" };
    let words = if verdict == Verdict::Wrong {
        "wrong".to_owned()
    } else {
        dash(ratio, |ratio| format!("{ratio:.2}"))
    };
    let [width, height] = CELL.map(|side| side - 3);
    format!("<rect x='{x}' y='{y}' width='{width}' height='{height}' fill='rgb({color})' {frame}/>\n")
        + &text([x + CELL[0] / 2, y + 13], "middle", style, &words)
}

/// The colour of a ratio: orange (a twentieth of a copy) over white to blue (a copy), on a logarithmic scale. Colours
/// can be told apart without red and green, and are light enough for black digits.
fn shade(ratio: f64) -> [u8; 3] {
    let at = ((ratio / 0.05).ln() / 20_f64.ln()).clamp(0.0, 1.0);
    let [low, middle, high] = [[230.0, 110.0, 30.0], [250.0, 246.0, 235.0], [90.0, 165.0, 215.0]];
    let (from, to, part) = if at < 0.6 { (low, middle, at / 0.6) } else { (middle, high, (at - 0.6) / 0.4) };
    [0, 1, 2].map(|n| (from[n] + (to[n] - from[n]) * part) as u8)
}
