//! `cargo xtask carry`: a folder that tries the crate on a machine with a GPU and no Rust.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::shell::{commit, root, shell};
use crate::test::LIBRARY;

/// Puts a folder together that tries the crate on a machine like this one that has a GPU driver and nothing else: stripped
/// programs and `run.sh`, which runs each for a limited time and keeps its output.
///
/// Minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder, which must not exist or be an earlier one that has not run; target/carry if not given.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const SCRIPT: &str = include_str!("carry/run.sh");

pub fn run(Args { out }: &Args) -> Result<()> {
    let sh = shell()?;
    let folder = out.as_ref().map_or_else(|| Ok(root().join("target/carry")), std::path::absolute)?;
    let is_earlier = folder.join("bin/clamp-bench").is_file() && !folder.join("raw").exists();
    ensure!(
        !folder.exists() || is_earlier,
        "--out {}: there is something else, or output in raw/; name another folder",
        folder.display()
    );
    // Two builds, because the tests turn on wgpu's slow counting of objects.
    let mut programs = build(&sh, &["--package", "clamp-bench", "--bins"])?;
    let tests = ["--test", "gpu", "--example", "doctor"];
    programs.extend(build(&sh, &[&LIBRARY[..], &tests].concat())?);

    sh.remove_path(&folder)?;
    sh.create_dir(folder.join("bin"))?;
    for (name, program) in &programs {
        sh.copy_file(program, folder.join("bin").join(name))?;
    }
    sh.copy_file("LICENSE-MIT", folder.join("LICENSE"))?;
    let script = folder.join("run.sh");
    sh.write_file(&script, SCRIPT.replace("{commit}", &commit(&sh)))?;
    cmd!(sh, "chmod +x {script}").quiet().run()?;
    println!("\n{}\nThere: ./run.sh; then bring raw/ back", folder.display());
    Ok(())
}

/// Builds optimised, stripped programs and returns their names and paths.
fn build(sh: &Shell, what: &[&str]) -> Result<Vec<(String, PathBuf)>> {
    // Panic messages name source files; the flag keeps the builder's home out of them. The variable precedes `RUSTFLAGS`:
    // `-C target-cpu=native` would suit one machine alone.
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).context("there is no home")?;
    let flags = format!("--remap-path-prefix={}=registry", cargo.join("registry/src").display());
    let build = cmd!(sh, "cargo build --profile carried --message-format json-render-diagnostics {what...}");
    executables(&build.env("CARGO_ENCODED_RUSTFLAGS", flags).read()?)
}

/// The programs in cargo's JSON messages, by target name.
fn executables(messages: &str) -> Result<Vec<(String, PathBuf)>> {
    let mut programs = Vec::new();
    for message in messages.lines() {
        let message: Value = serde_json::from_str(message).context("cargo's messages are JSON")?;
        if let (Some(name), Some(file)) = (message["target"]["name"].as_str(), message["executable"].as_str())
        {
            programs.push((name.to_owned(), Path::new(file).to_owned()));
        }
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_what_cargo_says() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"anyhow"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"gpu"},"executable":"/t/deps/gpu-0123456789abcdef"}"#;
        let programs = executables(messages).unwrap();
        assert_eq!(programs, [("gpu".to_owned(), PathBuf::from("/t/deps/gpu-0123456789abcdef"))]);
        assert!(executables("no JSON").is_err());
    }

    #[test]
    fn the_script_has_a_place_for_the_commit() {
        assert!(SCRIPT.contains("{commit}"));
    }
}
