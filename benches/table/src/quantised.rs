//! Rows of quantised tensors: accumulators to elements of the next layer, and activations to 8 bits.

use anyhow::{Error, Result};
use wgpu_clamp::{Clamp, Clamps, DType, Layout, Number, Operands, Prepared, Rounding, View, wgpu};

use crate::bench::Bench;
use crate::case::{Case, Set};
use crate::clock::{Dispatch, Work};
use crate::data;
use crate::row::Goal::{Report, Speed, Time};
use crate::row::{Goal, Rival, Row, Trial, Unit};

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
        if along.is_some() {
            rows.push(from_slots(case, format!("{source} to {dtype}, {name}, on the GPU")));
        }
    }
    let picture = Layout::packed(&[count, COLUMNS / 3 * 4, 3])?;
    let of_channel = |channel: usize| of_index(DType::U8, DType::F32, channel * 1000);
    let clamps = [of_channel(0)?, of_channel(1)?, of_channel(2)?];
    let case = Case::along(2, &clamps, picture, picture);
    rows.push(from_slots(case, "u8 to f32, channels last, a scale per channel, on the GPU".to_owned()));
    rows.push(resolve()?);
    Ok(rows)
}

/// A row of a case whose scales and biases lie on the GPU, held against the same with those of the program.
fn from_slots(case: Case, name: String) -> Row {
    let prepare = move |bench: &Bench| {
        let bytes = case.bytes();
        let set = case.set(&bench.device, bench.sets(bytes))?;
        let they = case.set(&bench.device, bench.sets(bytes))?;
        let rival = Rival { name: "ours, scales of the program".to_owned(), work: they.work() };
        let ours = on_gpu(bench, &case, &set)?;
        let check = move |bench: &Bench| case.check(&bench.device, &set);
        Ok(Trial { bytes, ours, rivals: vec![rival], check: Box::new(check) })
    };
    Row {
        section: "quantised",
        name,
        dtype: Some(case.clamp.dtype()),
        goals: [Speed(0.95); 2],
        unit: Unit::Seconds,
        case: None,
        prepare: Box::new(prepare),
    }
}

/// The dispatch that reads 8,192 scales, with a clamp of as many elements, held against the clamp of 8,192 rows.
fn resolve() -> Result<Row> {
    const ROWS: usize = 8192;
    let clamps: Vec<_> = (0..ROWS).map(|n| of_index(DType::F32, DType::I8, n)).collect::<Result<_>>()?;
    let layout = |columns: usize| Layout::packed(&[ROWS, columns]);
    let (column, all) = (layout(1)?, layout(COLUMNS)?);
    let (few, many) = (Case::along(0, &clamps, column, column), Case::along(0, &clamps, all, all));
    let prepare = move |bench: &Bench| {
        let set = few.set(&bench.device, 1)?;
        let they = many.set(&bench.device, bench.sets(many.bytes()))?;
        let rival = Rival { name: "ours, 8192 rows of 1024".to_owned(), work: they.work() };
        let ours = on_gpu(bench, &few, &set)?;
        let check = move |bench: &Bench| few.check(&bench.device, &set);
        Ok(Trial { bytes: few.bytes(), ours, rivals: vec![rival], check: Box::new(check) })
    };
    Ok(Row {
        section: "quantised",
        name: "8192 scales on the GPU, of one element each".to_owned(),
        dtype: Some(DType::I8),
        goals: [Goal::Report, Time(0.05)],
        unit: Unit::Seconds,
        case: None,
        prepare: Box::new(prepare),
    })
}

/// The work of a case on its buffers, with scales and biases in slots.
fn on_gpu(bench: &Bench, case: &Case, set: &Set) -> Result<Work> {
    let (axis, clamps) = case.channels.expect("each index has a scale");
    let bits = |number: Number| number.value().map_or(0, |scalar| scalar.bits() as u32).to_le_bytes();
    let scales: Vec<u8> = clamps.iter().flat_map(|clamp| bits(clamp.scale())).collect();
    let biases: Vec<u8> = clamps.iter().flat_map(|clamp| bits(clamp.bias())).collect();
    let buffers = [data::buffer(&bench.device, &scales)?, data::buffer(&bench.device, &biases)?];
    let slot = |buffer| Ok::<_, Error>(View::of::<f32>(buffer, Layout::packed(&[clamps.len()])?));
    let clamp = case.clamp.with_scale_bias(Number::OnGpu, Number::OnGpu)?;
    let prepare = |[src, dst]: &[wgpu::Buffer; 2]| {
        let (src, dst) = (View::new(src, clamp.source(), case.src), View::new(dst, clamp.dtype(), case.dst));
        let operands = Operands::new(src, dst).with_scale(slot(&buffers[0])?).with_bias(slot(&buffers[1])?);
        let prepared: Prepared =
            bench.device.host.clamper().prepare(Clamps::slots_along(axis, &clamp), operands)?;
        Ok(Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.record(pass)) as Dispatch)
    };
    Ok(Work::Pass(set.buffers.iter().map(prepare).collect::<Result<_>>()?))
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
