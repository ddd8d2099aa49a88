//! Tint, the compiler of Chromium's WebGPU, through Dawn in Node.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::list::List;
use crate::options::Options;
use crate::outcome::{About, Absent, Refusal, Run, without};

pub static TINT: About = About {
    name: "Tint",
    takes: "the WGSL itself, with each pipeline's constants, through Dawn's null backend",
    proves: "that the other compiler of WGSL accepts the modules, the constants and the bindings, so that browsers on Dawn do",
    proves_not: "what Tint writes for a driver, since the null backend has none, or that it computes what it should",
};

/// What `tint.mjs` prints.
#[derive(Deserialize)]
struct Answer {
    version: String,
    modules: usize,
    pipelines: usize,
    refused: Vec<Refusal>,
}

/// Runs `tint.mjs`, which asks Tint.
pub fn run(list: &List, options: &Options) -> Result<Run> {
    let directory = options.tint.as_deref().ok_or(Absent("npm's package `webgpu` is not there"))?;
    let mut node = Command::new("node");
    node.arg(directory.join("tint.mjs")).arg(&options.shaders).stderr(Stdio::inherit());
    let output = node.output().context("`node` does not start")?;
    ensure!(output.status.success(), "tint.mjs ended with {}", output.status);
    let Answer { version, modules, pipelines, refused } = serde_json::from_slice(&output.stdout)?;
    let without = without(list.spirv().len() - list.portable().len());
    let notes = [format!("{modules} modules")].into_iter().chain(without).collect();
    Ok(Run { version, asked: pipelines, refused, notes })
}
