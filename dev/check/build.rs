//! Names the crate's version and the commit for reports.

use std::process::Command;

fn main() {
    let manifest =
        std::fs::read_to_string("../../Cargo.toml").expect("the crate's manifest is two folders up");
    let version = manifest.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    println!("cargo::rustc-env=WGPU_CLAMP_VERSION={}", version.expect("the crate has a version"));
    println!("cargo::rustc-env=WGPU_CLAMP_COMMIT={}", git(&["describe", "--always", "--dirty"]));
    // What a dirty commit may differ in.
    for path in ["../../Cargo.toml", "../../src", "../../shaders", "src"] {
        println!("cargo::rerun-if-changed={path}");
    }
    // Each commit and each checkout adds a line to this file.
    let log = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"]);
    if std::path::Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
}

/// The output of a command of git, "unknown" outside a repository.
fn git(arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success());
    let text = output.and_then(|output| String::from_utf8(output.stdout).ok());
    text.map_or_else(|| "unknown".to_owned(), |text| text.trim().to_owned())
}
