//! Checks what Cargo.toml, the changelog and the README say of a release.

use anyhow::{Result, ensure};
use serde_json::Value;
use xshell::Shell;

use super::{LIBRARY, metadata};

/// Checks that the texts are ready to publish the version in Cargo.toml; the error names all that is missing.
pub fn check(sh: &Shell) -> Result<()> {
    let library = metadata(sh)?;
    let missing = missing(&library, &sh.read_file("CHANGELOG.md")?, &sh.read_file("README.md")?);
    ensure!(missing.is_empty(), "before {LIBRARY} is published:\n\n    {}\n", missing.join("\n    "));
    println!("Cargo.toml, CHANGELOG.md and README.md are those of {LIBRARY} {}", version(&library));
    Ok(())
}

fn version(library: &Value) -> &str {
    library["version"].as_str().unwrap_or_default()
}

fn missing(library: &Value, changelog: &str, readme: &str) -> Vec<String> {
    let mut missing = Vec::new();
    // crates.io takes the README's picture and relative links from `repository`.
    for field in ["description", "license", "readme", "repository", "keywords", "categories"] {
        let is_set = match &library[field] {
            Value::String(text) => !text.is_empty(),
            value => value.as_array().is_some_and(|list| !list.is_empty()),
        };
        if !is_set {
            missing.push(format!("Cargo.toml: set `{field}`"));
        }
    }
    let version = version(library);
    let heading = format!("## {version} - ");
    if !changelog.lines().any(|line| line.strip_prefix(&heading).is_some_and(is_date)) {
        missing.push(format!("CHANGELOG.md: add the section `{heading}YYYY-MM-DD`"));
    }
    let mut unreleased = changelog.lines().skip_while(|line| *line != UNRELEASED).skip(1);
    if unreleased.find(|line| !line.is_empty()).is_some_and(|line| !line.starts_with("## ")) {
        missing.push(format!("CHANGELOG.md: move the text under `{UNRELEASED}` to the version's section"));
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
    let digits: Vec<_> = text.split('-').map(|part| part.parse::<u32>().map(|_| part.len())).collect();
    digits == [Ok(4), Ok(2), Ok(2)]
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
