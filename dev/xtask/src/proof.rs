//! `cargo xtask proof`: runs the self-test on every implementation that this machine can have.

mod debian;
mod mesa;
mod wine;

use std::ffi::OsString;

use anyhow::{Result, bail, ensure};
use xshell::{Shell, cmd};

use crate::packages::{self, GL, SWIFTSHADER, VULKAN};
use crate::shell::{root, shell};
use crate::test::EXHAUSTIVE;
use crate::web;

#[cfg(test)]
pub use wine::SELF_TEST as WINE_SKIPS;

/// Runs the self-test on every implementation that this machine can have, installing what is missing, and prints a
/// row for each: elements compared, elements that differ.
///
/// Counts per specialization go to target/proof/tables.tsv. Some hours.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only implementations whose name contains this, in any case.
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Replaces the rows of the implementations that ran in docs/PORTABILITY.md.
    #[arg(long, conflicts_with = "args")]
    write: bool,
    /// Takes every pattern of 32 bits through clamp, affine step and conversions instead, on one adapter. Hours.
    #[arg(long, conflicts_with_all = ["write", "only"])]
    patterns: bool,
    /// Executes the exhaustive self-test's shaders on the CPU instead, on simulated devices that differ in what WGSL leaves
    /// open. Needs no driver. Some ten minutes.
    #[arg(long, conflicts_with_all = ["patterns", "write", "only", "args"])]
    sanitize: bool,
    /// Arguments for each run of the self-test, such as `--cases 0..20`, or for `--patterns`, such as `--only u8`. Without
    /// arguments, DX12 under Wine runs the GPU suite too.
    #[arg(last = true)]
    args: Vec<OsString>,
}

/// An implementation of a graphics API.
struct Implementation {
    name: &'static str,
    /// Installs what is missing, below target/proof if possible, and sets the variables that choose the implementation.
    prepare: fn(&Shell) -> Result<()>,
    engine: Engine,
}

/// The program that runs the self-test.
enum Engine {
    /// `clamp-proof`, through wgpu's own backends.
    Native,
    /// `web/proof`, through WebGPU in Chromium or in Node.
    Web(&'static str),
    /// `clamp-proof` for Windows, and the GPU suite with it.
    Wine,
}

impl Implementation {
    const fn native(name: &'static str, prepare: fn(&Shell) -> Result<()>) -> Self {
        Self { name, prepare, engine: Engine::Native }
    }

    /// The file of the implementation's results, a column per device; relative to the repository's root.
    fn json(&self) -> String {
        format!("target/proof/{}.json", self.name.to_lowercase().replace(' ', "-"))
    }
}

/// The implementations, this machine's own drivers first.
const IMPLEMENTATIONS: &[Implementation] = if cfg!(target_os = "linux") {
    &[
        Implementation::native("Vulkan", vulkan),
        Implementation::native("GL", |sh| {
            sh.set_var("WGPU_BACKEND", "gl");
            packages::drivers(&GL)
        }),
        Implementation::native("Mesa of backports", mesa::of_backports),
        Implementation::native("SwiftShader", swiftshader),
        // Chromium brings SwiftShader along.
        Implementation { name: "Dawn in Chromium", prepare: web::ready, engine: Engine::Web("chromium") },
        // Dawn refuses Mesa 22's lavapipe, which lacks what WebGPU needs.
        Implementation {
            name: "Dawn in Node",
            prepare: |sh| web::ready(sh).and_then(|()| mesa::of_backports(sh)),
            engine: Engine::Web("node"),
        },
        Implementation { name: "DX12 under Wine", prepare: wine::prepare, engine: Engine::Wine },
    ]
} else if cfg!(target_os = "macos") {
    &[Implementation::native("Metal", |_| Ok(()))]
} else if cfg!(windows) {
    &[
        Implementation::native("DX12", |sh| {
            sh.set_var("WGPU_BACKEND", "dx12");
            Ok(())
        }),
        Implementation::native("Vulkan", vulkan),
    ]
} else {
    &[]
};

/// The test that executes all cases on the sanitizer.
pub const SANITIZED: &str = "cases::every_case_is_right_on_every_device";

/// Runs the self-test on each implementation and prints the rows. An implementation that cannot be installed is listed
/// as not run, which is no error.
pub fn run(Args { only, write, patterns, sanitize, args }: &Args) -> Result<()> {
    let sh = shell()?;
    if *sanitize {
        let test =
            cmd!(sh, "cargo test --release --package wgpu-clamp --test shaders {SANITIZED} -- --exact --nocapture");
        return Ok(test.env(EXHAUSTIVE, "1").run()?);
    }
    sh.create_dir("target/proof")?;
    cmd!(sh, "cargo build --release --package clamp-proof --target-dir target").run()?;
    let program = root().join("target/release/clamp-proof").with_extension(std::env::consts::EXE_EXTENSION);
    if *patterns {
        packages::drivers(&VULKAN)?;
        return Ok(cmd!(sh, "{program} patterns {args...}").run()?);
    }

    let only = only.as_deref().unwrap_or_default().to_lowercase();
    let mut not_run = Vec::new();
    let mut failed = Vec::new();
    let mut files = Vec::new();
    for implementation in IMPLEMENTATIONS.iter().filter(|one| one.name.to_lowercase().contains(&only)) {
        let Implementation { name, prepare, engine } = implementation;
        println!("\n==== {name} ====");
        let json = implementation.json();
        // Results of an earlier run say nothing about this one.
        sh.remove_path(&json)?;
        let its = shell()?;
        if let Err(error) = prepare(&its) {
            not_run.push(format!("{name}: {error:#}"));
            continue;
        }
        let ran = match engine {
            Engine::Native => {
                let run = cmd!(its, "{program} run {name} --json {json} {args...}").run();
                run.map_err(anyhow::Error::from)
            }
            Engine::Web(engine) => web::columns(&its, engine, &json, args),
            Engine::Wine => wine::columns(&its, name, &json, args),
        };
        if let Err(error) = ran {
            failed.push(format!("{name}: {error:#}"));
        }
        if sh.path_exists(&json) {
            files.push(json);
        }
    }
    if files.is_empty() {
        bail!("no implementation ran: {}", [not_run, failed].concat().join("; "));
    }
    println!("\n==== matrix ====");
    let into = write.then_some(["--into", "docs/PORTABILITY.md"]);
    let into = into.iter().flatten();
    let agrees = cmd!(sh, "{program} matrix {files...} --tables target/proof/tables.tsv {into...}").run();
    for line in &not_run {
        println!("not run: {line}");
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(agrees?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed;

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
}
