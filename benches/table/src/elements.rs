//! Rows for tensors without gaps: every dtype, and scale and bias in both precisions.

use anyhow::Result;
use wgpu_clamp::{Clamp, DType, Layout, Precision};

use crate::case::Case;
use crate::data;
use crate::row::Goal::{Report, Speed};
use crate::row::{Goal, Row};

/// All rows of this file, of tensors of `bytes` bytes. `has_f64`: whether the device computes in f64.
pub fn rows(has_f64: bool, bytes: usize) -> Result<Vec<Row>> {
    let packed = |clamp: Clamp| -> Result<Case> {
        let layout = Layout::packed(&[bytes / clamp.dtype().size()])?;
        Ok(Case::new(clamp, layout, layout))
    };
    let mut rows = Vec::new();
    for dtype in DType::ALL {
        let least = if matches!(dtype, DType::F16 | DType::BF16) { 0.80 } else { 0.90 };
        for (name, in_place) in [("clamp", false), ("clamp, in place", true)] {
            let case = Case { in_place, ..packed(data::bounds(dtype))? };
            rows.push(case.row("contiguous", name, [Speed(0.95), Speed(least)]));
        }
    }
    for dtype in DType::ALL {
        let goals = if dtype == DType::F64 && !has_f64 { [Report; 2] } else { fast_goals(dtype) };
        rows.push(packed(stepped(dtype)?)?.row("scale and bias", "scale, bias, clamp", goals));
    }
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_float()) {
        let clamp = stepped(dtype)?.with_precision(Precision::Exact);
        let least = if dtype == DType::F32 { Speed(0.45) } else { Report };
        rows.push(packed(clamp)?.row("scale and bias", "the same, Exact", [Report, least]));
    }
    Ok(rows)
}

/// Bounds with an ordinary scale and bias.
fn stepped(dtype: DType) -> Result<Clamp> {
    let (scale, bias) = if dtype.is_float() { (1.7, -0.3) } else { (1.5, -20.0) };
    Ok(data::bounds(dtype).with_affine(scale, bias)?.with_precision(Precision::Fast))
}

fn fast_goals(dtype: DType) -> [Goal; 2] {
    match dtype {
        DType::F32 | DType::F64 => [Speed(0.95), Speed(0.85)],
        DType::BF16 => [Speed(0.90), Speed(0.65)],
        DType::F16 => [Speed(0.90), Speed(0.40)],
        DType::I8 | DType::U8 => [Speed(0.75), Speed(0.55)],
        DType::I16 | DType::U16 => [Report, Speed(0.40)],
        DType::I32 | DType::U32 => [Report, Speed(0.58)],
        DType::I64 | DType::U64 => [Report, Speed(0.45)],
    }
}
