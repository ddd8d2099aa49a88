//! `cargo xtask release`: what a release has to pass beside `cargo xtask test`.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail, ensure};

use crate::cli::{self, Words};
use crate::manifest::{self, LIBRARY};
use crate::packed::{self, Tree};
use crate::steps::{Steps, root, run as run_command};
use crate::{msrv, tools, web};

/// The command.
pub const COMMAND: cli::Command = cli::Command {
    name: "release",
    usage: "
    cargo xtask release [CHECK...] [--baseline REV]
        What a release has to pass beside `test`, in this order, or the checks named:
            manifest    Cargo.toml, CHANGELOG.md and README.md are of the version to come
            package     what is committed, packed and built alone
            msrv        the dependencies, and the library where rustup has that toolchain
            features    clippy with each feature alone, none and all; for wasm32 that it compiles
            semver      the API against the last tag `v...`, or against REV
        Publishes nothing. Installs cargo-hack and cargo-semver-checks below target/ where they are missing
        (minutes).
",
    task: |words| {
        let asked = Asked::of(words)?;
        Ok(Box::new(move || run(&asked)))
    },
};

/// What the words ask for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    checks: Vec<&'static str>,
    baseline: Option<String>,
}

/// A check passes whole (`None`), or says what it could not look at.
type Check = fn(&Asked) -> Result<Option<String>>;

/// All of them, the quick ones first.
const CHECKS: [(&str, Check); 5] = [
    ("manifest", |_| manifest::check().map(|()| None)),
    ("package", |_| packed::check(Tree::Committed).map(|()| None)),
    ("msrv", |_| msrv::check()),
    ("features", |_| features().map(|()| None)),
    ("semver", |asked| semver(asked.baseline.as_deref())),
];

impl Asked {
    fn of(words: Words) -> Result<Self> {
        let names = CHECKS.map(|(name, _)| name);
        let (mut checks, mut baseline) = (Vec::new(), None);
        let mut words = words.all().into_iter().map(|word| word.to_string_lossy().into_owned());
        while let Some(word) = words.next() {
            if word == "--baseline" {
                baseline = words.next();
                ensure!(baseline.is_some(), "`--baseline` takes a revision of git");
            } else if let Some(name) = names.into_iter().find(|name| *name == word) {
                checks.push(name);
            } else {
                bail!("`release` takes {}, and `--baseline REV`, but got `{word}`", names.join(", "));
            }
        }
        if checks.is_empty() {
            checks = names.to_vec();
        }
        ensure!(
            baseline.is_none() || checks.contains(&"semver"),
            "`--baseline` is what `semver` compares with, and that was not asked for"
        );
        Ok(Self { checks, baseline })
    }
}

fn run(asked: &Asked) -> Result<()> {
    let mut steps = Steps::new();
    let mut unchecked = Vec::new();
    for (name, check) in CHECKS.into_iter().filter(|(name, _)| asked.checks.contains(name)) {
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

/// The library compiles with any of its features. It has no code of its own for two of them together, so no set of two is
/// tried but all of them.
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

/// The version in Cargo.toml says of the API what has become of it since `baseline`, or the last release.
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

/// The tag of the last release among the ancestors of what is checked out.
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
    // It would look like a repository without a release.
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

    #[test]
    fn checks_are_named_or_all_of_them() {
        let asked = |line| Asked::of(Words::typed(line));
        assert_eq!(asked("").unwrap().checks, CHECKS.map(|(name, _)| name));
        let some = asked("semver msrv --baseline HEAD~1").unwrap();
        assert_eq!(some, Asked { checks: vec!["semver", "msrv"], baseline: Some("HEAD~1".into()) });
        for (line, named) in
            [("publish", "`publish`"), ("semver --baseline", "revision"), ("msrv --baseline HEAD", "semver")]
        {
            let error = asked(line).unwrap_err().to_string();
            assert!(error.contains(named), "{line}: {error}");
        }
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
