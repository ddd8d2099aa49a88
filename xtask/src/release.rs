//! `cargo xtask release`: the checks of a release besides `cargo xtask test`.

mod manifest;
mod msrv;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::shell::{Steps, shell};
use crate::{tools, web};

/// The package that is published.
pub const LIBRARY: &str = "wgpu-clamp";

/// Checks what a release has to pass besides `test`.
///
/// Publishes nothing. Installs cargo-hack and cargo-semver-checks below target/ where they are missing: minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// `manifest`: Cargo.toml, CHANGELOG.md and README.md are ready for the version. `package`: the committed files,
    /// packed, build by themselves. `msrv`: the library compiles with the Rust of Cargo.toml, which rustup installs.
    /// `features`: clippy with each feature alone, none and all. `semver`: the API against the last tag. All five if
    /// not given.
    #[arg(value_parser = PossibleValuesParser::new(CHECKS.map(|(name, _)| name)))]
    checks: Vec<String>,
    /// The revision that `semver` compares with.
    #[arg(long, value_name = "REV")]
    baseline: Option<String>,
}

type Check = fn(&Shell, &Args) -> Result<()>;

/// All checks, the quick ones first.
const CHECKS: [(&str, Check); 5] = [
    ("manifest", |sh, _| manifest::check(sh)),
    ("package", |sh, _| package(sh, &[])),
    ("msrv", |sh, _| {
        msrv::dependencies(sh)?;
        hack(sh, "check", &["--rust-version", "--all-features"])
    }),
    ("features", |sh, _| features(sh)),
    ("semver", |sh, asked| semver(sh, asked.baseline.as_deref())),
];

pub fn run(asked: &Args) -> Result<()> {
    let wanted = |name: &str| asked.checks.is_empty() || asked.checks.iter().any(|check| check == name);
    ensure!(
        asked.baseline.is_none() || wanted("semver"),
        "`--baseline` is for the check `semver`, which was not asked for"
    );
    let sh = shell()?;
    let mut steps = Steps::new();
    for (name, check) in CHECKS.into_iter().filter(|(name, _)| wanted(name)) {
        steps.step(name, || check(&sh, asked))?;
    }
    steps.summary();
    println!("\nPassed.");
    Ok(())
}

/// cargo's metadata of the library.
fn metadata(sh: &Shell) -> Result<Value> {
    let text = cmd!(sh, "cargo metadata --format-version 1 --no-deps --locked").read()?;
    let mut metadata: Value = serde_json::from_str(&text)?;
    let packages = metadata["packages"].as_array_mut().into_iter().flatten();
    packages
        .map(Value::take)
        .find(|package| package["name"] == LIBRARY)
        .context("the library is not in the workspace")
}

/// Packs the crate and checks the package alone: the library, without the features that tests turn on in its
/// dependencies, then the examples, so that `include` lacks none of their files.
///
/// `allow` has cargo's options for a work tree with changes.
pub fn package(sh: &Shell, allow: &[&str]) -> Result<()> {
    cmd!(sh, "cargo package --package {LIBRARY} --no-verify --locked --target-dir target")
        .args(allow)
        .run()?;
    let metadata = metadata(sh)?;
    let packed = format!("{LIBRARY}-{}", metadata["version"].as_str().unwrap_or_default());
    sh.remove_path(Path::new("target/package").join(&packed))?;
    // `m` gives the files the current time. With the package's dates, cargo would take them for already checked.
    cmd!(sh, "tar -xzmf target/package/{packed}.crate -C target/package").run()?;
    // In the target folder of the other steps, to reuse their builds.
    let check = ["check", "--locked", "--target-dir", "target", "--manifest-path"];
    cmd!(sh, "cargo {check...} target/package/{packed}/Cargo.toml --lib").run()?;
    Ok(cmd!(sh, "cargo {check...} target/package/{packed}/Cargo.toml --examples --all-features").run()?)
}

/// Runs cargo-hack on the library.
fn hack(sh: &Shell, subcommand: &str, args: &[&str]) -> Result<()> {
    tools::cargo(sh, "cargo-hack")?;
    Ok(cmd!(sh, "cargo hack {subcommand} --package {LIBRARY} --lib --locked {args...}").run()?)
}

/// Checks the library with each feature alone, with none and with all. No code depends on two features together.
fn features(sh: &Shell) -> Result<()> {
    tools::rust_target(sh, web::TARGET)?;
    hack(sh, "clippy", &["--each-feature", "--", "-D", "warnings"])?;
    hack(sh, "check", &["--each-feature", "--target", web::TARGET])
}

/// Checks that the version in Cargo.toml suits the changes of the API since `baseline`, or since the last release.
fn semver(sh: &Shell, baseline: Option<&str>) -> Result<()> {
    let shallow = cmd!(sh, "git rev-parse --is-shallow-repository").read()? == "true";
    ensure!(
        baseline.is_some() || !shallow,
        "a shallow clone may lack the tag of the last release: `git fetch --unshallow --tags` brings it"
    );
    let Some(baseline) = baseline.map(str::to_owned).or_else(|| last_release(sh)) else {
        println!("not checked: no tag `v...` leads here, so there is no release to compare with");
        return Ok(());
    };
    tools::cargo(sh, "cargo-semver-checks")?;
    Ok(cmd!(sh, "cargo semver-checks --package {LIBRARY} --baseline-rev {baseline}").run()?)
}

/// The tag of the last release among the ancestors of HEAD.
fn last_release(sh: &Shell) -> Option<String> {
    cmd!(sh, "git describe --tags --abbrev=0 --match v[0-9]*").ignore_stderr().read().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed;

    #[test]
    fn a_baseline_is_for_semver() {
        let asked: Args = typed("msrv --baseline HEAD").unwrap();
        assert!(run(&asked).unwrap_err().to_string().contains("semver"));
        assert!(typed::<Args>("publish").is_err());
    }

    #[test]
    fn continuous_integration_and_the_readme_name_that_rust() {
        let manifest = include_str!("../../Cargo.toml");
        let ours = manifest.split_once("rust-version = \"").unwrap().1.split_once('"').unwrap().0;
        let workflow = include_str!("../../.github/workflows/ci.yml");
        assert!(workflow.contains(&format!("rustup toolchain install {ours} ")));
        assert!(include_str!("../../README.md").contains(&format!("/rust-{ours}+-")));
    }

    #[test]
    fn the_last_release_is_the_nearest_tag_that_leads_here() {
        let sh = shell().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        sh.change_dir(folder.path());
        let config = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let git =
            |words: &[&str]| cmd!(sh, "git {config...} {words...}").quiet().ignore_stderr().read().unwrap();
        assert_eq!(last_release(&sh), None);
        git(&["init"]);
        git(&["commit", "--allow-empty", "--message", "first"]);
        assert_eq!(last_release(&sh), None);
        git(&["tag", "v0.9.0"]);
        git(&["commit", "--allow-empty", "--message", "second"]);
        git(&["tag", "verified"]);
        assert_eq!(last_release(&sh).as_deref(), Some("v0.9.0"));
        git(&["tag", "v0.10.0"]);
        assert_eq!(last_release(&sh).as_deref(), Some("v0.10.0"));
        git(&["checkout", "--detach", "v0.9.0"]);
        assert_eq!(last_release(&sh).as_deref(), Some("v0.9.0"));
    }
}
