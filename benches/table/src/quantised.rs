//! Rows of quantised tensors: accumulators to elements of the next layer, and activations to 8 bits.

use anyhow::Result;
use wgpu_clamp::{Clamp, DType, Layout, Rounding};

use crate::bench::Bench;
use crate::case::Case;
use crate::row::Goal::{Report, Speed};
use crate::row::Row;

/// Of a matrix.
const COLUMNS: usize = 1024;

/// All of them.
///
/// # Errors
///
/// None that the sizes of a device bring about.
pub fn rows(bench: &Bench) -> Result<Vec<Row>> {
    let count = usize::try_from(bench.bytes())? / 4 / COLUMNS;
    let layout = Layout::packed(&[count, COLUMNS])?;
    let mut rows = Vec::new();
    for (source, dtype, along, goal) in [
        (DType::I32, DType::I8, None, Speed(0.5)),
        (DType::I32, DType::I8, Some(1), Speed(0.25)),
        (DType::I32, DType::I8, Some(0), Speed(0.45)),
        (DType::I32, DType::F32, Some(1), Speed(0.3)),
        (DType::I32, DType::F16, Some(1), Speed(0.3)),
        (DType::F32, DType::I8, Some(0), Speed(0.6)),
        (DType::F16, DType::I8, Some(0), Speed(0.45)),
    ] {
        let (name, case) = match along {
            None => ("one clamp", Case::new(of_index(source, dtype, 0)?, layout, layout)),
            Some(axis) => {
                let clamps: Result<Vec<_>> =
                    (0..layout.shape()[axis]).map(|index| of_index(source, dtype, index)).collect();
                let name = if axis == 0 { "a scale per row" } else { "a scale per column" };
                (name, Case::along(axis, &clamps?, layout, layout))
            }
        };
        rows.push(case.row("quantised", format!("{source} to {dtype}, {name}"), [Report, goal]));
    }
    Ok(rows)
}

/// A scale for accumulators of some million, another for each index.
fn of_index(source: DType, dtype: DType, index: usize) -> Result<Clamp> {
    #[expect(clippy::cast_precision_loss, reason = "some thousand")]
    let share = index as f32 / 1e4;
    let most = if source.is_float() { 8.0 } else { 1e6 };
    let scale = 127.0 / (most * (1.0 + share));
    let clamp = Clamp::unbounded(dtype).with_source(source)?.with_affine(scale, 0.25)?;
    Ok(clamp.with_rounding(Rounding::NearestEven))
}
