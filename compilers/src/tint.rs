//! Tint, the compiler of Chromium's WebGPU, through Dawn in Node.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::list::List;
use crate::outcome::{About, Absent, Outcome, Run, without};

static TINT: About = About {
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
    /// Name of a module or pipeline, and the message.
    refused: Vec<(String, String)>,
}

/// Asks Tint, by the script in a directory.
pub fn run(list: &List, directory: Option<&Path>, shaders: &Path) -> Outcome {
    let started = Instant::now();
    let answer = directory
        .ok_or_else(|| Absent("npm's package `webgpu` is not there").into())
        .and_then(|dir| ask(dir, shaders));
    let run = answer.map(|answer| Run {
        version: answer.version,
        asked: answer.pipelines,
        refused: answer.refused,
        notes: [
            Some(format!("{} modules", answer.modules)),
            without(list.spirv().len() - list.portable().len()),
        ]
        .into_iter()
        .flatten()
        .collect(),
        seconds: started.elapsed().as_secs_f64(),
    });
    Outcome { about: &TINT, target: String::new(), run }
}

fn ask(directory: &Path, shaders: &Path) -> Result<Answer> {
    let mut node = Command::new("node");
    node.arg(directory.join("tint.mjs")).arg(shaders).stderr(Stdio::inherit());
    let output = node.output().context("`node` does not start")?;
    ensure!(output.status.success(), "tint.mjs ended with {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}
