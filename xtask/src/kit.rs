//! `cargo xtask kit`: a folder that tests the crate on a machine that has a GPU driver and nothing else.

mod needs;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::lint::FEATURES;
use crate::release::LIBRARY;
use crate::shell::{commit, root, shell};

/// Puts a folder together that runs on a machine with a GPU driver and nothing else: no Rust, no network, no
/// repository.
///
/// `./run` in it runs the GPU tests, the self-test and the tables, and writes a report to paste into an issue.
/// Minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder; target/kit if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The target; `x86_64-pc-windows-gnu` builds for Windows from Linux, with MinGW.
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
}

/// The largest kit in MiB.
const MOST_MIB: u64 = 64;

/// All files and folders of a kit that has not run.
const OWN: [&str; 8] =
    ["README.txt", "bin", "data", "run", "run.exe", "torch_cupy.py", "LICENSE-MIT", "LICENSE-APACHE"];

/// The README.txt of the folder.
const README: &str = include_str!("kit/README.txt");

/// The profile of Cargo.toml for the programs.
const PROFILE: &str = "carried";

/// The entries of `tests/data` that the conformance tests read, and their sources.
const DATA: [&str; 4] = ["golden", "onnx", "CONFORMANCE.md", "README.md"];

impl Args {
    /// Whether the kit is for this system.
    fn is_for(&self, os: &str) -> bool {
        self.target.as_ref().map_or(std::env::consts::OS == os, |target| target.contains(os))
    }

    /// The processors that the kit is for.
    fn architecture(&self) -> &str {
        self.target.as_deref().and_then(|target| target.split('-').next()).unwrap_or(std::env::consts::ARCH)
    }
}

pub fn run(options: &Args) -> Result<()> {
    let sh = shell()?;
    let commit = commit(&sh);
    let folder = options.out.as_ref().map_or_else(|| Ok(root().join("target/kit")), std::path::absolute)?;
    clear(&sh, &folder)?;
    // Two builds, because the tests turn on wgpu's slow counting of objects.
    let tools = ["clamp-kit", "clamp-bench", "clamp-proof"].map(|package| ["--package", package]);
    let mut programs = build(&sh, options, &commit, &[tools.as_flattened(), &["--bins"]].concat())?;
    let tests = ["--test", "gpu", "--test", "conformance", "--example", "doctor", "--features", FEATURES];
    programs.extend(build(&sh, options, &commit, &[&["--package", LIBRARY], &tests[..]].concat())?);

    let (start, system) = if options.is_for("windows") {
        (r".\run.exe", "64-bit Windows 10 or later".to_owned())
    } else if options.is_for("linux") {
        let glibc = needs::glibc(&sh, programs.iter().map(|(_, file)| file))?;
        ("./run", format!("Linux on {}, glibc {glibc} or later", options.architecture()))
    } else {
        ("./run", std::env::consts::OS.to_owned())
    };
    let mut size = 0;
    for (from, to) in contents(&sh, &programs)? {
        let to = folder.join(to);
        sh.create_dir(to.parent().unwrap_or(&folder))?;
        sh.copy_file(&from, &to)?;
        size += to.metadata()?.len();
    }
    let readme = README.replace("{run}", start).replace("{system}", &system).replace("{commit}", &commit);
    sh.write_file(folder.join("README.txt"), readme)?;
    let mib = size >> 20;
    ensure!(mib < MOST_MIB, "the kit has {mib} MiB, and may have {MOST_MIB}");
    println!("\n{}: {mib} MiB, for {system}\nThere: {start} --minutes 30", folder.display());
    Ok(())
}

/// Removes an earlier kit. Refuses a folder with anything else in it, such as a report.
fn clear(sh: &Shell, folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let title = README.lines().next().unwrap_or_default();
    let is_kit = sh.read_file(folder.join("README.txt")).is_ok_and(|text| text.starts_with(title));
    for path in sh.read_dir(folder)? {
        let is_part = is_kit && OWN.iter().any(|name| path.ends_with(name));
        ensure!(is_part, "{} is no part of a kit: move it away, or name an empty folder", path.display());
    }
    Ok(sh.remove_path(folder)?)
}

/// Builds optimised, stripped programs and returns their names and paths.
fn build(sh: &Shell, options: &Args, commit: &str, what: &[&str]) -> Result<Vec<(String, PathBuf)>> {
    let target = options.target.iter().flat_map(|target| ["--target", target.as_str()]);
    let build =
        cmd!(sh, "cargo build --profile {PROFILE} --message-format json-render-diagnostics {what...}");
    // These flags replace the builder's own, since `-C target-cpu=native` would suit one machine alone. Cargo takes
    // flags from one place; this variable precedes `RUSTFLAGS` and the configuration.
    let build = build.args(target).env("WGPU_CLAMP_COMMIT", commit).env("CARGO_ENCODED_RUSTFLAGS", flags());
    println!("$ {build}");
    executables(&build.read()?)
}

