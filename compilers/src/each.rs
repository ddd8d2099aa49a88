//! Checks every shader on all cores, with a progress bar.

use std::process::Command;

use anyhow::{Context as _, Result};
use indicatif::{ParallelProgressIterator as _, ProgressBar, ProgressStyle};
use rayon::prelude::*;

use crate::list::Shader;
use crate::outcome::{Absent, Refusal};

/// Calls `check` for every shader and collects the refusals. `start` makes the state that a thread's checks share.
pub fn each<T>(
    title: &str,
    shaders: &[Shader<'_>],
    start: impl Fn() -> T + Send + Sync,
    check: impl Fn(&mut T, Shader<'_>) -> Result<(), String> + Send + Sync,
) -> Vec<Refusal> {
    let all = shaders.par_iter().progress_with(bar(title, shaders.len()));
    all.map_init(start, |state, shader| check(state, *shader).err().map(|message| (shader.name(), message)))
        .flatten()
        .collect()
}

/// A progress bar.
pub fn bar(title: &str, count: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:16} {bar:40} {pos}/{len} {eta}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(count as u64).with_style(style).with_message(title.to_owned())
}

/// Runs a program. If it fails, the error is its output.
pub fn ask(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// The first line with a digit that a program prints for `--version`.
pub fn version(program: &str) -> Result<String> {
    let output = Command::new(program).arg("--version").output();
    let output = output.map_err(|_| Absent("the program does not start"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()));
    line.map(str::to_owned).with_context(|| format!("`{program}` tells no version"))
}
