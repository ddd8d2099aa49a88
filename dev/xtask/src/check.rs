//! `cargo xtask check`: what a change has to pass besides the crate's tests.

use std::env;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use xshell::{Shell, cmd};

use crate::packages;
use crate::shell::{shell, step};
use crate::{tools, web};

/// The workspaces besides the main one.
const OTHERS: [&str; 3] = ["dev/fuzz", "integrations", "web"];

/// The features of the main workspace in every step, so that nothing is built twice.
const FEATURES: &str = "wgpu-clamp/ndarray";

/// Formats, lints and documents, checks the package and the crate for the browser, and runs the examples and the tools' own
/// tests. Stops at the first failure.
pub fn run() -> Result<()> {
    let sh = shell()?;
    step("tools", || {
        tools::nextest(&sh)?;
        packages::all_drivers()
    })?;
    step("format", || {
        cmd!(sh, "cargo fmt --all --check").run()?;
        let format = |one| cmd!(sh, "cargo fmt --manifest-path {one}/Cargo.toml --all --check").run();
        Ok(OTHERS.into_iter().try_for_each(format)?)
    })?;
    step("lints", || {
        let workspace = ["--workspace", "--all-targets", "--locked", "--features", FEATURES];
        Ok(cmd!(sh, "cargo clippy {workspace...} -- -D warnings").run()?)
    })?;
    step("documentation", || {
        // As docs.rs builds it.
        let doc = cmd!(sh, "cargo doc --no-deps --all-features");
        Ok(doc.env("RUSTDOCFLAGS", "--cfg docsrs -D warnings").run()?)
    })?;
    step("wasm32", || {
        let target = web::TARGET;
        if !tools::has_target(&sh, target) {
            println!("not checked: the toolchain lacks the target; `rustup target add {target}` adds it");
            return Ok(());
        }
        cmd!(sh, "cargo check --lib --target {target}").run()?;
        // The web has fewer items, so links may break there alone.
        let doc = cmd!(sh, "cargo doc --no-deps --package wgpu-clamp --target {target}");
        Ok(doc.env("RUSTDOCFLAGS", "-D warnings").run()?)
    })?;
    step("package", || package(&sh))?;
    let workspace = ["--workspace", "--features", FEATURES];
    step("examples", || {
        cmd!(sh, "cargo build {workspace...} --examples").run()?;
        examples(&sh)
    })?;
    step("tools' tests", || {
        // Debug builds of wgpu would load an installed validation layer and run slowly.
        let tests = cmd!(sh, "cargo nextest run {workspace...} --exclude wgpu-clamp");
        tests.env("WGPU_VALIDATION", "0").run()?;
        Ok(cmd!(sh, "cargo test {workspace...} --exclude wgpu-clamp --doc").run()?)
    })?;
    println!("\nAll checks passed.");
    Ok(())
}

/// Packs the crate and checks the package alone: the library, without the features that tests turn on in its
/// dependencies, then the examples, so that `include` lacks none of their files.
fn package(sh: &Shell) -> Result<()> {
    sh.remove_path("target/package")?;
    // In the target folder of the other steps, to reuse their builds.
    let here = ["--locked", "--target-dir", "target"];
    cmd!(sh, "cargo package {here...} --package wgpu-clamp --no-verify --allow-dirty").run()?;
    let is_packed = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "crate");
    let packed = sh.read_dir("target/package")?.into_iter().find(is_packed).context("nothing is packed")?;
    sh.create_dir("target/package/alone")?;
    let _there = sh.push_dir("target/package");
    // A relative path: tar on Windows would take the letter of a drive for a machine. `m` gives the files the current time:
    // with the package's dates, cargo would take them for already checked.
    let packed = packed.file_name().context("no file")?;
    cmd!(sh, "tar -xzmf {packed} --strip-components=1 -C alone").run()?;
    let check = ["check", "--locked", "--target-dir", "..", "--manifest-path", "alone/Cargo.toml"];
    cmd!(sh, "cargo {check...} --lib").run()?;
    Ok(cmd!(sh, "cargo {check...} --examples --all-features").run()?)
}

/// Runs the examples. Each checks its own result.
fn examples(sh: &Shell) -> Result<()> {
    // Cargo puts the examples beside this program.
    let built = env::current_exe()?.with_file_name("examples");
    let run = |name: &str, args: &[&str]| sh.cmd(built.join(name)).args(args).run();
    for name in
        ["quickstart", "own_encoder", "frame_to_tensor", "tensor_to_texture", "ndarray_views", "quantize"]
    {
        run(name, &[])?;
    }
    // A few cases; the tests run all.
    Ok(run("doctor", &["--cases", "0..5", "--report", "target/demo/report.md"])?)
}
