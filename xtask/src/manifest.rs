//! Checks what Cargo.toml, the changelog and the README say of a release.

use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::steps::{cargo, root};

/// The package that is published.
pub const LIBRARY: &str = "wgpu-clamp";

/// The output of `cargo metadata`.
///
/// # Errors
///
/// Cargo fails, for example without the network before everything is downloaded.
pub fn metadata(args: &[&str]) -> Result<Value> {
    let mut command = cargo(&["metadata", "--format-version", "1", "--locked"]);
    let output = command.args(args).current_dir(root()?).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "`cargo metadata` failed ({})", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Returns the package of this name.
///
/// # Errors
///
/// There is none.
pub fn package<'m>(metadata: &'m Value, name: &str) -> Result<&'m Value> {
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    packages.find(|package| package["name"] == name).with_context(|| format!("no package is called {name}"))
}

/// A text field of a package; empty if not set.
pub fn text<'m>(package: &'m Value, field: &str) -> &'m str {
    package[field].as_str().unwrap_or_default()
}

/// Checks that the texts are ready to publish the version in Cargo.toml.
///
/// # Errors
///
/// All that is missing.
pub fn check() -> Result<()> {
    let metadata = metadata(&["--no-deps"])?;
    let read = |name| fs::read_to_string(root()?.join(name)).with_context(|| format!("cannot read {name}"));
    let library = package(&metadata, LIBRARY)?;
    let missing = missing(library, &read("CHANGELOG.md")?, &read("README.md")?);
    ensure!(missing.is_empty(), "before {LIBRARY} is published:\n\n    {}\n", missing.join("\n    "));
    println!("Cargo.toml, CHANGELOG.md and README.md are those of {LIBRARY} {}", text(library, "version"));
    Ok(())
}

fn missing(library: &Value, changelog: &str, readme: &str) -> Vec<String> {
    let mut missing = Vec::new();
    for field in ["description", "license", "readme"] {
        if text(library, field).is_empty() {
            missing.push(format!("Cargo.toml: set `{field}`"));
        }
    }
    for field in ["keywords", "categories"] {
        if library[field].as_array().is_none_or(Vec::is_empty) {
            missing.push(format!("Cargo.toml: set `{field}`"));
        }
    }
    if !text(library, "repository").starts_with("https://") {
        missing.push(
            "Cargo.toml: set `repository`, where crates.io takes the README's picture and relative links from"
                .into(),
        );
    }
    let version = text(library, "version");
    let heading = format!("## {version} - ");
    if !changelog.lines().any(|line| line.strip_prefix(&heading).is_some_and(is_date)) {
        missing.push(format!("CHANGELOG.md: add the section `{heading}YYYY-MM-DD`"));
    }
    let mut unreleased = changelog.lines().skip_while(|line| *line != UNRELEASED).skip(1);
    if unreleased.find(|line| !line.is_empty()).is_some_and(|line| !line.starts_with("## ")) {
        missing.push(format!("CHANGELOG.md: move what stands under `{UNRELEASED}` to that section"));
    }
    let minor = version.rsplit_once('.').map_or(version, |(minor, _)| minor);
    let dependency = format!("{LIBRARY} = \"{minor}\"");
    if !readme.contains(&dependency) {
        missing.push(format!("README.md: say how to depend on it, `{dependency}`"));
    }
    missing
}

const UNRELEASED: &str = "## Unreleased";

/// Whether `text` has the form `2026-01-31`.
fn is_date(text: &str) -> bool {
    let digits_or_dash =
        |(at, c): (usize, char)| if at == 4 || at == 7 { c == '-' } else { c.is_ascii_digit() };
    text.len() == 10 && text.chars().enumerate().all(digits_or_dash)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CHANGELOG: &str = "# Changelog\n\n## Unreleased\n\n## 0.3.1 - 2026-01-31\n\n- A fix.\n";
    const README: &str = "Add `wgpu-clamp = \"0.3\"`.";

    fn library() -> Value {
        json!({
            "version": "0.3.1",
            "description": "a crate",
            "license": "MIT",
            "readme": "README.md",
            "repository": "https://example.org/it",
            "keywords": ["gpu"],
            "categories": ["mathematics"],
        })
    }

    #[test]
    fn a_version_that_is_written_about_lacks_nothing() {
        assert_eq!(missing(&library(), CHANGELOG, README), [""; 0]);
        let never_empty = CHANGELOG.replace("## Unreleased\n\n", "");
        assert_eq!(missing(&library(), &never_empty, README), [""; 0]);
    }

    #[test]
    fn each_field_is_asked_for() {
        for field in ["description", "license", "readme", "repository", "keywords", "categories"] {
            for unset in [Value::Null, json!([]), json!("")] {
                let mut library = library();
                library[field] = unset;
                let missing = missing(&library, CHANGELOG, README);
                assert!(missing.len() == 1 && missing[0].contains(field), "{field}: {missing:?}");
            }
        }
    }

    #[test]
    fn the_changelog_and_the_readme_are_of_the_version() {
        let cases = [
            (CHANGELOG.replace("0.3.1", "0.3.0"), README.to_owned(), "## 0.3.1 - YYYY-MM-DD"),
            (CHANGELOG.replace("2026-01-31", "soon"), README.to_owned(), "## 0.3.1 - YYYY-MM-DD"),
            (CHANGELOG.replace("Unreleased\n", "Unreleased\n\n- More."), README.to_owned(), "Unreleased"),
            (CHANGELOG.to_owned(), README.replace("0.3", "0.2"), "wgpu-clamp = \"0.3\""),
        ];
        for (changelog, readme, named) in cases {
            let missing = missing(&library(), &changelog, &readme);
            assert!(missing.len() == 1 && missing[0].contains(named), "{named}: {missing:?}");
        }
    }
}
