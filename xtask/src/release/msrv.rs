//! The oldest Rust that compiles the library.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xshell::{Shell, cmd};

use super::LIBRARY;

/// Checks that no dependency of the library, on any platform, declares a newer Rust than the library's `rust-version`.
/// cargo-hack compiles the library with that Rust on this platform alone.
pub fn dependencies(sh: &Shell) -> Result<()> {
    let text = cmd!(sh, "cargo metadata --format-version 1 --all-features --locked").read()?;
    let (ours, newer) = newer(&serde_json::from_str(&text)?)?;
    ensure!(newer.is_empty(), "these ask for a newer Rust than {ours}: {}", newer.join(", "));
    Ok(())
}

/// The library's `rust-version`, and the dependencies that declare a newer one. Dependencies of tests may be newer.
fn newer(metadata: &Value) -> Result<(String, Vec<String>)> {
    fn list(value: &Value) -> impl Iterator<Item = &Value> {
        value.as_array().into_iter().flatten()
    }
    let text = |value: &'_ Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<_, _> =
        list(&metadata["packages"]).map(|package| (text(package, "id"), package)).collect();
    let nodes: BTreeMap<_, _> =
        list(&metadata["resolve"]["nodes"]).map(|node| (text(node, "id"), node)).collect();
    let library = packages.values().find(|package| package["name"] == LIBRARY).context("no such package")?;
    let (mut to_visit, mut visited) = (vec![text(library, "id")], BTreeSet::new());
    while let Some(id) = to_visit.pop() {
        let node = nodes.get(&id).with_context(|| format!("cargo resolves no {id}"))?;
        let is_built = |dependency: &&Value| list(&dependency["dep_kinds"]).any(|kind| kind["kind"] != "dev");
        if visited.insert(id) {
            to_visit.extend(list(&node["deps"]).filter(is_built).map(|dependency| text(dependency, "pkg")));
        }
    }
    let ours = text(library, "rust_version");
    let limit = version(&ours).with_context(|| format!("`rust-version` of {LIBRARY} is `{ours}`"))?;
    let built = visited.iter().filter_map(|id| packages.get(id));
    let newer = built.filter(|package| version(&text(package, "rust_version")) > Some(limit));
    let newer =
        newer.map(|package| format!("{} {}", text(package, "name"), text(package, "version"))).collect();
    Ok((ours, newer))
}

/// Parses a version; `1.88` is `1.88.0`.
fn version(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.split('.').map(str::parse);
    let mut next = || numbers.next().unwrap_or(Ok(0)).ok();
    Some([next()?, next()?, next()?])
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
    fn what_tests_alone_take_may_be_newer() {
        let metadata = |ours: &str| {
            let package = |name: &str, rust: Value| json!({"id": name, "name": name, "version": "1.0.0", "rust_version": rust});
            let edge = |to: &str, kind: Value| json!({"pkg": to, "dep_kinds": [{"kind": kind}]});
            json!({
                "packages": [
                    package(LIBRARY, json!(ours)),
                    package("old", json!("1.60")),
                    package("undeclared", Value::Null),
                    package("of_old", json!("1.88.1")),
                    package("build", json!("1.90")),
                    package("dev", json!("1.95")),
                    package("other", json!("1.95")),
                ],
                "resolve": {"nodes": [
                    {"id": LIBRARY, "deps": [
                        edge("old", Value::Null), edge("undeclared", Value::Null), edge("dev", json!("dev")),
                    ]},
                    {"id": "old", "deps": [edge("of_old", Value::Null)]},
                    {"id": "undeclared", "deps": [edge("build", json!("build")), edge("old", Value::Null)]},
                    {"id": "of_old", "deps": []},
                    {"id": "build", "deps": []},
                    {"id": "dev", "deps": [edge("other", Value::Null)]},
                    {"id": "other", "deps": []},
                ]},
            })
        };
        assert_eq!(newer(&metadata("1.88")).unwrap().1, ["build 1.0.0", "of_old 1.0.0"]);
        assert_eq!(newer(&metadata("1.90")).unwrap().1, [""; 0]);
    }
}
