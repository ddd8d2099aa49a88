//! Finds the files of `shaders/` in a module, which joins them.

use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

/// The files of `shaders/` with their texts, named as `shaders/kernel/walk.wgsl`.
pub fn files() -> &'static [(String, String)] {
    static FILES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let (mut files, mut folders) = (Vec::new(), vec![root.join("shaders")]);
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "wgsl") {
                    let name = path.strip_prefix(root).unwrap().components();
                    let name: Vec<_> = name.map(|part| part.as_os_str().to_str().unwrap()).collect();
                    files.push((name.join("/"), std::fs::read_to_string(&path).unwrap()));
                }
            }
        }
        files.sort();
        files
    });
    &FILES
}

/// The name of the generated part of a module.
pub const GENERATED: &str = "text";

/// The parts of a module in order: files, and what the crate generates behind them.
pub fn parts(wgsl: &str) -> Vec<(&'static str, Range<usize>)> {
    let found = files().iter().filter_map(|(name, text)| Some((&**name, wgsl.find(text)?, text.len())));
    let mut parts: Vec<_> = found.map(|(name, start, len)| (name, start..start + len)).collect();
    parts.sort_by_key(|(_, range)| (range.start, usize::MAX - range.end));
    let mut end = 0;
    parts.retain(|(_, range)| {
        let is_next = range.start >= end;
        end = end.max(range.end);
        is_next
    });
    if end < wgsl.len() {
        parts.push((GENERATED, end..wgsl.len()));
    }
    parts
}

/// `words` with files and their lines in place of the module's lines. Lines are written as `line 7`.
pub(super) fn located(wgsl: &str, words: &str) -> String {
    let (first, others) = words.split_once("line ").unwrap_or((words, ""));
    let others = others.split("line ").filter(|part| !part.is_empty()).map(|part| {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = part.split_at(digits);
        match number.parse().ok().and_then(|line| line_of_file(wgsl, line)) {
            Some((file, line)) => format!("{file}:{line}{rest}"),
            None => format!("line {part}"),
        }
    });
    first.to_owned() + &others.collect::<String>()
}

/// The file of a module's line, and the line's number in this file. Both count from 1.
fn line_of_file(wgsl: &str, line: usize) -> Option<(&'static str, usize)> {
    let start = wgsl.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum::<usize>();
    let (name, range) = parts(wgsl).into_iter().find(|(_, range)| range.contains(&start))?;
    Some((name, wgsl[range.start..start].lines().count() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_module_are_those_of_its_files() {
        let [grid, walk] = ["shaders/grid.wgsl", "shaders/kernel/walk.wgsl"]
            .map(|name| files().iter().find(|(file, _)| file == name).unwrap());
        let wgsl = format!("{}{}// Pieces\n", grid.1, walk.1);
        let first = grid.1.lines().count();
        let end = first + walk.1.lines().count() + 1;
        let words = format!("race: line {}, called in line 2 and line {end}, line 9999", first + 1);
        let expected =
            "race: shaders/kernel/walk.wgsl:1, called in shaders/grid.wgsl:2 and text:1, line 9999";
        assert_eq!(located(&wgsl, &words), expected);
        assert_eq!(located(&wgsl, "no line at all"), "no line at all");
    }
}
