//! `cargo xtask fuzz`: runs the fuzz targets.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use clap::value_parser;

use crate::steps::{root, run as run_command, succeeds};
use crate::tools;

/// Runs the fuzz targets, and fails where an input makes one panic, allocate too much or take too long.
///
/// Installs cargo-fuzz below target/, and needs a C++ compiler. Linux and macOS.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One target; all of them if not given.
    #[arg(value_parser = PossibleValuesParser::new(TARGETS.map(|target| target.name)))]
    target: Option<String>,
    /// How long each target runs, a day at most.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u32).range(1..=1440))]
    minutes: u32,
}

/// A file in `fuzz/fuzz_targets`.
pub struct Target {
    pub name: &'static str,
    /// The longest input in bytes; later bytes decide nothing.
    longest: u32,
}

/// All targets.
pub const TARGETS: [Target; 3] = [
    Target { name: "plan", longest: 512 },
    Target { name: "standards", longest: 256 },
    Target { name: "onnx", longest: 4096 },
];

/// The most seconds that one input may take; most take a thousandth.
const MOST_SECONDS: u32 = 10;

/// The largest allocation in MiB, and the most memory of all, the fuzzer's own included.
const MOST_MIB: [u32; 2] = [64, 2048];

/// # Errors
///
/// An input makes a target panic, allocate too much or take too long; or cargo-fuzz is not to be had.
pub fn run(Args { target, minutes }: &Args) -> Result<()> {
    let root = root()?;
    let cargo_fuzz = install(root)?;
    for Target { name, longest } in
        TARGETS.iter().filter(|one| target.as_ref().is_none_or(|name| name == one.name))
    {
        println!("\n==== {name}, {minutes} min ====");
        let [found, crashes] = ["corpus", "artifacts"].map(|kind| format!("target/fuzz/{kind}/{name}"));
        for folder in [&found, &crashes] {
            fs::create_dir_all(root.join(folder)).with_context(|| format!("cannot create {folder}"))?;
        }
        let mut fuzz = Command::new(&cargo_fuzz);
        // A stable toolchain has sanitizers but refuses the option without this variable.
        fuzz.current_dir(root).env("RUSTC_BOOTSTRAP", "1");
        fuzz.args(["run", "--target-dir", "target/fuzz", name]);
        // libFuzzer reads both folders, and writes what it finds to the first.
        fuzz.arg(&found).arg(format!("fuzz/seeds/{name}")).arg("--");
        fuzz.arg(format!("-artifact_prefix={crashes}/")).arg("-print_final_stats=1");
        fuzz.arg(format!("-max_total_time={}", minutes * 60)).arg(format!("-timeout={MOST_SECONDS}"));
        // Long inputs from the start: short ones make no tensor of eight dimensions.
        fuzz.arg(format!("-max_len={longest}")).arg("-len_control=0");
        fuzz.arg(format!("-malloc_limit_mb={}", MOST_MIB[0])).arg(format!("-rss_limit_mb={}", MOST_MIB[1]));
        run_command(&mut fuzz).with_context(|| {
            format!("if an input is to blame, it is in {crashes}: mend the crate, and keep it in fuzz/seeds/{name}")
        })?;
    }
    Ok(())
}

/// Returns cargo-fuzz, building it first if it is missing.
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
