//! `cargo xtask kit`: a folder that tests the crate on a machine that has a GPU driver and nothing else.

mod needs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::lint::FEATURES;
use crate::manifest::LIBRARY;
use crate::steps::{cargo, commit, root, shown};

/// Puts a folder together that runs on a machine with a GPU driver and nothing else: no Rust, no network, no
/// repository.
///
/// `./run` in it runs the GPU tests, the self-test and the tables, and writes a report to paste into an issue.
/// Minutes.
#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// The folder; target/kit if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The target; `x86_64-pc-windows-gnu` builds for Windows from Linux, with MinGW.
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
}

/// The largest kit in bytes.
const MOST: u64 = 64 << 20;

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

/// # Errors
///
/// A program does not build, or the folder has something else in it or gets too large.
pub fn run(options: &Args) -> Result<()> {
    let root = root()?;
    let commit = commit(root);
    let folder = options.out.clone().unwrap_or_else(|| root.join("target/kit"));
    clear(&folder)?;
    // A second build, because the tests turn on wgpu's slow counting of objects.
    let tools = ["clamp-kit", "clamp-bench", "clamp-proof"].map(|package| ["--package", package]);
    let mut programs = build(options, &commit, &[tools.as_flattened(), &["--bins"]].concat())?;
    let tests = ["--test", "gpu", "--test", "conformance", "--example", "doctor", "--features", FEATURES];
    programs.extend(build(options, &commit, &[&["--package", LIBRARY], &tests[..]].concat())?);

    let (start, system) = if options.is_for("windows") {
        (r".\run.exe", "64-bit Windows 10 or later".to_owned())
    } else if options.is_for("linux") {
        let glibc = needs::glibc(programs.iter().map(|(_, file)| file))?;
        ("./run", format!("Linux on {}, glibc {glibc} or later", options.architecture()))
    } else {
        ("./run", std::env::consts::OS.to_owned())
    };
    let mut size = 0;
    for (from, to) in contents(root, programs)? {
        let to = folder.join(to);
        fs::create_dir_all(to.parent().unwrap_or(&folder)).with_context(|| to.display().to_string())?;
        size += fs::copy(&from, &to)
            .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    }
    let readme = README.replace("{run}", start).replace("{system}", &system).replace("{commit}", &commit);
    let path = folder.join("README.txt");
    fs::write(&path, readme).with_context(|| path.display().to_string())?;

    #[expect(clippy::cast_precision_loss, reason = "a digit is shown")]
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    ensure!(size <= MOST, "the kit has {}, and may have {}", mib(size), mib(MOST));
    println!("\n{}: {}, for {system}\nThere: {start} --minutes 30", folder.display(), mib(size));
    Ok(())
}

