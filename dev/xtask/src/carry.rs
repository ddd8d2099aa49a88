//! `cargo xtask carry`: a folder that tries the crate on a machine with a GPU and no Rust.

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::shell::{commit, root, shell};
use crate::test::LIBRARY;

pub fn run() -> Result<()> {
    let sh = shell()?;
    let folder = root().join("target/carry");
    sh.remove_path(folder.join("bin"))?;
    sh.create_dir(folder.join("bin"))?;
    // Two builds, because the tests turn on wgpu's slow counting of objects.
    let tests = ["--test", "gpu", "--example", "doctor"];
    let programs =
        [build(&sh, &["--package", "clamp-bench", "--bins"])?, build(&sh, &[&LIBRARY[..], &tests].concat())?];
    for (name, program) in programs.iter().flatten() {
        sh.copy_file(program, folder.join("bin").join(name))?;
    }
    sh.copy_file("LICENSE-MIT", folder.join("LICENSE"))?;
    let script = folder.join("run.sh");
    sh.write_file(&script, include_str!("carry/run.sh").replace("{commit}", &commit(&sh)))?;
    cmd!(sh, "chmod +x {script}").quiet().run()?;
    println!("\n{}\nThere: ./run.sh; then bring raw/ back", folder.display());
    Ok(())
}

/// Builds optimised, stripped programs and returns their names and paths.
fn build(sh: &Shell, what: &[&str]) -> Result<Vec<(String, String)>> {
    // Panic messages name source files; the flag keeps the builder's home out of them. The variable precedes `RUSTFLAGS`:
    // `-C target-cpu=native` would suit one machine alone.
    let home = std::env::home_dir().context("there is no home")?;
    let build = cmd!(sh, "cargo build --profile carried --message-format json-render-diagnostics {what...}");
    let messages = build
        .env("CARGO_ENCODED_RUSTFLAGS", format!("--remap-path-prefix={}=home", home.display()))
        .read()?;
    let mut programs = Vec::new();
    for message in messages.lines() {
        let message: Value = serde_json::from_str(message).context("cargo's messages are JSON")?;
        if let (Some(name), Some(file)) = (message["target"]["name"].as_str(), message["executable"].as_str())
        {
            programs.push((name.to_owned(), file.to_owned()));
        }
    }
    Ok(programs)
}
