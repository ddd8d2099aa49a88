//! Compares the features that Cargo.toml declares for the library's dependencies with those that are on in its build.
//!
//! Cargo turns a feature on for a whole build as soon as one crate asks for it. So the library may use a feature that only
//! wgpu asks for, until wgpu no longer does. Nothing here knows what the library uses: a feature that others turn on must be
//! declared, or listed as unused.

use std::collections::BTreeSet;

use serde_json::Value;
use xshell::cmd;

use crate::release::LIBRARY;
use crate::shell::shell;

/// Features of dependencies that other crates turn on, and that the library does not use.
const UNUSED: [(&str, &str); 2] = [
    // Arrays of any length. The library's have at most eight elements.
    ("bytemuck", "min_const_generics"),
    ("half", "num-traits"),
];

#[test]
fn features_that_others_turn_on_are_declared_or_unused() {
    let sh = shell().unwrap();
    let host = cmd!(sh, "rustc --print host-tuple").read().unwrap();
    let metadata =
        cmd!(sh, "cargo metadata --format-version 1 --all-features --locked --filter-platform {host}");
    let metadata: Value = serde_json::from_str(&metadata.read().unwrap()).unwrap();
    let package = |name: &str, version: Option<&str>| {
        let is_it =
            |one: &&Value| one["name"] == name && version.is_none_or(|version| one["version"] == version);
        list(&metadata["packages"]).find(is_it).unwrap()
    };
    // The build with the fewest features that has every dependency. The library compiles so (`cargo xtask release features`), so a feature that only larger builds have is
    // not used.
    let tree =
        "tree --edges normal --depth 1 --prefix none --no-default-features --features ndarray --locked";
    let tree = tree.split(' ');
    let on = cmd!(sh, "cargo {tree...} --package {LIBRARY} --format").arg("{p} {f}").read().unwrap();
    assert!(on.contains("\nbytemuck v") && on.contains("\nwgpu v"), "{on}");
    let (mut undeclared, mut unused) = (Vec::new(), BTreeSet::new());
    // The first line is the library itself.
    for line in on.lines().skip(1) {
        let [name, version, .., on] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let declared = list(&package(LIBRARY, None)["dependencies"])
            .filter(|one| one["name"] == name && one["kind"].is_null());
        let declared = enabled(package(name, version.strip_prefix('v')), declared);
        for feature in on.split(',').filter(|feature| !feature.is_empty() && !declared.contains(feature)) {
            if let Some(entry) = UNUSED.into_iter().find(|entry| *entry == (name, feature)) {
                unused.insert(entry);
            } else {
                undeclared.push(format!("{name}/{feature}"));
            }
        }
    }
    assert!(
        undeclared.is_empty(),
        "other crates turn on {}; declare in Cargo.toml what {LIBRARY} uses, and list the rest in UNUSED",
        undeclared.join(", ")
    );
    assert_eq!(unused, BTreeSet::from(UNUSED), "UNUSED lists what no crate turns on");
}

/// The features of a package that these dependencies on it turn on.
fn enabled<'a>(package: &'a Value, dependencies: impl Iterator<Item = &'a Value>) -> BTreeSet<&'a str> {
    let (mut asked, mut enabled) = (Vec::new(), BTreeSet::new());
    for dependency in dependencies {
        asked.extend(list(&dependency["features"]).filter_map(Value::as_str));
        asked.extend((dependency["uses_default_features"] == true).then_some("default"));
    }
    while let Some(feature) = asked.pop() {
        // `dep:other` and `other/feature` name no feature of the package.
        if !feature.contains([':', '/']) && enabled.insert(feature) {
            asked.extend(list(&package["features"][feature]).filter_map(Value::as_str));
        }
    }
    enabled
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
