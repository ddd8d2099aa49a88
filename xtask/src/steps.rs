//! Runs commands and logs them, their time and their failure.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// Steps in sequence, with a summary at the end, also after a failure.
pub struct Steps {
    started: Instant,
    /// Name, time taken, and whether it passed.
    done: Vec<(&'static str, Duration, bool)>,
}

impl Steps {
    /// No step yet.
    pub fn new() -> Self {
        Self { started: Instant::now(), done: Vec::new() }
    }

    /// Runs one step under its heading.
    ///
    /// # Errors
    ///
    /// Those of the step, after printing the summary.
    pub fn step(&mut self, name: &'static str, step: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("\n==== {name} ====");
        let started = Instant::now();
        let result = step();
        self.done.push((name, started.elapsed(), result.is_ok()));
        if result.is_err() {
            self.summary();
        }
        result
    }

    /// Prints each step with its outcome and time.
    pub fn summary(&self) {
        println!("\n==== summary ====");
        for (name, time, passed) in &self.done {
            let outcome = if *passed { "ok" } else { "FAILED" };
            println!("{name:<16} {outcome:<6} {:>7.1} s", time.as_secs_f64());
        }
        println!("{:<23} {:>7.1} s", "total", self.started.elapsed().as_secs_f64());
    }
}

/// The root of the repository.
///
/// # Errors
///
/// This program was not built in the repository.
pub fn root() -> Result<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent directory")
}

/// The checked-out commit and whether files have changed; "unknown" outside git.
pub fn commit(root: &Path) -> String {
    let output = Command::new("git").args(["describe", "--always", "--dirty"]).current_dir(root).output();
    output.ok().filter(|output| output.status.success()).map_or_else(
        || "unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}

/// The cargo that runs this program, so that all steps use one toolchain.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args);
    command
}

/// Prints a command and runs it. The output goes to the terminal.
///
/// # Errors
///
/// The command cannot start, or fails.
pub fn run(command: &mut Command) -> Result<()> {
    let line = shown(command);
    println!("$ {line}");
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "this command failed ({status}):\n\n    {line}\n");
    Ok(())
}

/// Runs a command silently; returns whether it exists and succeeds.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// The command as typed in a shell.
pub fn shown(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        let value = value?;
        Some(format!("{}={}", name.display(), quoted(value)))
    });
    // `cargo` says as much as the path of a toolchain's cargo.
    let program = Path::new(command.get_program());
    let program = match program.file_stem() {
        Some(stem) if stem == "cargo" => stem,
        _ => program.as_os_str(),
    };
    let words = std::iter::once(program).chain(command.get_args()).map(quoted);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_typed() {
        let mut command = Command::new("/toolchain/bin/cargo");
        command.args(["test", "a b", "it's", ""]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(shown(&command), r"RUSTDOCFLAGS='-D warnings' cargo test 'a b' 'it'\''s' ''");
    }

    #[test]
    fn the_error_carries_the_command() {
        let error = run(&mut Command::new("/no/such/program")).unwrap_err().to_string();
        assert!(error.contains("/no/such/program"), "{error}");
        assert!(!succeeds(&mut Command::new("/no/such/program")));
    }

    #[test]
    fn a_failing_step_is_recorded() {
        let mut steps = Steps::new();
        steps.step("first", || Ok(())).unwrap();
        steps.step("second", || anyhow::bail!("no")).unwrap_err();
        let outcomes: Vec<_> = steps.done.iter().map(|(name, _, passed)| (*name, *passed)).collect();
        assert_eq!(outcomes, [("first", true), ("second", false)]);
    }
}
