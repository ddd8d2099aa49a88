//! `cargo xtask proof`: the same bits on every implementation that can be had here.

mod mesa;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::drivers::{self, Api};
use crate::packages::Manager;
use crate::steps::{cargo, run as run_command};
use crate::web;

/// What a command is told so that an implementation runs it.
pub type Environment = Vec<(&'static str, OsString)>;

/// One column of the matrix.
struct Implementation {
    name: &'static str,
    /// Installs what is missing, below this directory where it can be, and says how to get at it.
    prepare: fn(&Path) -> Result<Environment>,
    engine: Engine,
}

/// What runs the self-test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    /// `clamp-proof`, through wgpu's own backends.
    Native,
    /// `proof/web`, through WebGPU in Chromium or in Node.
    Web(&'static str),
}

impl Implementation {
    /// Where its columns go.
    fn json(&self, target: &Path) -> PathBuf {
        target.join(format!("{}.json", self.name.to_lowercase().replace(' ', "-")))
    }
}

/// Those of this machine's own drivers first.
const IMPLEMENTATIONS: &[Implementation] = if cfg!(target_os = "linux") {
    &[
        Implementation { name: "Vulkan", prepare: |_| backend("vulkan"), engine: Engine::Native },
        Implementation { name: "GL", prepare: |_| backend("gl"), engine: Engine::Native },
        Implementation { name: "Mesa of backports", prepare: mesa::of_backports, engine: Engine::Native },
        Implementation { name: "SwiftShader", prepare: |_| swiftshader(), engine: Engine::Native },
        // Chromium brings SwiftShader along.
        Implementation { name: "Dawn in Chromium", prepare: |_| Ok(vec![]), engine: Engine::Web("chromium") },
        // Dawn refuses Mesa 22's lavapipe, which lacks what WebGPU takes.
        Implementation { name: "Dawn in Node", prepare: mesa::of_backports, engine: Engine::Web("node") },
    ]
} else if cfg!(target_os = "macos") {
    &[Implementation { name: "Metal", prepare: |_| backend("metal"), engine: Engine::Native }]
} else if cfg!(windows) {
    &[
        Implementation { name: "DX12", prepare: |_| backend("dx12"), engine: Engine::Native },
        Implementation { name: "Vulkan", prepare: |_| backend("vulkan"), engine: Engine::Native },
    ]
} else {
    &[]
};

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only implementations whose name contains this, in any case.
    pub only: Option<String>,
    /// Put the matrix of all that ran, now or before, into the page.
    pub write: bool,
    /// Passed on to `clamp-proof run`.
    pub args: Vec<OsString>,
}

/// Runs the self-test on each implementation, and prints what they made of it side by side.
///
/// # Errors
///
/// An element differs, or the program does not build. An implementation that cannot be had is no error: it is listed.
pub fn run(options: &Options) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent directory")?;
    let target = root.join("target/proof");
    fs::create_dir_all(&target).with_context(|| target.display().to_string())?;
    drivers::ensure(&[Api::Vulkan, Api::Gl])?;
    run_command(cargo(&["build", "--release", "--package", "clamp-proof"]).current_dir(root))?;
    let program = root.join("target/release/clamp-proof");

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
        // That of an earlier run says nothing about this one.
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
        };
        if let Err(error) = ran {
            let list = if json.exists() { &mut failed } else { &mut not_run };
            list.push(format!("{name}: {error:#}"));
        }
    }
    let of_the_matrix = IMPLEMENTATIONS.iter().filter(|one| options.write || wanted(one.name));
    let files: Vec<_> = of_the_matrix.map(|one| one.json(&target)).filter(|json| json.exists()).collect();
    if files.is_empty() {
        bail!("no implementation ran: {}", not_run.join("; "));
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
    agrees?;
    if let Some(first) = failed.first() {
        bail!("{first}");
    }
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "others fail")]
fn backend(name: &str) -> Result<Environment> {
    Ok(vec![("WGPU_BACKEND", name.into())])
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
        let machine = crate::machine::Machine::this();
        let manager = machine.manager().context("it comes with Chromium, whose package is not known here")?;
        let package = if manager == Manager::Apt { "chromium-common" } else { "chromium" };
        manager.install(&[package], machine.root())?;
    }
    let manifest = manifest().context("Chromium is there, but no vk_swiftshader_icd.json")?;
    Ok(vec![("WGPU_BACKEND", "vulkan".into()), ("VK_ICD_FILENAMES", manifest.into())])
}
