//! The oldest Rust that compiles the library.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::manifest::{self, LIBRARY, package, text};
use crate::steps::{root, run as run_command, succeeds};

/// Checks that no dependency of the library declares a newer Rust than its `rust-version`, and compiles the library
/// with that toolchain if rustup has it; `Some` says why not. Clippy's `incompatible_msrv` checks the use of the
/// standard library.
///
/// # Errors
///
/// A dependency asks for a newer Rust, or the library does not compile.
pub fn check() -> Result<Option<String>> {
    let metadata = manifest::metadata(&["--all-features"])?;
    let ours = text(package(&metadata, LIBRARY)?, "rust_version");
    let newer = newer(&metadata, ours)?;
    ensure!(newer.is_empty(), "these ask for a newer Rust than {ours}: {}", newer.join(", "));
    println!("What the library is built from declares Rust {ours} at most");
    let with_toolchain = |args: &[&str]| {
        let mut command = Command::new("rustup");
        command.args(["run", ours]).args(args);
        command
    };
    if !succeeds(&mut with_toolchain(&["rustc", "--version"])) {
        return Ok(Some(format!(
            "that Rust {ours} compiles the library: `rustup toolchain install {ours} --profile minimal` brings it"
        )));
    }
    let mut check =
        with_toolchain(&["cargo", "check", "--package", LIBRARY, "--lib", "--all-features", "--locked"]);
    run_command(check.current_dir(root()?))?;
    Ok(None)
}

/// Dependencies of the library, on any platform, that declare a newer Rust than `ours`.
fn newer(metadata: &Value, ours: &str) -> Result<Vec<String>> {
    let by_id = |list: &'_ Value| -> BTreeMap<String, Value> {
        let items = list.as_array().into_iter().flatten();
        items.map(|item| (text(item, "id").to_owned(), item.clone())).collect()
    };
    let packages = by_id(&metadata["packages"]);
    let nodes = by_id(&metadata["resolve"]["nodes"]);
    let mut to_visit = vec![text(package(metadata, LIBRARY)?, "id")];
    let mut visited = BTreeSet::new();
    while let Some(id) = to_visit.pop() {
        if !visited.insert(id) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().into_iter().flatten() {
            let mut kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
            if kinds.any(|kind| kind["kind"] != "dev") {
                to_visit.push(text(dependency, "pkg"));
            }
        }
    }
    let limit = version(ours).with_context(|| format!("`rust-version` of {LIBRARY} is `{ours}`"))?;
    let packages = visited.into_iter().map(|id| &packages[id]);
    let newer =
        packages.filter(|package| version(text(package, "rust_version")).is_some_and(|least| least > limit));
    Ok(newer.map(|package| format!("{} {}", text(package, "name"), text(package, "version"))).collect())
}

/// Parses a version; `1.88` is `1.88.0`.
fn version(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.split('.').map(str::parse);
    let mut next = || numbers.next().unwrap_or(Ok(0)).ok();
    (!text.is_empty()).then_some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version("1.88"), version("1.88.0"));
        assert!(version("1.9").unwrap() < version("1.88").unwrap());
        assert!(version("2").unwrap() > version("1.88.1").unwrap());
        assert!(version("").is_none() && version("new").is_none());
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
    fn what_tests_alone_take_may_be_newer() {
        let package = |name: &str, rust: Value| json!({"id": name, "name": name, "version": "1.0.0", "rust_version": rust});
        let edge = |to: &str, kind: Value| json!({"pkg": to, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [
                package(LIBRARY, json!("1.88")),
                package("old", json!("1.60")),
                package("undeclared", Value::Null),
                package("of_old", json!("1.88.1")),
                package("build", json!("1.90")),
                package("dev", json!("1.95")),
                package("other", json!("1.95")),
            ],
            "resolve": {"nodes": [
                {"id": LIBRARY, "deps": [edge("old", Value::Null), edge("undeclared", Value::Null), edge("dev", json!("dev"))]},
                {"id": "old", "deps": [edge("of_old", Value::Null)]},
                {"id": "undeclared", "deps": [edge("build", json!("build")), edge("old", Value::Null)]},
                {"id": "of_old", "deps": []},
                {"id": "build", "deps": []},
                {"id": "dev", "deps": [edge("other", Value::Null)]},
                {"id": "other", "deps": []},
            ]},
        });
        assert_eq!(newer(&metadata, "1.88").unwrap(), ["build 1.0.0", "of_old 1.0.0"]);
        assert_eq!(newer(&metadata, "1.90").unwrap(), [""; 0]);
    }
}
