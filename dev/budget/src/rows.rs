//! The cases of the benchmark's table, and the shaders that each runs.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use clamp_bench::case::Case;
use clamp_bench::cases::{LAYOUTS, cases};
use clamp_bench::kernels::{Kind, grid, text};
use wgpu_clamp::Limits;
use wgpu_clamp::plan::Shader;

/// Bytes of a tensor: large enough that edges do not matter, and small enough to plan every row quickly.
const BYTES: usize = 64 << 20;

/// A row of the table.
pub struct Row {
    /// Section, name and dtypes.
    pub title: String,
    /// Elements of the output.
    pub elements: u64,
    /// Bytes read and written in all.
    pub bytes: u64,
    /// The kernels that the row's dispatches run.
    pub kernels: Vec<Kernel>,
}

/// A pipeline, and how often a row runs it.
pub struct Kernel {
    /// The label of the pipeline with its constants: what tells kernels apart.
    pub name: String,
    /// The text of the module.
    pub wgsl: String,
    /// The name of the entry point.
    pub entry_point: &'static str,
    /// Values of overridable constants, by name.
    pub constants: Vec<(&'static str, f64)>,
    /// Workgroups of all dispatches together.
    pub workgroups: u64,
}

impl From<Shader> for Kernel {
    fn from(shader: Shader) -> Self {
        let Shader { label: mut name, wgsl, entry_point, constants, workgroups, .. } = shader;
        for (constant, value) in &constants {
            _ = write!(name, " {constant}={value}");
        }
        Self { name, wgsl, entry_point, constants, workgroups }
    }
}

/// A copy of a tensor by the benchmark's kernel.
fn copy() -> Row {
    let [x, y] = grid(BYTES as u64 / 16 / 1024);
    let kernel = Kernel {
        name: "copy".to_owned(),
        wgsl: text(Kind::Copy, 4),
        entry_point: "main",
        constants: Vec::new(),
        workgroups: u64::from(x) * u64::from(y),
    };
    let title = "copy: 16-byte packets, four per invocation, u32".to_owned();
    Row { title, elements: BYTES as u64 / 4, bytes: 2 * BYTES as u64, kernels: vec![kernel] }
}

/// The rows whose title contains `only`, in any case, on the same limits on every machine: those of a GPU that converts F16
/// right. Behind a copy, which is always there.
pub fn rows(only: &str) -> Result<Vec<Row>> {
    let limits = Limits::default().with(|limits| {
        limits.f64_arithmetic = true;
        limits.f16_conversions = true;
    });
    let row = |case: Case| -> Result<Row> {
        let plan = case.plan(limits)?;
        let (elements, bytes) = (case.dst.len() as u64, 2 * case.bytes());
        Ok(Row {
            title: case.title(),
            elements,
            bytes,
            kernels: plan.shaders().into_iter().map(Kernel::from).collect(),
        })
    };
    let only = only.to_lowercase();
    let mut cases = cases(BYTES, None, u64::MAX)?;
    cases.retain(|case| case.section != LAYOUTS && case.title().to_lowercase().contains(&only));
    let mut rows = vec![copy()];
    rows.extend(cases.into_iter().map(row).collect::<Result<Vec<_>>>()?);
    ensure!(rows.len() > 1, "--only {only}: no row of the table contains this");
    Ok(rows)
}
