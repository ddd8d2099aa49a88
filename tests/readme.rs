//! The README and the other pages: their code, their counts, their links and the paths that they and comments name.

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

/// The files of the repository, by their paths from the file system's root.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !path.is_dir() {
            found.push(path);
        } else if name != "target" && name != "node_modules" && name != ".git" {
            files(&path, found);
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of the repository with one of these extensions.
fn with_extension(extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(root(), &mut found);
    let extension =
        |path: &PathBuf| path.extension().and_then(|extension| extension.to_str().map(str::to_owned));
    found.retain(|path| extension(path).is_some_and(|extension| extensions.contains(&&*extension)));
    found
}

/// The anchor that a heading has on GitHub.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[test]
fn links_between_pages_lead_somewhere() {
    let pages = with_extension(&["md"]);
    assert!(pages.len() > 10, "{pages:?}");
    for page in pages {
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

/// Links that work from the crate's page: to the manual, and to files of the package.
#[test]
fn links_to_docs_rs_lead_to_what_the_package_has() {
    let package =
        include_str!("../Cargo.toml").split_once("include = [").unwrap().1.split_once(']').unwrap().0;
    let packed = |file: &str| {
        let listed = package.split('"').filter(|entry| entry.starts_with('/'));
        listed.into_iter().any(|entry| Path::new(&format!("/{file}")).starts_with(entry))
    };
    let mut count = 0;
    for target in README.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        if let Some(file) = target.strip_prefix("https://docs.rs/crate/wgpu-clamp/latest/source/") {
            assert!(root().join(file).is_file() && packed(file), "{file}");
            count += 1;
        } else if let Some(page) = target.strip_prefix("https://docs.rs/wgpu-clamp/latest/wgpu_clamp/") {
            assert!(root().join(format!("src/{}.rs", page.trim_end_matches('/'))).is_file(), "{page}");
            count += 1;
        } else {
            let is_code = target.rsplit_once('.').is_some_and(|(_, extension)| extension == "rs");
            assert!(target.contains("://") || !is_code, "{target} is dead on crates.io");
        }
    }
    assert!(count > 15, "{count}");
}

/// The extensions by which a word is a path.
const EXTENSIONS: [&str; 10] = ["rs", "wgsl", "md", "toml", "txt", "tsv", "tar", "yml", "snap", "py"];

/// Words that look like paths and name no file of the repository.
const NO_FILES: [&str; 4] = [
    "shaders/NAME.wgsl", // a pattern
    "report.md",         // written by a program
    "shader.wgsl",       // wgpu's name of a text
    "docs.rs",           // a site
];

/// The words of a text that are paths: they have a known extension, or begin with a folder of the repository.
fn paths(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "_-./:<>*".contains(c)));
    let is_path = |word: &&str| {
        let extension = word
            .rsplit_once('.')
            .map_or("", |(stem, extension)| if stem.is_empty() { "" } else { extension });
        let folder = word.split_once('/').map_or("", |(folder, _)| folder);
        let in_folder = folder.starts_with(char::is_alphabetic) && root().join(folder).is_dir();
        let sought = EXTENSIONS.contains(&extension) || in_folder;
        sought && folder != "target" && !word.contains([':', '<', '*']) && !NO_FILES.contains(word)
    };
    words.map(|word| word.trim_end_matches(['.', ':', '-', '/'])).filter(is_path).collect()
}

/// A page, or the comments of a file in Rust or WGSL.
fn prose(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    if file.extension().is_some_and(|extension| extension == "md") {
        return text;
    }
    text.lines().filter_map(|line| line.split_once("//")).flat_map(|(_, comment)| [comment, "\n"]).collect()
}

/// Pages and comments name a file by the end of its path, such as `kernel/walk.rs`.
#[test]
fn paths_in_pages_and_comments_lead_somewhere() {
    let mut all = Vec::new();
    files(root(), &mut all);
    let exists = |path: &str| all.iter().any(|file| file.ends_with(path)) || root().join(path).is_dir();
    let (mut found, mut gone) = (0, Vec::new());
    for file in with_extension(&["md", "rs", "wgsl"]) {
        let text = prose(&file);
        let paths = paths(&text);
        found += paths.len();
        let missing = paths.into_iter().filter(|path| !exists(path.trim_start_matches("../")));
        gone.extend(missing.map(|path| format!("{}: {path}", file.strip_prefix(root()).unwrap().display())));
    }
    assert!(gone.is_empty(), "no file has these paths: {gone:#?}");
    assert!(found > 300, "{found}");
    assert_eq!(
        paths("`src/gone.rs`, src/gone, x/y, target/x.rs and <name>.rs."),
        ["src/gone.rs", "src/gone"]
    );
}
