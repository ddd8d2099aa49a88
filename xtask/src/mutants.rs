//! `cargo xtask mutants`: whether the self-test notices small faults in the shaders.

use anyhow::{Context, Result, bail};

use crate::cli::{self, Words};
use crate::steps::{cargo, root, run as run_command};

/// The command.
pub const COMMAND: cli::Command = cli::Command {
    name: "mutants",
    usage: "
    cargo xtask mutants [--only TEXT[,TEXT...]]
        Changes the shaders and the texts of blocks, one small fault at a time, and executes the cases of the
        self-test that have it on the CPU until one notices; prints what none notices. Of all changes those whose
        file or line contains a TEXT. Needs no driver. Some minutes.
",
    task: |words| {
        let only = options(words)?;
        Ok(Box::new(move || run(&only)))
    },
};

/// The test that changes and executes.
const TEST: &str = "self_test::mutants::every_change_is_noticed";

/// The variable that tells it what a change must contain.
const ONLY: &str = "WGPU_CLAMP_MUTANTS";

/// What a change must contain.
fn options(words: Words) -> Result<String> {
    let mut only = String::new();
    let mut words = words.all().into_iter();
    while let Some(word) = words.next() {
        if word != "--only" {
            bail!("`mutants` has no argument `{}`", word.display());
        }
        let text = words.next().context("`--only` needs a TEXT")?;
        only = text.to_string_lossy().into_owned();
    }
    Ok(only)
}

/// Runs the test.
///
/// # Errors
///
/// A change goes unnoticed that no line explains, a line explains what is no change, or unchanged shaders are wrong.
fn run(only: &str) -> Result<()> {
    let mut test = cargo(&["test", "--release", "--package", "wgpu-clamp", "--lib", TEST]);
    test.current_dir(root()?).env(ONLY, only);
    run_command(test.args(["--", "--exact", "--ignored", "--nocapture"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_options_are_read() {
        let parse = |line| options(Words::typed(line));
        assert_eq!(parse("--only kernel/").unwrap(), "kernel/");
        assert_eq!(parse("").unwrap(), "");
        for (line, part) in [("--only", "`--only`"), ("all", "`all`")] {
            assert!(parse(line).unwrap_err().to_string().contains(part), "{line}");
        }
    }
}