/// Removes an earlier kit's programs and data from `folder`.
///
/// # Errors
///
/// The folder has a report, or is not a kit.
fn clear(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let here = || folder.display().to_string();
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(here)? {
        names.push(entry.with_context(here)?.file_name().to_string_lossy().into_owned());
    }
    if let Some(report) = names.iter().find(|name| name.starts_with("report")) {
        bail!(
            "{} is a report that the kit would carry along: move it away first",
            folder.join(report).display()
        );
    }
    let title = README.lines().next().unwrap_or_default();
    let is_kit = || fs::read_to_string(folder.join("README.txt")).is_ok_and(|text| text.starts_with(title));
    ensure!(names.is_empty() || is_kit(), "{} has other things than a kit: name an empty folder", here());
    for name in names {
        let path = folder.join(&name);
        match name.as_str() {
            "bin" | "data" => fs::remove_dir_all(&path),
            "run" | "run.exe" => fs::remove_file(&path),
            _ => continue,
        }
        .with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}

/// Builds optimised, stripped programs and returns their names and paths.
fn build(options: &Args, commit: &str, what: &[&str]) -> Result<Vec<(String, PathBuf)>> {
    let mut command = building(options, commit, what);
    command.current_dir(root()?);
    let line = shown(&command);
    println!("$ {line}");
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(output.status.success(), "this command failed ({}):\n\n    {line}\n", output.status);
    executables(&String::from_utf8_lossy(&output.stdout))
}

/// The command of [`build`].
fn building(options: &Args, commit: &str, what: &[&str]) -> Command {
    let mut command = cargo(&["build", "--profile", PROFILE, "--message-format", "json-render-diagnostics"]);
    // Replaces the builder's own flags: `-C target-cpu=native` would suit one machine alone.
    command.args(what).env("WGPU_CLAMP_COMMIT", commit).env("CARGO_ENCODED_RUSTFLAGS", flags());
    if let Some(target) = &options.target {
        command.args(["--target", target]);
    }
    command
}

/// The compiler's flags.
fn flags() -> String {
    // Panic messages name source files; this keeps the builder's home out of them.
    let remap = |sources: PathBuf| format!("--remap-path-prefix={}=registry", sources.display());
    sources().map(remap).unwrap_or_default()
}

/// The folder of downloaded crates.
fn sources() -> Option<PathBuf> {
    let home = std::env::home_dir().map(|home| home.join(".cargo"));
    Some(std::env::var_os("CARGO_HOME").map(PathBuf::from).or(home)?.join("registry/src"))
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
fn contents(root: &Path, programs: Vec<(String, PathBuf)>) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut files = Vec::new();
    for (name, file) in programs {
        let place = PathBuf::from(if name == "run" { name } else { format!("bin/{name}") });
        let extension = file.extension().unwrap_or_default();
        files.push((file.clone(), place.with_extension(extension)));
    }
    for name in DATA {
        walk(&root.join("tests/data").join(name), &Path::new("data").join(name), &mut files)?;
    }
    for (from, to) in [
        ("peers/bench/torch_cupy.py", "torch_cupy.py"),
        ("LICENSE-MIT", "LICENSE-MIT"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
    ] {
        files.push((root.join(from), to.into()));
    }
    Ok(files)
}

/// Adds all files below `from`, or the file itself.
fn walk(from: &Path, to: &Path, files: &mut Vec<(PathBuf, PathBuf)>) -> Result<()> {
    if !from.is_dir() {
        files.push((from.to_owned(), to.to_owned()));
        return Ok(());
    }
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        walk(&entry.path(), &to.join(entry.file_name()), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::typed;

    #[test]
    fn the_target_says_for_which_system() {
        let asked: Args = typed("--out there --target x86_64-pc-windows-gnu").unwrap();
        assert!(asked.is_for("windows") && !asked.is_for("linux") && asked.out == Some("there".into()));
        assert_eq!(asked.architecture(), "x86_64");
    }

    #[test]
    fn an_earlier_kit_leaves_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let put = |name: &str, text: &str| {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), text).unwrap();
        };
        clear(&at("none")).unwrap();
        clear(folder.path()).unwrap();
        put("bin/tool", "mine");
        let error = clear(folder.path()).unwrap_err().to_string();
        assert!(error.contains("other things") && at("bin/tool").exists(), "{error}");

        put("README.txt", README);
        for name in ["bin/gpu.exe", "data/onnx/test", "run", "run.exe", "notes"] {
            put(name, "");
        }
        put("report-2/report.md", "");
        let error = clear(folder.path()).unwrap_err().to_string();
        assert!(error.contains("report-2") && at("run").exists(), "{error}");
        fs::remove_dir_all(at("report-2")).unwrap();
        clear(folder.path()).unwrap();
        let mut left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["README.txt", "notes"]);
    }

    /// Cargo takes flags from one place; this variable precedes `RUSTFLAGS` and the configuration.
    #[test]
    fn the_flags_of_whoever_builds_stay_out() {
        let command = building(&Args::default(), "0", &[]);
        let flags = command.get_envs().find(|(name, _)| *name == "CARGO_ENCODED_RUSTFLAGS");
        let flags = flags.unwrap().1.unwrap().to_str().unwrap();
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
        let files = contents(root().unwrap(), programs).unwrap();
        let places: Vec<_> = files.iter().map(|(_, to)| to.to_str().unwrap().replace('\\', "/")).collect();
        for place in ["run.exe", "bin/gpu.exe", "data/CONFORMANCE.md", "data/onnx/test_clip/model.onnx"] {
            assert!(places.iter().any(|known| known == place), "{place} is not among {places:?}");
        }
        assert!(files[2..].iter().all(|(from, _)| from.is_file()));
    }

    #[test]
    fn the_readme_has_a_place_for_all_that_it_is_told() {
        for mark in ["{run}", "{system}", "{commit}"] {
            assert!(README.contains(mark), "{mark}");
        }
    }
}
