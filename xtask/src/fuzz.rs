//! `cargo xtask fuzz`: inputs that nobody thought of.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::cli::{self, Words};
use crate::steps::{root, run as run_command, succeeds};
use crate::tools;

/// The command.
pub const COMMAND: cli::Command = cli::Command {
    name: "fuzz",
    usage: "
    cargo xtask fuzz [TARGET] [--minutes N]
        Runs each fuzz target, or TARGET alone (plan, standards, onnx), for N minutes (10), and fails where an
        input makes one panic, allocate too much or take too long. Installs cargo-fuzz below target/ if it is
        not there, and needs a C++ compiler. Linux and macOS.
",
    task: |words| {
        let (target, minutes) = options(words)?;
        Ok(Box::new(move || run(target.as_deref(), minutes)))
    },
};

/// One of [`TARGETS`] by its name, or all of them, and how long each runs.
fn options(words: Words) -> Result<(Option<String>, u32)> {
    let (mut target, mut minutes) = (None, 10);
    let mut words = words.all().into_iter().map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = words.next() {
        if word == "--minutes" {
            let number = words.next().unwrap_or_default();
            minutes = match number.parse() {
                // More than a day is a mistake.
                Ok(minutes @ 1..=1440) => minutes,
                _ => bail!("`--minutes` takes a number from 1 to 1440, but got `{number}`"),
            };
        } else if target.is_none() && TARGETS.iter().any(|target| target.name == word) {
            target = Some(word);
        } else {
            let names = TARGETS.map(|target| target.name).join(", ");
            bail!("`fuzz` takes one target ({names}) and `--minutes N`, but got `{word}`");
        }
    }
    Ok((target, minutes))
}

/// A file in `fuzz/fuzz_targets`.
pub struct Target {
    pub name: &'static str,
    /// The longest input that is tried, in bytes: what decides something lies before that.
    longest: u32,
}

/// All of them.
pub const TARGETS: [Target; 3] = [
    Target { name: "plan", longest: 512 },
    Target { name: "standards", longest: 256 },
    Target { name: "onnx", longest: 4096 },
];

/// One input may take this long, in seconds; most take a thousandth.
const MOST_SECONDS: u32 = 10;

/// One allocation may be this large, in MiB, and all of them together, the fuzzer's own included.
const MOST_MIB: [u32; 2] = [64, 2048];

/// Runs `target`, or all of them, for `minutes` each, from the inputs that are kept and those that earlier runs found.
///
/// # Errors
///
/// An input makes a target panic, allocate too much or take too long; or cargo-fuzz is not to be had.
pub fn run(target: Option<&str>, minutes: u32) -> Result<()> {
    let root = root()?;
    let cargo_fuzz = install(root)?;
    for Target { name, longest } in TARGETS.iter().filter(|one| target.is_none_or(|name| name == one.name)) {
        println!("\n==== {name}, {minutes} min ====");
        let [found, crashes] = ["corpus", "artifacts"].map(|kind| format!("target/fuzz/{kind}/{name}"));
        for folder in [&found, &crashes] {
            fs::create_dir_all(root.join(folder)).with_context(|| format!("cannot create {folder}"))?;
        }
        let mut fuzz = Command::new(&cargo_fuzz);
        // Sanitizers are in every toolchain, but only a nightly one takes the option without this.
        fuzz.current_dir(root).env("RUSTC_BOOTSTRAP", "1");
        fuzz.args(["run", "--target-dir", "target/fuzz", name]);
        // libFuzzer reads both folders, and writes what it finds to the first.
        fuzz.arg(&found).arg(format!("fuzz/seeds/{name}")).arg("--");
        fuzz.arg(format!("-artifact_prefix={crashes}/")).arg("-print_final_stats=1");
        fuzz.arg(format!("-max_total_time={}", minutes * 60)).arg(format!("-timeout={MOST_SECONDS}"));
        // Long ones from the start on: short ones make no tensor of eight dimensions.
        fuzz.arg(format!("-max_len={longest}")).arg("-len_control=0");
        fuzz.arg(format!("-malloc_limit_mb={}", MOST_MIB[0])).arg(format!("-rss_limit_mb={}", MOST_MIB[1]));
        run_command(&mut fuzz).with_context(|| {
            format!("if an input is to blame, it is in {crashes}: mend the crate, and keep it in fuzz/seeds/{name}")
        })?;
    }
    Ok(())
}

/// Where cargo-fuzz is, which is built there if it is missing.
fn install(root: &Path) -> Result<PathBuf> {
    let what = ["cargo-fuzz", "--locked"];
    let program = tools::cargo_install(&root.join("target/tools"), "cargo-fuzz", &what)?;
    ensure!(
        succeeds(Command::new("c++").arg("--version")),
        "libFuzzer is C++, and there is no compiler `c++`: install g++ or clang"
    );
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_takes_a_target_and_minutes() {
        let parse = |line| options(Words::typed(line));
        assert_eq!(parse("").unwrap(), (None, 10));
        assert_eq!(parse("plan --minutes 3").unwrap(), (Some("plan".to_owned()), 3));
        for (line, part) in [
            ("plans", "`plans`"),
            ("plan onnx", "`onnx`"),
            ("--minutes 0", "`0`"),
            ("--minutes", "1 to 1440"),
        ] {
            assert!(parse(line).unwrap_err().to_string().contains(part), "{line}");
        }
    }

    #[test]
    fn every_target_is_listed() {
        let root = root().unwrap();
        let files = fs::read_dir(root.join("fuzz/fuzz_targets")).unwrap().map(|file| file.unwrap().path());
        let mut files: Vec<_> = files.map(|file| file.file_stem().unwrap().to_owned()).collect();
        files.sort();
        let mut listed = TARGETS.map(|target| target.name);
        listed.sort_unstable();
        assert_eq!(files, listed);
    }
}
