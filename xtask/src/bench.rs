//! `cargo xtask bench`: how fast the crate is here.

use std::ffi::OsString;

use anyhow::{Result, bail};

use crate::cli::{self, Words};
use crate::drivers::{self, Api};
use crate::steps::{cargo, commit, root, run as run_command};

/// The command.
pub const COMMAND: cli::Command = cli::Command {
    name: "bench",
    usage: "
    cargo xtask bench [--peers] [ARGS...]
        Measures the crate on one device and prints a table: ours beside a copy of the same bytes, and
        what should be reached. --peers builds burn, ndarray and others as well (minutes) and puts
        them into the same table. ARGS go to the program; `cargo xtask bench -- --help` shows them:
        --quick, --only TEXT, --json FILE, --plot FILE.svg, --growth and more.

    cargo xtask bench --layouts | --first [ARGS...]
        In place of the table: the layouts that users bring, each beside a copy and a plain kernel; or what
        `prepare` and the first dispatch take with the driver's caches off.

    cargo xtask bench --from FILE [--into FILE.md]
        Takes what --json wrote, here or on another machine, into benches/RESULTS.md, with pictures.
",
    task: |words| {
        let (peers, args) = options(words);
        let other =
            args.iter().find(|arg| ["--layouts", "--first", "--from"].iter().any(|other| arg == other));
        if let Some(other) = other.filter(|_| peers) {
            bail!("`--peers` adds rows to the table, and goes without `{}`", other.display());
        }
        Ok(Box::new(move || run(peers, &args)))
    },
};

/// Whether beside other libraries as well, and what the program is told.
fn options(words: Words) -> (bool, Vec<OsString>) {
    let (peers, own): (Vec<_>, Vec<_>) = words.own.into_iter().partition(|word| word == "--peers");
    (!peers.is_empty(), [own, words.rest].concat())
}

/// Builds the benchmark, optimised, and runs it.
///
/// # Errors
///
/// It does not build, or a result is wrong.
pub fn run(peers: bool, args: &[OsString]) -> Result<()> {
    let root = root()?;
    let measures = args.iter().all(|arg| arg != "--from");
    if measures && let Err(error) = drivers::ensure(&[Api::Vulkan]) {
        eprintln!("warning: {error:#}\nGoing on: another API may do.");
    }
    // The directory is kept: relative paths in `args` are the user's.
    let mut program = cargo(&["run", "--release"]);
    if peers {
        // In a workspace of its own, see peers/Cargo.toml.
        program.arg("--manifest-path").arg(root.join("peers/bench/Cargo.toml"));
        program.arg("--target-dir").arg(root.join("target/peers"));
    } else {
        program.arg("--manifest-path").arg(root.join("Cargo.toml")).args(["--package", "clamp-bench"]);
    }
    program.arg("--").args(args);
    if !measures && args.iter().all(|arg| arg != "--into") {
        program.arg("--into").arg(root.join("benches/RESULTS.md"));
    }
    run_command(program.env("WGPU_CLAMP_COMMIT", commit(root)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_are_kept_and_the_rest_is_passed_on() {
        assert_eq!(options(Words::typed("")), (false, vec![]));
        let (peers, args) = options(Words::typed("--quick --peers --json here -- --help"));
        assert!(peers && args == ["--quick", "--json", "here", "--help"]);
        let error = (COMMAND.task)(Words::typed("--peers --first")).err().map(|error| error.to_string());
        assert!(error.unwrap().contains("`--first`"));
    }
}
