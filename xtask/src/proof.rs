//! `cargo xtask proof`: runs the self-test on every implementation that this machine can have.

mod debian;
mod mesa;
mod wine;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::drivers::{self, Api};
use crate::steps::{cargo, root, run as run_command};
use crate::test::EXHAUSTIVE;
use crate::tools::{self, Chromium};
use crate::web;

/// Runs the self-test on every implementation that this machine can have, installing what is missing, and prints a
/// row for each: elements compared, elements that differ. Some hours.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only implementations whose name contains this, in any case.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Replaces the rows of what ran in docs/PORTABILITY.md.
    #[arg(long, conflicts_with = "args")]
    write: bool,
    /// Takes every pattern of 32 bits through clamp, affine step and conversions instead, on one adapter. Hours.
    #[arg(long, conflicts_with_all = ["write", "only"])]
    patterns: bool,
    /// Executes the exhaustive self-test's shaders on the CPU instead, as devices would that differ in what WGSL leaves
    /// open. Needs no driver. Some ten minutes.
    #[arg(long, conflicts_with_all = ["patterns", "write", "only", "args"])]
    sanitize: bool,
    /// Arguments of each run, such as `--cases 0..20`; of `--patterns`, such as `--only u8`. Without them the GPU suite
    /// runs on DX12 under Wine too.
    #[arg(last = true)]
    args: Vec<OsString>,
}

