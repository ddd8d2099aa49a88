//! `cargo xtask proof`: runs the self-test on every implementation that this machine can have.

mod wine;

use std::ffi::OsString;

use anyhow::{Result, ensure};
use xshell::{Shell, cmd};

use crate::packages::{self, GL, SWIFTSHADER, VULKAN};
use crate::shell::shell;
use crate::test::EXHAUSTIVE;
use crate::web;

/// Runs the self-test on every implementation that this machine can have, installing what is missing, and prints a
/// row of docs/PORTABILITY.md for each: elements compared, elements that differ.
///
/// Some hours.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only implementations whose name contains this, in any case.
    #[arg(long, value_name = "NAME", default_value = "")]
    only: String,
    /// Takes every pattern of 32 bits through clamp, affine step and conversions instead, on one adapter. Hours.
    #[arg(long, conflicts_with = "only")]
    patterns: bool,
    /// Executes the shaders of the exhaustive self-test and of the samples on the CPU instead, on simulated devices that differ
    /// in what WGSL leaves open. Needs no driver. Half an hour or more.
    #[arg(long, conflicts_with_all = ["patterns", "only", "args"])]
    sanitize: bool,
    /// Arguments for each run of the self-test, such as `--cases 0..20`, or for `--patterns`, such as `--only u8`.
    #[arg(last = true)]
    args: Vec<OsString>,
}

/// An implementation of a graphics API.
struct Implementation {
    name: &'static str,
    /// Installs what is missing, and sets the variables that choose the implementation.
    prepare: fn(&Shell) -> Result<()>,
    /// Runs the self-test on it, and returns its row.
    run: fn(&Shell, &str, &[OsString]) -> Result<String>,
}

const fn native(name: &'static str, prepare: fn(&Shell) -> Result<()>) -> Implementation {
    Implementation { name, prepare, run: clamp_proof }
}

/// The implementations, this machine's own drivers first.
const IMPLEMENTATIONS: &[Implementation] = if cfg!(target_os = "linux") {
    &[
        native("Vulkan", vulkan),
        native("GL", |sh| {
            sh.set_var("WGPU_BACKEND", "gl");
            packages::drivers(&GL)
        }),
        native("SwiftShader", swiftshader),
        // Chromium brings SwiftShader along.
        Implementation { name: "Dawn in Chromium", prepare: web::ready, run: web::self_test },
        Implementation {
            name: "Dawn in Node",
            prepare: |sh| web::ready(sh).and_then(|()| swiftshader(sh)),
            run: web::self_test,
        },
        Implementation { name: "DX12 under Wine", prepare: wine::prepare, run: wine::self_test },
    ]
} else if cfg!(target_os = "macos") {
    &[native("Metal", |_| Ok(()))]
} else if cfg!(windows) {
    &[
        native("DX12", |sh| {
            sh.set_var("WGPU_BACKEND", "dx12");
            Ok(())
        }),
        native("Vulkan", vulkan),
    ]
} else {
    &[]
};

/// The tests that execute all cases and samples on the sanitizer.
pub const SANITIZED: [&str; 2] =
    ["cases::every_case_is_right_on_every_device", "cases::every_sample_is_right_on_every_device"];

/// Runs the self-test on each implementation and prints the rows. An implementation that cannot be installed is listed
/// as not run, which is no error.
pub fn run(Args { only, patterns, sanitize, args }: &Args) -> Result<()> {
    let sh = shell()?;
    if *sanitize {
        let test = cmd!(
            sh,
            "cargo test --release --package wgpu-clamp --test shaders -- --exact --nocapture {SANITIZED...}"
        );
        return Ok(test.env(EXHAUSTIVE, "1").run()?);
    }
    if *patterns {
        packages::drivers(&VULKAN)?;
        return Ok(cmd!(sh, "cargo run --release --package clamp-proof -- patterns {args...}").run()?);
    }
    let only = only.to_lowercase();
    let (mut rows, mut not_run, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for Implementation { name, prepare, run } in IMPLEMENTATIONS {
        if !name.to_lowercase().contains(&only) {
            continue;
        }
        println!("\n==== {name} ====");
        let its = shell()?;
        if let Err(error) = prepare(&its) {
            not_run.push(format!("not run: {name}: {error:#}"));
            continue;
        }
        match run(&its, name, args) {
            Ok(row) if row.ends_with("| 0 |") => rows.push(row),
            Ok(row) => {
                failed.push(format!("{name} differs from the CPU reference"));
                rows.push(row);
            }
            Err(error) => failed.push(format!("{name}: {error:#}")),
        }
    }
    println!("\n==== matrix ====\n{}", [&rows[..], &not_run].concat().join("\n"));
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    ensure!(!rows.is_empty(), "no implementation ran");
    Ok(())
}

/// Runs the self-test through wgpu's own backends.
fn clamp_proof(sh: &Shell, name: &str, args: &[OsString]) -> Result<String> {
    Ok(cmd!(sh, "cargo run --release --package clamp-proof -- run {name} {args...}").read()?)
}

/// Chooses this machine's own Vulkan driver.
fn vulkan(sh: &Shell) -> Result<()> {
    sh.set_var("WGPU_BACKEND", "vulkan");
    packages::drivers(&VULKAN)
}

/// Chooses SwiftShader, the Vulkan driver that Chromium brings along.
fn swiftshader(sh: &Shell) -> Result<()> {
    let manifest = packages::ensure(&[SWIFTSHADER])?;
    sh.set_var("WGPU_BACKEND", "vulkan");
    sh.set_var("VK_ICD_FILENAMES", &manifest[0]);
    Ok(())
}
