//! The rows of the benchmark, and the shaders that each runs.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use clamp_bench::case::Against;
use clamp_bench::options::Options;
use wgpu_clamp::{Limits, Plan, Shader};

/// Bytes of a tensor: large enough that edges do not matter, and small enough to plan every row quickly.
const BYTES: usize = 64 << 20;

/// A row of the table.
pub struct Row {
    /// The row's section of the table.
    pub section: &'static str,
    /// The row's name.
    pub name: String,
    /// The dtype of the output.
    pub dtype: &'static str,
    /// Elements of the output.
    pub elements: u64,
    /// Bytes read and written in all.
    pub bytes: u64,
    /// The kernels that the row's dispatches run.
    pub kernels: Vec<Kernel>,
}

/// A pipeline, and how often a row runs it.
#[derive(Clone)]
pub struct Kernel {
    /// The label of the pipeline.
    pub label: String,
    /// The text of the module.
    pub wgsl: String,
    /// The name of the entry point.
    pub entry_point: String,
    /// Values of overridable constants, by name.
    pub constants: Vec<(&'static str, f64)>,
    /// Workgroups of all dispatches together.
    pub workgroups: u64,
}

impl Kernel {
    /// The label with the constants: what tells kernels apart.
    pub fn name(&self) -> String {
        let mut name = self.label.clone();
        for (constant, value) in &self.constants {
            // The plans are for a GPU, so `IN_SEQUENCE` is always 0.
            if *constant != "IN_SEQUENCE" {
                _ = write!(name, " {constant}={value}");
            }
        }
        name
    }
}

impl From<Shader> for Kernel {
    fn from(shader: Shader) -> Self {
        let Shader { label, wgsl, entry_point, constants, workgroups, .. } = shader;
        Self { label, wgsl, entry_point: entry_point.to_owned(), constants, workgroups }
    }
}

/// A copy of a tensor by a hand-written kernel.
fn copy() -> Row {
    let kernel = Kernel {
        label: "copy".to_owned(),
        wgsl: include_str!("copy.wgsl").to_owned(),
        entry_point: "copy".to_owned(),
        constants: Vec::new(),
        workgroups: BYTES as u64 / 16 / 1024,
    };
    Row {
        section: "copy",
        name: "16-byte packets, four per invocation".to_owned(),
        dtype: "u32",
        elements: BYTES as u64 / 4,
        bytes: 2 * BYTES as u64,
        kernels: vec![kernel],
    }
}

/// The rows whose section, name or dtype contains `only`, in any case, on the same limits on every machine: those of a GPU that
/// converts F16 right. Behind a copy, which is always there.
pub fn rows(only: &str) -> Result<Vec<Row>> {
    let limits = Limits { f64_arithmetic: true, f16_conversions: true, ..Limits::default() };
    let wants = Options { only: Some(only.to_owned()), ..Default::default() };
    let mut rows = vec![copy()];
    for row in clamp_bench::cases(true, BYTES)? {
        // A row against a plain kernel repeats the case of another row.
        let Some(case) = row.case.filter(|case| case.rival != Against::Plain) else { continue };
        let dtype = case.clamp.dtype().name();
        if !wants.wants(&format!("{}: {} {dtype}", row.section, row.name)) {
            continue;
        }
        let plan = if case.in_place {
            Plan::in_one_buffer(case.asked(), &case.src, &case.dst, limits)?
        } else {
            Plan::new(case.asked(), &case.src, &case.dst, limits)?
        };
        rows.push(Row {
            section: row.section,
            name: row.name,
            dtype,
            elements: case.dst.len() as u64,
            bytes: 2 * case.bytes(),
            kernels: plan.shaders().into_iter().map(Kernel::from).collect(),
        });
    }
    ensure!(rows.len() > 1, "--only {only}: no row of the table contains this");
    Ok(rows)
}
