//! Commands that build one program of the repository and run it.

use std::ffi::OsString;

use anyhow::Result;
use xshell::cmd;

use crate::packages::{self, RADV, VULKAN};
use crate::shell::{cargo, commit, root, shell, shell_here};

/// Measures the crate on one device and prints a table: ours beside a copy of the same bytes, and the goals.
#[derive(Debug, clap::Args)]
pub struct Bench {
    /// Measures burn, ndarray and torch instead, on tensors of MIB mebibytes. Takes no other argument.
    #[arg(long, value_name = "MIB", num_args = 0..=1, default_missing_value = "64", value_parser = mebibytes,
        conflicts_with = "args")]
    pub peers: Option<u16>,
    /// Arguments of the program, such as `--only TEXT`; `cargo xtask bench -- --help` shows them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// The size of a tensor of `--peers`.
fn mebibytes(text: &str) -> Result<u16, String> {
    let size = text.parse().ok().filter(|size| (1..=4096).contains(size));
    size.ok_or_else(|| "give the size of a tensor in MiB, from 1 to 4096, or nothing for 64".to_owned())
}

pub fn bench(Bench { peers, args }: &Bench) -> Result<()> {
    let measures = args.iter().all(|arg| arg != "--model");
    if measures && let Err(error) = packages::drivers(&VULKAN) {
        eprintln!("warning: {error:#}\nGoing on: another API may do.");
    }
    let sh = shell_here()?;
    if let Some(mib) = peers {
        let peers = cargo(&sh, "integrations", "run").args(["--release", "--package", "clamp-peers", "--"]);
        return Ok(peers.arg(mib.to_string()).run()?);
    }
    sh.set_var("WGPU_CLAMP_COMMIT", commit(&sh));
    // Without the caches of Mesa and NVIDIA, which keep compiled shaders, a first result takes its full time.
    sh.set_var("MESA_SHADER_CACHE_DISABLE", "true");
    sh.set_var("__GL_SHADER_DISK_CACHE", "0");
    let manifest = root().join("Cargo.toml");
    Ok(cmd!(sh, "cargo run --release --manifest-path {manifest} --package clamp-bench -- {args...}").run()?)
}

/// Prints the plan of a clamp with scale and bias of 480 x 640 pixels: the candidates, the best first, the files that its
/// shaders are joined from, and their generated texts.
#[derive(Debug, clap::Args)]
pub struct Show {
    /// Such as `'hwc u8 -> chw f16 per channel'`. Layouts: hwc, chw, bgr, mirrored, rgba, rotated; matrix, transposed.
    #[arg(value_name = "MOVEMENT", num_args = 1.., required = true, allow_hyphen_values = true)]
    movement: Vec<String>,
    /// Prints the whole modules, as drivers get them.
    #[arg(long)]
    whole: bool,
}

/// The test that prints a plan.
pub const SHOW: &str = "shader::tests::show::a_plan_is_shown";

pub fn show(Show { movement, whole }: &Show) -> Result<()> {
    let sh = shell()?;
    // The snapshots of the crate's tests take the same movements, so one of these tests prints them.
    let test =
        cmd!(sh, "cargo test --quiet --package wgpu-clamp --lib -- --exact {SHOW} --ignored --nocapture");
    let whole = whole.then_some(("WGPU_CLAMP_SHOW_WHOLE", "1"));
    Ok(test.env("WGPU_CLAMP_SHOW", movement.join(" ")).envs(whole).run()?)
}

pub fn budget(args: &[OsString]) -> Result<()> {
    packages::drivers(&[RADV])?;
    packages::drivers(&VULKAN)?;
    let sh = shell()?;
    Ok(cmd!(sh, "cargo run --release --package clamp-budget -- {args...}").run()?)
}

pub fn mutants(only: &str) -> Result<()> {
    let sh = shell()?;
    Ok(cmd!(sh, "cargo run --release --package clamp-mutants -- --only {only}").run()?)
}
