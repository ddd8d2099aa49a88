//! Draws instructions per byte: a dot for each row on a logarithmic scale, and a line at each GPU's budget.

use std::path::Path;

use anyhow::Result;
use clamp_bench::plot::{line, picture, text, title};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::figures::Family;
use super::rows::Row;
use super::table::per_element_and_byte;

/// Height of a row, in pixels.
const LINE: i32 = 16;

/// x where the labels end and the scale begins, and x where the scale ends, in pixels.
const SCALE: [i32; 2] = [470, 1130];

/// Height of the title and the numbers above the rows, in pixels.
const HEAD: i32 = 84;

/// Instructions per byte at both ends of the scale.
const ENDS: [f64; 2] = [0.1, 100.0];

fn x(instructions: f64) -> i32 {
    let part = (instructions / ENDS[0]).ln() / (ENDS[1] / ENDS[0]).ln();
    SCALE[0] + (part.clamp(0.0, 1.0) * f64::from(SCALE[1] - SCALE[0])) as i32
}

/// Draws all rows.
pub fn draw(path: &Path, family: &Family, rows: &[Row]) -> Result<()> {
    let sections: Vec<_> = rows.chunk_by(|a, b| a.section == b.section).collect();
    let height = HEAD + LINE * (rows.len() + sections.len()) as i32 + 30;
    picture(path, (1160, height), |area| {
        let below = format!("{}. Loops count once.", family.device);
        title(area, "Instructions per byte moved", &below)?;
        for number in [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0] {
            line(area, (x(number), HEAD - 8), (x(number), height - 22), RGBColor(225, 225, 225))?;
            text(area, &number.to_string(), (x(number), HEAD - 16), 12, HPos::Center)?;
        }
        let mut y = HEAD + LINE / 2;
        for section in sections {
            text(area, section[0].section, (12, y), 13, HPos::Left)?;
            y += LINE;
            for row in section {
                text(area, &format!("{} {}", row.name, row.dtype), (24, y), 12, HPos::Left)?;
                if let Some([_, byte]) = per_element_and_byte(family, row) {
                    area.draw(&Circle::new((x(byte), y), 4, RGBColor(40, 90, 160).filled()))?;
                }
                y += LINE;
            }
        }
        Ok(())
    })
}
