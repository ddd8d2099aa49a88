//! The layers of the crate are its folders: no file imports from a layer above its own, and files import in one direction.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, from the lowest to the highest; each is a module of `src/lib.rs`. A layer may import itself and lower
/// layers, but nothing of [`BESIDE`].
const LAYERS: [&str; 9] =
    ["fragment", "operator", "layout", "arithmetic", "kernel", "shader", "plan", "gpu", "host"];

/// Modules beside the layers. Each may import `operator`, `layout`, and the modules before it in this list.
const BESIDE: [&str; 3] = ["standards", "reference", "verify"];

/// Modules that may import everything. The self-test compares the device with modules of [`BESIDE`]; the manual has no
/// code, but names items in its links.
const SUMMITS: [&str; 2] = ["self_test", "manual"];

/// The stems of files without a layer: the root, and tests, which may compare any layers.
const EXEMPT: &str = "lib tests show snapshots";

/// The module that every other may import. It names plain data of `operator`, `layout` and `standards`, and
/// `wgpu::BufferUsages`.
const ERROR: &str = "error";

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All Rust files below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The top-level module that a file belongs to.
fn module(file: &Path) -> String {
    let first = file.strip_prefix(source()).unwrap().components().next().unwrap();
    Path::new(first.as_os_str()).file_stem().unwrap().to_str().unwrap().to_owned()
}

/// The items that `src/lib.rs` re-exports, with their modules.
fn exports() -> HashMap<String, String> {
    let text = fs::read_to_string(source().join("lib.rs")).unwrap();
    let mut exports = HashMap::new();
    for statement in text.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let Some((module, items)) = statement.split_once("::") else { continue };
        for item in items.trim_matches(['{', '}']).split(',') {
            exports.insert(item.trim().to_owned(), module.to_owned());
        }
    }
    exports
}

/// Names after `crate::` in code outside of unit tests: the first of each path, or all of a list in braces.
fn imports(text: &str) -> Vec<String> {
    let code = text.split("\nmod tests {").next().unwrap().lines();
    let code: String =
        code.filter(|line| !line.trim_start().starts_with("//")).flat_map(|line| [line, "\n"]).collect();
    let paths = code.split("crate::").skip(1).flat_map(|rest| {
        let list = rest.starts_with('{');
        let names = rest.split(';').next().unwrap().split(|c: char| !(c.is_alphanumeric() || c == '_'));
        names.filter(|name| !name.is_empty()).take(if list { usize::MAX } else { 1 }).map(str::to_owned)
    });
    paths.collect()
}

/// Whether code of one module may import another.
fn allowed(from: &str, to: &str) -> bool {
    let rank = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let beside = |name: &str| BESIDE.iter().position(|layer| *layer == name);
    if from == to || to == ERROR || SUMMITS.contains(&from) {
        return true;
    }
    match (rank(from), beside(from)) {
        (Some(from), _) => rank(to).is_some_and(|to| to <= from),
        (_, Some(from)) => to == "operator" || to == "layout" || beside(to).is_some_and(|to| to < from),
        _ => from == ERROR && matches!(to, "operator" | "layout" | "standards"),
    }
}

