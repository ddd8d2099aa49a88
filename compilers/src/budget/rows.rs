//! The rows of the benchmark, and the shaders that each runs.

use std::fmt::Write as _;

use anyhow::Result;
use clamp_bench::bench::Bench;
use clamp_bench::case::Against;
use wgpu_clamp::{Limits, Plan, Shader};

/// The tensors: large enough that edges do not count, small enough for every plan to be made at once.
const BYTES: u64 = 64 << 20;

/// A row of the table.
pub struct Row {
    /// The part of the table that it belongs to.
    pub section: &'static str,
    /// What is computed.
    pub name: String,
    /// Of the output's elements.
    pub dtype: &'static str,
    /// Of the output.
    pub elements: u64,
    /// Bytes that are read and written in all.
    pub bytes: u64,
    /// What its dispatches run.
    pub kernels: Vec<Kernel>,
}

/// What one pipeline is made of, and how often a row runs it.
#[derive(Clone)]
pub struct Kernel {
    /// What it does.
    pub label: String,
    /// Its text.
    pub wgsl: String,
    /// Where it begins.
    pub entry_point: String,
    /// Of the text, by name.
    pub constants: Vec<(&'static str, f64)>,
    /// Of all of its dispatches.
    pub workgroups: u64,
}

impl Kernel {
    /// The label with the constants, by which the figures are kept.
    pub fn name(&self) -> String {
        let mut name = self.label.clone();
        for (constant, value) in &self.constants {
            // Those of GPUs are planned for.
            if *constant != "ADJACENT" {
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

/// A copy of as many bytes, written by hand.
fn copy() -> Row {
    let kernel = Kernel {
        label: "copy".to_owned(),
        wgsl: include_str!("../../budget/copy.wgsl").to_owned(),
        entry_point: "copy".to_owned(),
        constants: Vec::new(),
        workgroups: BYTES / 16 / 1024,
    };
    Row {
        section: "copy",
        name: "16-byte packets, four per invocation".to_owned(),
        dtype: "u32",
        elements: BYTES / 4,
        bytes: 2 * BYTES,
        kernels: vec![kernel],
    }
}

/// All that were asked for. Fails if there is no device for the benchmark to plan for.
pub fn rows(only: Option<String>) -> Result<Vec<Row>> {
    let bench = Bench::open(clamp_bench::options::Options { size: Some(BYTES), only, ..Default::default() })?;
    // Whatever device is here.
    let limits = Limits { f64_arithmetic: true, ..Limits::default() };
    let mut rows = vec![copy()];
    for row in clamp_bench::rows(&bench, &[])? {
        // A row against a plain kernel repeats the case of another row.
        let Some(case) = row.case.filter(|case| case.rival != Against::Plain) else { continue };
        let plan = if case.in_place {
            Plan::in_one_buffer(case.asked(), &case.src, &case.dst, limits)?
        } else {
            Plan::new(case.asked(), &case.src, &case.dst, limits)?
        };
        rows.push(Row {
            section: row.section,
            name: row.name,
            dtype: case.clamp.dtype().name(),
            elements: case.dst.len() as u64,
            bytes: 2 * case.bytes(),
            kernels: plan.shaders().into_iter().map(Kernel::from).collect(),
        });
    }
    Ok(rows)
}