/// The compiler's flags. Panic messages name source files; the flag keeps the builder's home out of them.
fn flags() -> String {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let remap =
        |home: PathBuf| format!("--remap-path-prefix={}=registry", home.join("registry/src").display());
    home.map(remap).unwrap_or_default()
}

/// The programs in cargo's JSON messages, by target name.
fn executables(messages: &str) -> Result<Vec<(String, PathBuf)>> {
    let mut programs = Vec::new();
    for message in messages.lines() {
        let message: Value = serde_json::from_str(message).context("cargo's messages are JSON")?;
        if let (Some(name), Some(file)) = (message["target"]["name"].as_str(), message["executable"].as_str())
        {
            programs.push((name.to_owned(), file.into()));
        }
    }
    Ok(programs)
}

/// The files of the kit: their sources and their places in it.
fn contents(sh: &Shell, programs: &[(String, PathBuf)]) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut files = Vec::new();
    for (name, file) in programs {
        let folder = if name == "run" { "" } else { "bin" };
        let extension = file.extension().unwrap_or_default();
        files.push((file.clone(), Path::new(folder).join(name).with_extension(extension)));
    }
    for name in DATA {
        walk(sh, &root().join("tests/data").join(name), &Path::new("data").join(name), &mut files)?;
    }
    for (from, to) in [
        ("peers/bench/torch_cupy.py", "torch_cupy.py"),
        ("LICENSE-MIT", "LICENSE-MIT"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
    ] {
        files.push((root().join(from), to.into()));
    }
    Ok(files)
}

/// Adds all files below `from`, or the file itself.
fn walk(sh: &Shell, from: &Path, to: &Path, files: &mut Vec<(PathBuf, PathBuf)>) -> Result<()> {
    if from.is_file() {
        files.push((from.to_owned(), to.to_owned()));
        return Ok(());
    }
    for path in sh.read_dir(from)? {
        walk(sh, &path, &to.join(path.file_name().unwrap_or_default()), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed;

    #[test]
    fn the_target_says_for_which_system() {
        let asked: Args = typed("--out there --target x86_64-pc-windows-gnu").unwrap();
        assert!(asked.is_for("windows") && !asked.is_for("linux") && asked.out == Some("there".into()));
        assert_eq!(asked.architecture(), "x86_64");
    }

    #[test]
    fn an_earlier_kit_leaves_and_nothing_else_does() {
        let sh = shell().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        let folder = folder.path();
        let put = |name: &str, text: &str| sh.write_file(folder.join(name), text).unwrap();
        let refused = |name: &str| {
            let error = clear(&sh, folder).unwrap_err().to_string();
            assert!(error.contains(name) && folder.join(name).exists(), "{error}");
        };
        clear(&sh, &folder.join("none")).unwrap();
        put("bin/tool", "mine");
        refused("bin");
        for name in ["bin/gpu.exe", "data/onnx/test", "run", "run.exe"] {
            put(name, "");
        }
        put("README.txt", README);
        for name in ["report-2", "notes"] {
            put(&format!("{name}/report.md"), "");
            refused(name);
            assert!(folder.join("run").exists());
            sh.remove_path(folder.join(name)).unwrap();
        }
        clear(&sh, folder).unwrap();
        assert!(!folder.exists());
        sh.create_dir(folder).unwrap();
        clear(&sh, folder).unwrap();
    }

    #[test]
    fn the_flags_keep_the_builders_home_out() {
        let flags = flags();
        assert!(flags.starts_with("--remap-path-prefix=") && flags.ends_with("=registry"), "{flags}");
    }

    #[test]
    fn programs_are_found_in_what_cargo_says() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"anyhow"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"gpu"},"executable":"/t/deps/gpu-0123456789abcdef"}
{"reason":"build-finished","success":true}"#;
        let programs = executables(messages).unwrap();
        assert_eq!(programs, [("gpu".to_owned(), PathBuf::from("/t/deps/gpu-0123456789abcdef"))]);
        assert!(executables("no JSON").is_err());
    }

    #[test]
    fn everything_that_the_kit_takes_is_there() {
        let programs =
            vec![("run".to_owned(), "/t/run.exe".into()), ("gpu".to_owned(), "/t/gpu-1.exe".into())];
        let files = contents(&shell().unwrap(), &programs).unwrap();
        let of_kit = |to: &Path| OWN.iter().any(|name| to.starts_with(name));
        let places: Vec<_> = files.iter().map(|(_, to)| to.to_str().unwrap().replace('\\', "/")).collect();
        for place in ["run.exe", "bin/gpu.exe", "data/CONFORMANCE.md", "data/onnx/test_clip/model.onnx"] {
            assert!(places.iter().any(|known| known == place), "{place} is not among {places:?}");
        }
        assert!(files[2..].iter().all(|(from, _)| from.is_file()));
        assert!(files.iter().all(|(_, to)| of_kit(to)), "{places:?}");
    }

    #[test]
    fn the_readme_has_a_place_for_all_that_it_is_told() {
        for mark in ["{run}", "{system}", "{commit}"] {
            assert!(README.contains(mark), "{mark}");
        }
    }
}