#[test]
fn nothing_imports_from_a_layer_above() {
    let exports = exports();
    let mut seen = 0;
    for file in files(&source()) {
        if EXEMPT.split(' ').any(|stem| file.file_stem().is_some_and(|name| name == stem)) {
            continue;
        }
        let from = module(&file);
        for import in imports(&fs::read_to_string(&file).unwrap()) {
            let known = LAYERS.iter().chain(&BESIDE).chain([&ERROR]).any(|module| *module == import);
            // Others are parts of a module that the same list names.
            let Some(to) = (if known { Some(&import) } else { exports.get(&import) }) else { continue };
            assert!(allowed(&from, to), "{}: {from} imports crate::{import}, of {to}", file.display());
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}

/// Only `gpu` and `host` use wgpu; `error` names usages of buffers.
#[test]
fn the_pure_layers_do_not_use_wgpu() {
    for file in files(&source()) {
        let from = module(&file);
        if matches!(from.as_str(), "lib" | "gpu" | "host") {
            continue;
        }
        for (n, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let code = line.trim_start();
            let named = code.contains("wgpu::") && !code.starts_with("//") && !code.contains('`');
            let usages = from == ERROR && code.contains("wgpu::BufferUsages");
            assert!(!named || usages, "{}:{}: {line}", file.display(), n + 1);
        }
    }
}

/// The name of a module, from the crate's root.
type Name = Vec<String>;

/// Paths that begin with `crate` or `super` in code outside of unit tests; lists in braces are one path per item.
fn paths(text: &str) -> Vec<Name> {
    let code = text.split("\nmod tests {").next().unwrap().lines();
    let code: String = code.filter(|line| !line.trim_start().starts_with("//")).collect();
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        // Of `super::super::`, the first one.
        if !code[..at].ends_with(|c: char| c == ':' || c == '_' || c.is_alphanumeric()) {
            expand(&code[at..], &mut Vec::new(), &mut paths);
        }
    }
    paths
}

/// Reads a path with lists and adds it to `paths`. Returns what follows.
fn expand<'a>(text: &'a str, before: &mut Name, paths: &mut Vec<Name>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut list) = text.strip_prefix('{') {
        loop {
            list = expand(list, &mut before.clone(), paths).trim_start();
            match list.strip_prefix(',') {
                Some(rest) if !rest.trim_start().starts_with('}') => list = rest,
                rest => return rest.unwrap_or(list).trim_start().trim_start_matches('}'),
            }
        }
    }
    let end = text.find(|c: char| !(c == '_' || c.is_alphanumeric())).unwrap_or(text.len());
    before.push(text[..end].to_owned());
    match text[end..].strip_prefix("::") {
        Some(rest) if !rest.starts_with('<') => expand(rest, before, paths),
        _ => {
            paths.push(before.clone());
            &text[end..]
        }
    }
}

/// The modules of a crate, each with those that it imports. A module and its parts may import each other.
fn imports_of(source: &Path) -> HashMap<Name, HashSet<Name>> {
    let name = |file: &Path| -> Name {
        let path = file.strip_prefix(source).unwrap().with_extension("");
        path.iter().map(|part| part.to_str().unwrap().to_owned()).collect()
    };
    let files = files(source);
    let all: HashSet<Name> = files.iter().map(|file| name(file)).collect();
    let of_file = |file: &PathBuf| {
        let from = name(file);
        let resolve = |path: Name| {
            let ups = path.iter().take_while(|part| *part == "super").count();
            let base = if path[0] == "crate" { &[] } else { &from[..from.len().saturating_sub(ups)] };
            let whole = [base, &path[ups.max(1)..]].concat();
            (1..=whole.len()).rev().map(|n| whole[..n].to_vec()).find(|name| all.contains(name))
        };
        let related = |to: &Name| to.starts_with(&from) || from.starts_with(to);
        let paths = paths(&fs::read_to_string(file).unwrap()).into_iter();
        let imports = paths.filter_map(resolve).filter(|to| !related(to)).collect();
        (from, imports)
    };
    files.iter().map(of_file).collect()
}

/// Of the repository's programs, too. `error` and `standards` may import each other, see [`ERROR`].
#[test]
fn files_import_in_one_direction() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tools = fs::read_dir(root.join("dev")).unwrap().map(|entry| entry.unwrap().path());
    let crates = tools.chain([root.to_owned(), root.join("benches/table")]);
    for source in crates.map(|folder| folder.join("src")).filter(|source| source.exists()) {
        let mut imports = imports_of(&source);
        imports.retain(|name, _| !name.iter().any(|part| part == ERROR || EXEMPT.contains(part.as_str())));
        // Removes modules that import none of those left, or that none of those left imports: what is left imports each other.
        let ends = |imports: &HashMap<Name, HashSet<Name>>| {
            let imported: HashSet<_> = imports.values().flatten().collect();
            let ends = |(name, of): &(&Name, &HashSet<Name>)| {
                !imported.contains(name) || of.iter().all(|to| !imports.contains_key(to))
            };
            imports.iter().find(ends).map(|(name, _)| name.clone())
        };
        while let Some(end) = ends(&imports) {
            imports.remove(&end);
        }
        assert!(imports.is_empty(), "{} import each other: {imports:?}", source.display());
    }
}
