//! `cargo xtask fuzz`: runs the fuzz targets.

use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use clap::value_parser;
use xshell::cmd;

use crate::shell::shell;
use crate::tools;

/// Runs the fuzz targets, and fails where an input makes one panic, allocate too much or take too long.
///
/// Installs cargo-fuzz below target/, and needs a C++ compiler. Linux and macOS.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One target; all of them if not given.
    #[arg(value_parser = PossibleValuesParser::new(TARGETS.map(|(name, _)| name)))]
    target: Option<String>,
    /// How long each target runs, a day at most.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = value_parser!(u32).range(1..=1440))]
    minutes: u32,
}

/// The files in `fuzz/fuzz_targets`, each with its longest input in bytes. The targets ignore later bytes.
const TARGETS: [(&str, &str); 3] = [("plan", "512"), ("standards", "256"), ("onnx", "4096")];

/// The most seconds that one input may take. Most inputs take a thousandth of this.
const MOST_SECONDS: &str = "10";

/// The largest allocation in MiB.
const MOST_MIB: &str = "64";

/// The most memory in MiB, including the fuzzer's own.
const MOST_MIB_OF_ALL: &str = "2048";

pub fn run(Args { target, minutes }: &Args) -> Result<()> {
    let sh = shell()?;
    tools::cargo(&sh, "cargo-fuzz")?;
    ensure!(
        tools::is_there(&sh, "c++"),
        "libFuzzer is C++, and there is no compiler `c++`: install g++ or clang"
    );
    for (name, longest) in TARGETS.iter().filter(|(name, _)| target.as_ref().is_none_or(|one| one == name)) {
        println!("\n==== {name}, {minutes} min ====");
        let [found, crashes] = ["corpus", "artifacts"].map(|kind| format!("target/fuzz/{kind}/{name}"));
        sh.create_dir(&found)?;
        sh.create_dir(&crashes)?;
        let seconds = (minutes * 60).to_string();
        // libFuzzer reads both folders, and writes new inputs to the first. `-len_control=0` makes long inputs from the
        // start, because short ones make no tensor of eight dimensions.
        let fuzz = cmd!(
            sh,
            "cargo fuzz run --target-dir target/fuzz {name} {found} fuzz/seeds/{name} --
                -artifact_prefix={crashes}/ -print_final_stats=1 -max_total_time={seconds} -timeout={MOST_SECONDS}
                -max_len={longest} -len_control=0 -malloc_limit_mb={MOST_MIB} -rss_limit_mb={MOST_MIB_OF_ALL}"
        );
        // A stable toolchain has sanitizers but refuses the option without this variable.
        fuzz.env("RUSTC_BOOTSTRAP", "1").run().with_context(|| {
            format!("if an input is to blame, it is in {crashes}: mend the crate, and keep it in fuzz/seeds/{name}")
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_listed() {
        let files = shell().unwrap().read_dir("fuzz/fuzz_targets").unwrap();
        let files: Vec<_> = files.iter().map(|file| file.file_stem().unwrap().to_owned()).collect();
        let mut listed = TARGETS.map(|(name, _)| name);
        listed.sort_unstable();
        assert_eq!(files, listed);
    }
}
