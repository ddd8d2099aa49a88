//! The README and the other pages: their code, their counts and their links.

use std::fs;
use std::path::{Path, PathBuf};

const README: &str = include_str!("../README.md");

#[test]
fn the_quickstart_is_the_example() {
    let example = include_str!("../examples/quickstart.rs");
    let code = &example[example.find("use wgpu_clamp").unwrap()..];
    assert!(README.contains(code));
}

/// The columns of a table row, without the empty ones at its ends.
fn columns(row: &str) -> Vec<&str> {
    let columns: Vec<_> = row.split('|').map(str::trim).collect();
    columns[1..columns.len() - 1].to_vec()
}

#[test]
fn the_cases_of_the_standards_are_those_that_the_tests_count() {
    let counted = include_str!("data/CONFORMANCE.md");
    let number = |text: &str| text.parse::<u32>().unwrap_or(0);
    let mut systems = 0;
    for row in README.lines().filter(|line| line.contains(" | ")).map(columns) {
        // Standard, constructor, versions, held to, cases, equal.
        let &[.., held_to, cases, equal] = &row[..] else { continue };
        let rows = counted.lines().filter(|line| line.starts_with("| ")).map(columns);
        let rows: Vec<_> = rows.filter(|row| row.len() > 7 && row[2] == held_to).collect();
        if rows.is_empty() || number(rows[0][4]) == 0 {
            continue;
        }
        systems += 1;
        // Standard, version, held to, dtype, cases, equal, exceptions, rejected.
        assert_eq!(number(cases), rows.iter().map(|row| number(row[4])).sum::<u32>(), "{held_to}");
        assert_eq!(number(equal), rows.iter().map(|row| number(row[5])).sum::<u32>(), "{held_to}");
    }
    assert_eq!(systems, 4);
}

/// The pages of the repository, by their paths from its root.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "target" && name != "node_modules" && !name.starts_with('.') {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The anchor that a heading has on GitHub.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn links_between_pages_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    pages(root, &mut found);
    assert!(found.len() > 10, "{found:?}");
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        let targets = text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
        for target in targets.filter(|target| !target.contains("://")) {
            let (file, wanted) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { page.clone() } else { page.with_file_name("").join(file) };
            assert!(path.exists(), "{}: {target}", page.display());
            if !wanted.is_empty() && path.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_to_string(&path).unwrap();
                let headings =
                    text.lines().filter_map(|line| line.split_once("# ").filter(|_| line.starts_with('#')));
                let mut anchors = headings.map(|(_, heading)| anchor(heading));
                assert!(anchors.any(|anchor| anchor == wanted), "{}: {target}", page.display());
            }
        }
    }
}
