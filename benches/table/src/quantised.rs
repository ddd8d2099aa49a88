//! Rows for quantised tensors: from accumulators to elements of the next layer, from activations to 8 bits, from bytes
//! to floats.

use anyhow::Result;
use wgpu_clamp::{Clamp, DType, Layout, Rounding};

use crate::bench::Bench;
use crate::case::Case;
use crate::row::Goal::{Report, Speed, Time};
use crate::row::{Rival, Row, Trial};

/// Columns of a matrix.
const COLUMNS: usize = 1024;

/// All rows of this file; a matrix of I32 has `bytes` bytes.
pub fn rows(bytes: usize) -> Result<Vec<Row>> {
    let count = bytes / 4 / COLUMNS;
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
        let pair = format!("{source} to {dtype}");
        let Some(axis) = along else {
            let case = Case::new(of_index(source, dtype, 0)?, layout, layout);
            rows.push(case.row("quantised", format!("{pair}, one clamp"), [Report, goal]));
            continue;
        };
        let clamps = (0..layout.shape()[axis]).map(|index| of_index(source, dtype, index));
        let clamps = clamps.collect::<Result<Vec<_>>>()?;
        let name = format!("{pair}, a scale per {}", if axis == 0 { "row" } else { "column" });
        rows.push(Case::along(axis, &clamps, layout, layout).row("quantised", &name, [Report, goal]));
        let case = Case::in_slots(axis, &clamps, layout, layout)?;
        rows.push(case.row("quantised", format!("{name}, on the GPU"), [Speed(0.95); 2]));
    }
    let picture = Layout::packed(&[count, COLUMNS / 3 * 4, 3])?;
    let of_channel = |channel: usize| of_index(DType::U8, DType::F32, channel * 1000);
    let clamps = [of_channel(0)?, of_channel(1)?, of_channel(2)?];
    let name = "u8 to f32, channels last, a scale per channel, on the GPU";
    rows.push(Case::in_slots(2, &clamps, picture, picture)?.row("quantised", name, [Speed(0.95); 2]));
    rows.push(resolve()?);
    Ok(rows)
}

/// A clamp of 8,192 elements with a scale on the GPU for each, so that reading the scales takes most of the time.
/// Compared with a clamp of 8,192 rows with scales of the host.
fn resolve() -> Result<Row> {
    const ROWS: usize = 8192;
    let clamps: Vec<_> = (0..ROWS).map(|n| of_index(DType::F32, DType::I8, n)).collect::<Result<_>>()?;
    let layout = |columns: usize| Layout::packed(&[ROWS, columns]);
    let (column, all) = (layout(1)?, layout(COLUMNS)?);
    let (few, many) = (Case::in_slots(0, &clamps, column, column)?, Case::along(0, &clamps, all, all));
    let prepare = move |bench: &Bench| {
        let set = few.set(&bench.device, 1)?;
        let they = many.set(&bench.device, bench.sets(many.bytes()))?;
        let rivals = vec![Rival { name: "ours, 8192 rows of 1024".to_owned(), work: they.work() }];
        let (bytes, ours) = (few.bytes(), set.work());
        Ok(Trial { bytes, ours, rivals, check: Box::new(move |bench| few.check(&bench.device, &set)) })
    };
    let name = "8192 scales on the GPU, of one element each";
    Ok(Row::new("quantised", name, DType::I8, [Report, Time(0.05)], prepare))
}

/// A clamp that scales accumulators up to a million, or floats up to 8, to about ±127. The scale differs by index.
fn of_index(source: DType, dtype: DType, index: usize) -> Result<Clamp> {
    #[expect(clippy::cast_precision_loss, reason = "some thousand")]
    let share = index as f32 / 1e4;
    let most = if source.is_float() { 8.0 } else { 1e6 };
    let scale = 127.0 / (most * (1.0 + share));
    let clamp = Clamp::unbounded(dtype).with_source(source)?.with_affine(scale, 0.25)?;
    Ok(clamp.with_rounding(Rounding::NearestEven))
}
