//! `cargo xtask bench`: the speed of the crate on this machine.

use std::ffi::OsString;

use anyhow::{Result, bail, ensure};

use crate::drivers::{self, Api};
use crate::steps::{cargo, commit, root, run as run_command};

/// Measures the crate on one device and prints a table: ours beside a copy of the same bytes, and the goals.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Measures burn, ndarray and others as well; they take minutes to build.
    #[arg(long)]
    peers: bool,
    /// Arguments of the program, such as `--only TEXT` or `--from FILE`; `cargo xtask bench -- --help` shows them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// Builds the benchmark, optimised, and runs it.
///
/// # Errors
///
/// It does not build, or a result is wrong.
pub fn run(Args { peers, args }: &Args) -> Result<()> {
    ensure!(args.iter().all(|arg| arg != "--peers"), "`--peers` comes before the program's own arguments");
    let other = args.iter().find(|arg| ["--layouts", "--first", "--from"].iter().any(|other| arg == other));
    if let Some(other) = other.filter(|_| *peers) {
        bail!("`--peers` adds rows to the table, and goes without `{}`", other.display());
    }
    let root = root()?;
    let measures = args.iter().all(|arg| arg != "--from");
    if measures && let Err(error) = drivers::ensure(&[Api::Vulkan]) {
        eprintln!("warning: {error:#}\nGoing on: another API may do.");
    }
    // Relative paths in `args` are the user's, so the working directory stays.
    let mut program = cargo(&["run", "--release"]);
    if *peers {
        // peers/ is a workspace of its own.
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
    use crate::cli::typed;

    #[test]
    fn peers_are_kept_and_the_rest_is_passed_on() {
        let Args { peers, args } = typed("--peers --quick --json here -- --help").unwrap();
        assert!(peers && args == ["--quick", "--json", "here", "--", "--help"], "{args:?}");
        assert_eq!(typed::<Args>("-- --help").unwrap().args, ["--help"]);
        let error = run(&typed("--quick --peers").unwrap()).unwrap_err().to_string();
        assert!(error.contains("comes before"), "{error}");
        let error = run(&typed("--peers --first").unwrap()).unwrap_err().to_string();
        assert!(error.contains("`--first`"), "{error}");
    }
}
