//! `cargo xtask release`: the checks of a release besides `cargo xtask test`.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use clap::builder::PossibleValuesParser;

use crate::manifest::{self, LIBRARY};
use crate::packed::{self, Tree};
use crate::steps::{Steps, root, run as run_command};
use crate::{msrv, tools, web};

/// Checks what a release has to pass besides `test`.
///
/// Publishes nothing. Installs cargo-hack and cargo-semver-checks below target/ where they are missing: minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// `manifest`: Cargo.toml, CHANGELOG.md and README.md are of the next version. `package`: what is committed builds
    /// alone. `msrv`: the dependencies, and the library with that toolchain. `features`: clippy with each feature alone,
    /// none and all. `semver`: the API against the last tag. All five if not given.
    #[arg(value_parser = PossibleValuesParser::new(CHECKS.map(|(name, _)| name)))]
    checks: Vec<String>,
    /// The revision that `semver` compares with.
    #[arg(long, value_name = "REV")]
    baseline: Option<String>,
}

/// A check returns what it could not look at, if anything.
type Check = fn(&Args) -> Result<Option<String>>;

/// All checks, the quick ones first.
const CHECKS: [(&str, Check); 5] = [
    ("manifest", |_| manifest::check().map(|()| None)),
    ("package", |_| packed::check(Tree::Committed).map(|()| None)),
    ("msrv", |_| msrv::check()),
    ("features", |_| features().map(|()| None)),
    ("semver", |asked| semver(asked.baseline.as_deref())),
];

/// # Errors
///
/// A check fails.
pub fn run(asked: &Args) -> Result<()> {
    let wanted = |name: &str| asked.checks.is_empty() || asked.checks.iter().any(|check| check == name);
    ensure!(
        asked.baseline.is_none() || wanted("semver"),
        "`--baseline` is what `semver` compares with, and that was not asked for"
    );
    let mut steps = Steps::new();
    let mut unchecked = Vec::new();
    for (name, check) in CHECKS.into_iter().filter(|(name, _)| wanted(name)) {
        steps.step(name, || {
            unchecked.extend(check(asked)?);
            Ok(())
        })?;
    }
    steps.summary();
    println!("\nPassed.");
    for what in unchecked {
        println!("Not checked: {what}");
    }
    Ok(())
}

/// Checks the library with each feature alone, with none and with all. No code depends on two features together.
fn features() -> Result<()> {
    let root = root()?;
    let hack = tools::cargo_install(&root.join("target/tools"), "cargo-hack", &["cargo-hack", "--locked"])?;
    tools::rust_target(web::TARGET)?;
    let each = |subcommand: &[&str], rest: &[&str]| {
        let mut command = Command::new(&hack);
        command.arg("hack").args(subcommand).args([
            "--package",
            LIBRARY,
            "--lib",
            "--each-feature",
            "--locked",
        ]);
        run_command(command.args(rest).current_dir(root))
    };
    each(&["clippy"], &["--", "-D", "warnings"])?;
    each(&["check"], &["--target", web::TARGET])
}

/// Checks that the version in Cargo.toml suits the changes of the API since `baseline`, or since the last release.
fn semver(baseline: Option<&str>) -> Result<Option<String>> {
    let root = root()?;
    let last = if baseline.is_none() { last_release(root)? } else { None };
    let Some(baseline) = baseline.or(last.as_deref()) else {
        return Ok(Some("the API against a release before: no tag `v...` leads here".into()));
    };
    let what = ["cargo-semver-checks", "--locked"];
    let checks = tools::cargo_install(&root.join("target/tools"), "cargo-semver-checks", &what)?;
    let mut compare = Command::new(checks);
    compare.args(["semver-checks", "--package", LIBRARY, "--baseline-rev", baseline]).current_dir(root);
    run_command(&mut compare)?;
    Ok(None)
}

/// The tag of the last release among the ancestors of HEAD.
fn last_release(repository: &Path) -> Result<Option<String>> {
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).current_dir(repository).output()?;
        ensure!(
            output.status.success(),
            "`git {}`: {}",
            args.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let shallow = git(&["rev-parse", "--is-shallow-repository"])?;
    // A shallow clone looks like a repository without a release.
    ensure!(
        shallow.trim() == "false",
        "this clone is shallow: `git fetch --unshallow --tags` brings the tags"
    );
    let tags = git(&["tag", "--list", "v[0-9]*", "--merged", "HEAD", "--sort", "-version:refname"])?;
    Ok(tags.lines().next().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::typed;

    #[test]
    fn a_baseline_is_for_semver() {
        let asked: Args = typed("msrv --baseline HEAD").unwrap();
        assert!(run(&asked).unwrap_err().to_string().contains("semver"));
        assert!(typed::<Args>("publish").is_err());
    }

    #[test]
    fn the_last_release_is_the_highest_tag_that_leads_here() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        let git = |line: &str| {
            let mut git = Command::new("git");
            git.args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.org",
                "-c",
                "init.defaultBranch=main",
            ]);
            let output = git.args(line.split(' ')).current_dir(path).output().unwrap();
            assert!(output.status.success(), "{line}: {output:?}");
        };
        assert!(last_release(path).unwrap_err().to_string().contains("git rev-parse"));
        git("init");
        git("commit --allow-empty --message first");
        assert_eq!(last_release(path).unwrap(), None);
        git("tag v0.9.0");
        git("tag verified");
        git("commit --allow-empty --message second");
        git("tag v0.10.0");
        assert_eq!(last_release(path).unwrap().as_deref(), Some("v0.10.0"));
        git("checkout --detach v0.9.0");
        assert_eq!(last_release(path).unwrap().as_deref(), Some("v0.9.0"));

        let shallow = directory.path().join("shallow");
        git(&format!("clone --depth 1 file://{} shallow", path.display()));
        assert!(last_release(&shallow).unwrap_err().to_string().contains("--unshallow"));
    }
}
