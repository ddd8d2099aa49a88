//! `cargo xtask bench`: the speed of the crate on this machine.

use std::ffi::OsString;

use anyhow::Result;
use xshell::cmd;

use crate::packages::{self, VULKAN};
use crate::shell::{cargo, commit, root, shell_here};

/// Measures the crate on one device and prints a table: ours beside a copy of the same bytes, and the goals.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Measures burn, ndarray and torch instead, on contiguous clamps; the only argument is the size of a tensor in MiB.
    #[arg(long)]
    peers: bool,
    /// Arguments of the program, such as `--only TEXT`; `cargo xtask bench -- --help` shows them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// Builds the benchmark, optimised, and runs it.
pub fn run(Args { peers, args }: &Args) -> Result<()> {
    let measures = args.iter().all(|arg| arg != "--model");
    if measures && let Err(error) = packages::drivers(&VULKAN) {
        eprintln!("warning: {error:#}\nGoing on: another API may do.");
    }
    let (sh, root) = (shell_here()?, root());
    if *peers {
        let peers = cargo(&sh, "integrations", "run").args(["--release", "--package", "clamp-peers", "--"]);
        return Ok(peers.args(args).run()?);
    }
    let bench = cmd!(sh, "cargo run --release --manifest-path {root}/Cargo.toml --package clamp-bench --");
    Ok(bench.args(args).env("WGPU_CLAMP_COMMIT", commit(&sh)).run()?)
}
