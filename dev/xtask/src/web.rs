//! `cargo xtask web` and `cargo xtask test --browser`: the page and the tests on WebGPU in Chromium.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::packages::{self, CHROMIUM};
use crate::shell::{cargo, root, shell, step};
use crate::tools;

/// The target of browsers and Node.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The files of the page, in `web/page` and beside the examples.
const FILES: [&str; 7] = [
    "web/page/index.html",
    "web/page/check.html",
    "web/page/style.css",
    "web/page/common.js",
    "web/page/page.js",
    "web/page/check.js",
    "examples/data/hubble_deep_field.jpg",
];

/// Builds the page `web/page`, on which a visitor clamps a picture and checks a device on WebGPU, and serves it on this machine
/// until Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only builds, and names the folder. Any web host serves it, below any path.
    #[arg(long)]
    build: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let sh = shell()?;
    build_tools(&sh)?;
    let site = site(&sh)?;
    if args.build {
        println!("{}", site.display());
        return Ok(());
    }
    println!("http://127.0.0.1:8080/");
    Ok(cmd!(sh, "python3 -m http.server --bind 127.0.0.1 --directory {site} 8080").run()?)
}

/// Runs the library's tests in Chromium, then the page's tests.
pub fn test(args: &[OsString]) -> Result<()> {
    let sh = shell()?;
    step("browser", || ready(&sh))?;
    step("lints", || {
        let lint = ["--workspace", "--all-targets", "--target", TARGET, "--", "-D", "warnings"];
        Ok(cargo(&sh, "web", "clippy").args(lint).run()?)
    })?;
    step("tests", || {
        // Cargo splits a runner at spaces, and starts it in the folder of the package.
        let mut runner = OsString::from("node ");
        runner.push(root().join("dev/xtask/web/test.mjs"));
        let tests = cargo(&sh, "web", "test").args(["--package", "clamp-proof-web", "--target", TARGET]);
        let tests = tests.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
        Ok(tests.args(["--test", "browser"]).args(args).run()?)
    })?;
    let screenshots = root().join("target/web/screenshots");
    step("page", || {
        let site = site(&sh)?;
        Ok(cmd!(sh, "node dev/xtask/web/page.mjs {site} {screenshots}").run()?)
    })?;
    println!("\nAll checks passed. Screenshots of the page: {}", screenshots.display());
    Ok(())
}

/// Installs what building and [`self_test`] need, and sets the variables that the scripts read.
pub fn ready(sh: &Shell) -> Result<()> {
    build_tools(sh)?;
    tools::npm(sh)?;
    let version = cmd!(sh, "node --version").read()?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
    ensure!(
        major.is_some_and(|major: u32| major >= 20),
        "Node.js {version} does not suit; 20 or later is needed (Debian 12 has 18, https://nodejs.org has others)"
    );
    // Elsewhere Playwright finds Chrome.
    if cfg!(target_os = "linux") && sh.var_os("CHROMIUM").is_none() {
        let found = packages::ensure(&[CHROMIUM]).context("no Chromium is on the PATH; CHROMIUM names it")?;
        sh.set_var("CHROMIUM", &found[0]);
    }
    Ok(())
}

/// Runs the self-test on WebGPU in Chromium or in Node, and returns its row.
pub fn self_test(sh: &Shell, name: &str, args: &[OsString]) -> Result<String> {
    let module = root().join("target/web/proof");
    bindgen(sh, "clamp-proof-web", &module)?;
    Ok(cmd!(sh, "node dev/xtask/web/proof.mjs {name} {module} {args...}").read()?)
}

/// Installs wasm-bindgen's tools, at the version of the lock file, and puts them on the PATH.
fn build_tools(sh: &Shell) -> Result<()> {
    tools::rust_target(sh, TARGET)?;
    // Such as `registry+https://github.com/rust-lang/crates.io-index#wasm-bindgen@0.2.100`.
    let package = cmd!(sh, "cargo pkgid --manifest-path web/Cargo.toml --locked wasm-bindgen").read()?;
    let version = package.rsplit(['@', '#']).next().unwrap_or_default();
    let tools = root().join("target/web/tools").join(version);
    let path = sh.var_os("PATH").unwrap_or_default();
    sh.set_var("PATH", env::join_paths([tools.join("bin")].into_iter().chain(env::split_paths(&path)))?);
    if !tools.join("bin").is_dir() {
        // Without `--locked`: the tool's own lock file may be older than this version.
        cmd!(sh, "cargo install wasm-bindgen-cli --debug --version {version} --root {tools}").run()?;
    }
    Ok(())
}

/// Builds the library of a package, and writes its JavaScript to `out`.
fn bindgen(sh: &Shell, package: &str, out: &Path) -> Result<()> {
    cargo(sh, "web", "build").args(["--release", "--package", package, "--target", TARGET]).run()?;
    let library = package.replace('-', "_");
    let wasm = format!("target/web/{TARGET}/release/{library}.wasm");
    Ok(cmd!(sh, "wasm-bindgen --target web --no-typescript --out-dir {out} {wasm}").run()?)
}

/// Builds the page and returns its folder.
fn site(sh: &Shell) -> Result<PathBuf> {
    let site = root().join("target/web/site");
    bindgen(sh, "clamp-web", &site)?;
    for file in FILES {
        sh.copy_file(file, &site)?;
    }
    Ok(site)
}
