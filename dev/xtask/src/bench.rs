//! `cargo xtask bench`: the speed of the crate on this machine.

use std::ffi::OsString;

use anyhow::{Result, bail, ensure};
use xshell::cmd;

use crate::packages::{self, VULKAN};
use crate::shell::{commit, root, shell_here};

/// Measures the crate on one device and prints a table: ours beside a copy of the same bytes, and the goals.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Measures burn, ndarray and others as well; they take minutes to build.
    #[arg(long)]
    peers: bool,
    /// Arguments of the program, such as `--only TEXT`; `cargo xtask bench -- --help` shows them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// Builds the benchmark, optimised, and runs it.
pub fn run(Args { peers, args }: &Args) -> Result<()> {
    ensure!(args.iter().all(|arg| arg != "--peers"), "`--peers` comes before the program's own arguments");
    let other = args
        .iter()
        .find(|arg| ["--layouts", "--first", "--model", "--candidates"].iter().any(|other| arg == other));
    if let Some(other) = other.filter(|_| *peers) {
        bail!("`--peers` adds rows to the table, and goes without `{}`", other.display());
    }
    let measures = args.iter().all(|arg| arg != "--model");
    if measures && let Err(error) = packages::drivers(&VULKAN) {
        eprintln!("warning: {error:#}\nGoing on: another API may do.");
    }
    let (sh, root) = (shell_here()?, root());
    let program = if *peers {
        let target = root.join("target/integrations");
        cmd!(
            sh,
            "cargo run --release --manifest-path {root}/integrations/peers/Cargo.toml --target-dir {target} --"
        )
    } else {
        cmd!(sh, "cargo run --release --manifest-path {root}/Cargo.toml --package clamp-bench --")
    };
    Ok(program.args(args).env("WGPU_CLAMP_COMMIT", commit(&sh)).run()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed;

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
