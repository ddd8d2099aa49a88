//! `cargo xtask proof`: the same bits on every implementation that can be had here.

mod debian;
mod mesa;
mod wine;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::cli::{self, Words};
use crate::drivers::{self, Api};
use crate::steps::{cargo, root, run as run_command};
use crate::test::EXHAUSTIVE;
use crate::tools::{self, Chromium};
use crate::web;

/// The command.
pub const COMMAND: cli::Command = cli::Command {
    name: "proof",
    usage: "
    cargo xtask proof [--only NAME] [--write] [-- ARGS...]
        Holds every specialization to the CPU reference on every implementation that can be had here, installing
        what is missing where it can, and prints a row for each: elements compared, and those that differ. The tables
        per dtype, kernel and arithmetic go to target/proof/tables.md. Fails where an element differs. --only: those
        whose name contains NAME. --write replaces the rows of these in docs/PORTABILITY.md. ARGS go to each run:
        `-- --cases 0..20` takes a few cases. On DX12 under Wine the GPU suite follows, where there are no ARGS.
        Some hours.

    cargo xtask proof --patterns [-- ARGS...]
        Takes all 2^32 patterns of F32, I32 and U32 through the clamp, and F32 through the affine step and the
        conversions, on one adapter; every Min and Max of 8 bits, and many scales and biases of 16-bit floats.
        ARGS go to the program: `-- --only u8` takes the lines that contain u8. An hour or two.

    cargo xtask proof --sanitize
        Executes the shaders of all cases of the exhaustive self-test on the CPU, as devices would that
        differ in what WGSL leaves open, and holds them to the reference. Needs no driver. Some ten minutes.
",
    task: |words| {
        let options = options(words)?;
        Ok(Box::new(move || run(&options)))
    },
};

fn options(words: Words) -> Result<Options> {
    let mut options = Options { args: words.rest, ..Options::default() };
    let mut own = words.own.iter();
    while let Some(word) = own.next() {
        match word.to_str() {
            Some("--write") => options.write = true,
            Some("--patterns") => options.patterns = true,
            Some("--sanitize") => options.sanitize = true,
            Some("--only") => {
                let name = own.next().context("`--only` needs a NAME")?;
                options.only = Some(name.to_string_lossy().into_owned());
            }
            _ => bail!("`proof` has no argument `{}`", word.display()),
        }
    }
    let both = options.patterns && (options.write || options.only.is_some());
    ensure!(!both, "`--patterns` runs on one adapter, and has no options but those after `--`");
    let others = options.patterns || options.write || options.only.is_some() || !options.args.is_empty();
    ensure!(!(options.sanitize && others), "`--sanitize` runs on no adapter, and takes no other argument");
    ensure!(
        !options.write || options.args.is_empty(),
        "`--write` takes whole runs, so nothing may follow `--`"
    );
    Ok(options)
}

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
    /// `web/proof`, through WebGPU in Chromium or in Node.
    Web(&'static str),
    /// `clamp-proof` for Windows, and the GPU suite with it.
    Wine,
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

/// The test that executes all cases without a device.
const SANITIZED: &str = "self_test::sanitized::every_case_is_right_on_every_device";

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only implementations whose name contains this, in any case.
    pub only: Option<String>,
    /// In place of the matrix, every pattern of 32 bits.
    pub patterns: bool,
    /// In place of the matrix, the self-test's cases on each of the sanitizer's devices.
    pub sanitize: bool,
    /// Replace the rows of what ran in the page.
    pub write: bool,
    /// Passed on to `clamp-proof run`.
    pub args: Vec<OsString>,
}

/// Runs the self-test on each implementation, and prints what they made of it side by side.
///
/// # Errors
///
/// An element differs, a run ends early, or the program does not build. An implementation that cannot
/// be had is no error: it is listed.
pub fn run(options: &Options) -> Result<()> {
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
    matrix.arg("matrix").args(&files).arg("--tables").arg(target.join("tables.md"));
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

    #[test]
    fn its_own_options_are_kept_and_the_rest_is_passed_on() {
        let parse = |line| options(Words::typed(line));
        assert_eq!(parse("").unwrap(), Options::default());
        let asked = parse("--only GL -- --cases 0..2").unwrap();
        assert!(asked.only.as_deref() == Some("GL") && asked.args == ["--cases", "0..2"]);
        assert!(parse("--write").unwrap().write);
        assert!(parse("--patterns -- --only u8").unwrap().patterns);
        assert!(parse("--sanitize").unwrap().sanitize);
        // Cargo takes the name of a test that is not there, and runs none.
        let path = root().unwrap().join("src/self_test/sanitized.rs");
        let name = SANITIZED.rsplit("::").next().unwrap();
        assert!(fs::read_to_string(path).unwrap().contains(&format!("#[test]\nfn {name}()")));
        for (line, part) in [
            ("--only", "NAME"),
            ("all", "`all`"),
            ("--patterns --write", "`--patterns`"),
            ("--write -- --cases 0..2", "`--write`"),
            ("--sanitize --only GL", "`--sanitize`"),
            ("--sanitize -- --cases 0..2", "`--sanitize`"),
        ] {
            assert!(parse(line).unwrap_err().to_string().contains(part), "{line}");
        }
    }
}
