//! `cargo xtask web` and `cargo xtask test --browser`: the page and the tests on WebGPU in Chromium.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::lint;
use crate::proof::Environment;
use crate::steps::{Steps, cargo, root, run as run_command};
use crate::tools::{self, Chromium};

/// The target of browsers and Node.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// The page.
const PAGE: &str = "web/page";

/// The library's tests.
const PROOF: &str = "web/proof";

/// The files of the page, in [`PAGE`] and beside the examples.
const FILES: [&str; 4] =
    ["web/page/index.html", "web/page/style.css", "web/page/page.js", "examples/data/hubble_deep_field.jpg"];

/// Builds the page and serves it on this machine until Ctrl-C.
///
/// # Errors
///
/// Something that it needs is missing and cannot be installed, or it does not build.
pub fn serve() -> Result<()> {
    tools::node()?;
    let web = Web::new()?;
    let site = web.site()?;
    run_command(web.node("serve.mjs").arg(site).arg("8080"))
}

/// Runs the library's tests in Chromium, then those of the page.
///
/// # Errors
///
/// A test fails, or something that the tests need is missing and cannot be installed.
pub fn test(args: &[OsString]) -> Result<()> {
    let web = Web::new()?;
    let mut steps = Steps::new();
    steps.step("browser", || web.drive())?;
    steps.step("lints", || lint::WEB.lint())?;
    steps.step("tests", || {
        let mut tests = web.cargo(PROOF, &["test", "--target", TARGET, "--test", "browser"]);
        tests.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", web.runner()).args(args);
        run_command(&mut web.with_tools(tests)?)
    })?;
    steps.step("page", || {
        let site = web.site()?;
        let mut page = web.node("page.mjs");
        page.arg(site).arg(web.target.join("screenshots"));
        run_command(&mut web.with_tools(page)?)
    })?;
    steps.summary();
    println!("\nAll checks passed. The page as it looks: {}", web.target.join("screenshots").display());
    Ok(())
}

/// Installs what [`columns`] needs.
///
/// # Errors
///
/// Something is missing and cannot be installed.
pub fn ready() -> Result<()> {
    Web::new()?.drive()
}

/// Runs the self-test on WebGPU in `engine`, `chromium` or `node`, with each set of limits, and writes the columns to
/// `json`.
///
/// # Errors
///
/// A run ends early. An element that differs is in the file, and no error.
pub fn columns(engine: &str, json: &Path, environment: Environment, args: &[OsString]) -> Result<()> {
    let web = Web::new()?;
    let module = web.target.join("proof");
    web.bindgen(PROOF, "clamp_proof_web", &module)?;
    let mut columns = web.node("columns.mjs");
    columns.arg(engine).arg(module).arg(json).args(args).envs(environment);
    run_command(&mut web.with_tools(columns)?)
}

/// The folders of builds and tools.
struct Web {
    root: PathBuf,
    /// Downloads and builds for the web.
    target: PathBuf,
    /// wasm-bindgen's tools, at the version of the lock file.
    tools: PathBuf,
}

impl Web {
    /// Installs what building needs.
    fn new() -> Result<Self> {
        let root = root()?;
        let target = root.join("target/web");
        tools::rust_target(TARGET)?;
        let path = root.join(lint::WEB.directory).join("Cargo.lock");
        let lock = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let version = locked(&lock, "wasm-bindgen");
        let version = version.with_context(|| format!("{} lacks wasm-bindgen", path.display()))?;
        let tools = target.join("tools").join(version);
        // Without `--locked`: the tool's own lock file may be older than this version.
        let what = ["wasm-bindgen-cli", "--debug", "--version", version];
        tools::cargo_install(&tools, "wasm-bindgen", &what)?;
        Ok(Self { root: root.to_owned(), target, tools })
    }

    /// Cargo in [`PAGE`] or [`PROOF`].
    fn cargo(&self, package: &str, args: &[&str]) -> Command {
        let mut command = cargo(args);
        command.current_dir(self.root.join(package)).env("CARGO_TARGET_DIR", &self.target);
        command
    }

    fn script(&self, name: &str) -> PathBuf {
        self.root.join("xtask/web").join(name)
    }

    fn node(&self, script: &str) -> Command {
        let mut command = Command::new("node");
        command.arg(self.script(script));
        command
    }

    /// The runner of the tests: words separated by spaces.
    fn runner(&self) -> OsString {
        let mut words = OsString::from("node ");
        words.push(self.script("test.mjs"));
        words
    }

    /// Builds the library of [`PAGE`] or [`PROOF`], and writes its JavaScript to `out`.
    fn bindgen(&self, package: &str, library: &str, out: &Path) -> Result<()> {
        run_command(&mut self.cargo(package, &["build", "--release", "--target", TARGET]))?;
        let wasm = self.target.join(TARGET).join("release").join(library).with_extension("wasm");
        let mut bindgen = Command::new(tools::of_cargo(&self.tools, "wasm-bindgen"));
        bindgen.args(["--target", "web", "--no-typescript", "--out-dir"]).arg(out).arg(wasm);
        run_command(&mut bindgen)
    }

    /// Builds the page and returns its folder.
    fn site(&self) -> Result<PathBuf> {
        let site = self.target.join("site");
        self.bindgen(PAGE, "clamp_web", &site)?;
        for file in FILES {
            let from = self.root.join(file);
            let name = from.file_name().context("a file has a name")?;
            fs::copy(&from, site.join(name)).with_context(|| from.display().to_string())?;
        }
        Ok(site)
    }

    /// Installs the npm packages and Chromium.
    fn drive(&self) -> Result<()> {
        tools::npm(&self.root.join("xtask/web"), &self.target)?;
        let chromium = chromium()?.unwrap_or_else(|| "where Playwright finds Chrome".into());
        println!("Chromium: {}", chromium.display());
        Ok(())
    }

    /// The environment that the scripts expect.
    fn with_tools(&self, mut command: Command) -> Result<Command> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let bin = self.tools.join("bin");
        command.env("PATH", std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&path)))?);
        command.env("NODE_PACKAGES", &self.target);
        if let Some(chromium) = chromium()? {
            command.env("CHROMIUM", chromium);
        }
        Ok(command)
    }
}

/// Chromium by the environment or on the PATH; on Linux it is installed if missing. `None` elsewhere, where Playwright
/// finds Chrome.
fn chromium() -> Result<Option<OsString>> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Ok(Some(named));
    }
    if cfg!(not(target_os = "linux")) {
        return Ok(None);
    }
    let found = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let dirs: Vec<_> = std::env::split_paths(&path).collect();
        let names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
        names.iter().find_map(|name| dirs.iter().map(|dir| dir.join(name)).find(|file| file.is_file()))
    };
    if found().is_none() {
        tools::chromium(Chromium::Browser).context("no Chromium is on the PATH; CHROMIUM names it")?;
    }
    let found = found().context("Chromium is installed, but not on the PATH; CHROMIUM names it")?;
    Ok(Some(found.into()))
}

/// The version of a package in a lock file.
fn locked<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_package_itself() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.1\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.3\"\n";
        assert_eq!(locked(lock, "wasm-bindgen"), Some("0.2.3"));
        assert_eq!(locked(lock, "wasm"), None);
    }

    /// The committed lock file must not name a registry.
    #[test]
    fn the_lock_file_of_node_names_no_registry() {
        let lock = include_str!("../web/package-lock.json");
        assert!(lock.contains("playwright-core") && !lock.contains("resolved"));
    }
}