/// The environment that makes a command run on an implementation.
pub type Environment = Vec<(&'static str, OsString)>;

/// An implementation of a graphics API.
struct Implementation {
    name: &'static str,
    /// Installs what is missing, below this directory if possible, and returns the environment.
    prepare: fn(&Path) -> Result<Environment>,
    engine: Engine,
}

/// The program that runs the self-test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    /// `clamp-proof`, through wgpu's own backends.
    Native,
    /// `web/proof`, through WebGPU in Chromium or in Node.
    Web(&'static str),
    /// `clamp-proof` for Windows, and the GPU suite with it.
    Wine,
}

impl Implementation {
    /// The file of its columns.
    fn json(&self, target: &Path) -> PathBuf {
        target.join(format!("{}.json", self.name.to_lowercase().replace(' ', "-")))
    }
}

/// The implementations, this machine's own drivers first.
const IMPLEMENTATIONS: &[Implementation] = if cfg!(target_os = "linux") {
    &[
        Implementation {
            name: "Vulkan",
            prepare: |_| backend(Api::Vulkan, "vulkan"),
            engine: Engine::Native,
        },
        Implementation { name: "GL", prepare: |_| backend(Api::Gl, "gl"), engine: Engine::Native },
        Implementation { name: "Mesa of backports", prepare: mesa::of_backports, engine: Engine::Native },
        Implementation { name: "SwiftShader", prepare: |_| swiftshader(), engine: Engine::Native },
        Implementation { name: "Dawn in Chromium", prepare: |_| chromium(), engine: Engine::Web("chromium") },
        Implementation { name: "Dawn in Node", prepare: node, engine: Engine::Web("node") },
        Implementation { name: "DX12 under Wine", prepare: wine::prepare, engine: Engine::Wine },
    ]
} else if cfg!(target_os = "macos") {
    &[Implementation {
        name: "Metal",
        prepare: |_| Ok(vec![("WGPU_BACKEND", "metal".into())]),
        engine: Engine::Native,
    }]
} else if cfg!(windows) {
    &[
        Implementation {
            name: "DX12",
            prepare: |_| Ok(vec![("WGPU_BACKEND", "dx12".into())]),
            engine: Engine::Native,
        },
        Implementation {
            name: "Vulkan",
            prepare: |_| backend(Api::Vulkan, "vulkan"),
            engine: Engine::Native,
        },
    ]
} else {
    &[]
};

/// The test that executes all cases on the sanitizer.
const SANITIZED: &str = "self_test::sanitized::every_case_is_right_on_every_device";

/// Runs the self-test on each implementation and prints their rows.
///
/// # Errors
///
/// An element differs, a run ends early, or the program does not build. An implementation that cannot be had is listed,
/// which is no error.
pub fn run(options: &Args) -> Result<()> {
    let root = root()?;
    if options.sanitize {
        let mut test = cargo(&["test", "--release", "--package", "wgpu-clamp", "--lib", SANITIZED]);
        test.current_dir(root).env(EXHAUSTIVE, "1");
        return run_command(test.args(["--", "--exact", "--nocapture"]));
    }
    let target = root.join("target/proof");
    fs::create_dir_all(&target).with_context(|| target.display().to_string())?;
    let mut build = cargo(&["build", "--release", "--package", "clamp-proof", "--target-dir"]);
    run_command(build.arg(root.join("target")).current_dir(root))?;
    let program = root.join("target/release/clamp-proof").with_extension(std::env::consts::EXE_EXTENSION);
    if options.patterns {
        drivers::ensure(&[Api::Vulkan])?;
        return run_command(Command::new(&program).arg("patterns").args(&options.args));
    }

    let wanted = |name: &str| {
        let only = options.only.as_deref().unwrap_or_default().to_lowercase();
        name.to_lowercase().contains(&only)
    };
    let mut not_run = Vec::new();
    let mut failed = Vec::new();
    for implementation in IMPLEMENTATIONS.iter().filter(|one| wanted(one.name)) {
        let Implementation { name, prepare, engine } = implementation;
        println!("\n==== {name} ====");
        let json = implementation.json(&target);
        // Results of an earlier run say nothing about this one.
        if json.exists() {
            fs::remove_file(&json).with_context(|| json.display().to_string())?;
        }
        let environment = match prepare(&target) {
            Ok(environment) => environment,
            Err(error) => {
                not_run.push(format!("{name}: {error:#}"));
                continue;
            }
        };
        let ran = match engine {
            Engine::Native => {
                let mut command = Command::new(&program);
                command.args(["run", name, "--json"]).arg(&json).args(&options.args).envs(environment);
                run_command(&mut command)
            }
            Engine::Web(engine) => web::columns(engine, &json, environment, &options.args),
            Engine::Wine => wine::columns(name, &json, environment, &options.args),
        };
        if let Err(error) = ran {
            failed.push(format!("{name}: {error:#}"));
        }
    }
    let ran = IMPLEMENTATIONS.iter().filter(|one| wanted(one.name)).map(|one| one.json(&target));
    let files: Vec<_> = ran.filter(|json| json.exists()).collect();
    if files.is_empty() {
        bail!("no implementation ran: {}", [not_run, failed].concat().join("; "));
    }
    println!("\n==== matrix ====");
    let mut matrix = Command::new(&program);
    matrix.arg("matrix").args(&files);
    if options.write {
        matrix.arg("--into").arg(root.join("docs/PORTABILITY.md"));
    }
    let agrees = run_command(&mut matrix);
    for line in &not_run {
        println!("not run: {line}");
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    agrees
}

/// One of this machine's own drivers.
fn backend(api: Api, name: &str) -> Result<Environment> {
    drivers::ensure(&[api])?;
    Ok(vec![("WGPU_BACKEND", name.into())])
}

/// WebGPU in Chromium, which brings SwiftShader along.
fn chromium() -> Result<Environment> {
    web::ready()?;
    Ok(vec![])
}

/// WebGPU in Node, on a driver that Dawn takes: it refuses Mesa 22's lavapipe, which lacks what WebGPU needs.
fn node(target: &Path) -> Result<Environment> {
    web::ready()?;
    mesa::of_backports(target)
}

/// The driver that Chromium brings along.
fn swiftshader() -> Result<Environment> {
    let manifest = || {
        let dirs = ["usr/lib/chromium", "usr/lib64/chromium-browser", "usr/lib/chromium-browser"];
        dirs.into_iter()
            .map(|dir| Path::new("/").join(dir).join("vk_swiftshader_icd.json"))
            .find(|file| file.exists())
    };
    if manifest().is_none() {
        tools::chromium(Chromium::SwiftShader)?;
    }
    let manifest = manifest().context("Chromium is there, but no vk_swiftshader_icd.json")?;
    Ok(vec![("WGPU_BACKEND", "vulkan".into()), ("VK_ICD_FILENAMES", manifest.into())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::typed;

    #[test]
    fn options_that_contradict_each_other_are_refused() {
        let asked: Args = typed("--only GL -- --cases 0..2").unwrap();
        assert!(asked.only.as_deref() == Some("GL") && asked.args == ["--cases", "0..2"]);
        assert!(typed::<Args>("--patterns -- --only u8").unwrap().patterns);
        for line in [
            "--patterns --write",
            "--write -- --cases 0..2",
            "--sanitize --only GL",
            "--sanitize -- --cases 0..2",
        ] {
            assert!(typed::<Args>(line).is_err(), "{line}");
        }
    }

    /// Cargo accepts the name of a missing test and runs none.
    #[test]
    fn the_test_that_executes_all_cases_is_there() {
        let path = root().unwrap().join("src/self_test/sanitized.rs");
        let name = SANITIZED.rsplit("::").next().unwrap();
        assert!(fs::read_to_string(path).unwrap().contains(&format!("#[test]\nfn {name}()")));
    }
}
