//! Small faults, such as people make: a comparison swapped, a mask forgotten, a shift or a lane one off.

use std::fmt;
use std::path::{Path, PathBuf};

/// One line of a fragment, replaced.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    pub file: PathBuf,
    /// Counted from zero.
    line: usize,
    before: String,
    after: String,
}

/// What is replaced by what, where both are whole words of an expression.
const SWAPS: [(&str, &str); 15] = [
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " != "),
    (" != ", " == "),
    (" + ", " - "),
    (" - ", " + "),
    (" & ", " | "),
    (" | ", " & "),
    (" ^ ", " | "),
    (" && ", " || "),
    ("min(", "max("),
    ("max(", "min("),
    (".w", ".z"),
];

impl Change {
    /// All changes of a fragment, one place each.
    pub fn all(file: &Path, text: &str) -> Vec<Self> {
        let mut changes = Vec::new();
        for (line, before) in text.lines().enumerate() {
            let code = before.split("//").next().unwrap_or_default();
            // Of what is declared, constants alone: others are refused.
            let is_code = [" ", "const ", "override "].iter().any(|start| code.starts_with(start));
            if !is_code || code.contains("@workgroup_size") {
                continue;
            }
            let mut push = |after: String| {
                let (file, before) = (file.to_owned(), before.to_owned());
                changes.push(Self { file, line, before, after });
            };
            for (from, to) in SWAPS {
                for (at, _) in code.match_indices(from) {
                    // `.w` is a lane, and the beginning of `.walk` none.
                    let goes_on = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    if from == ".w" && code[at + from.len()..].starts_with(goes_on) {
                        continue;
                    }
                    push(format!("{}{to}{}", &before[..at], &before[at + from.len()..]));
                }
            }
            for (at, digits) in numbers(code) {
                let end = at + digits.len();
                let start = &before[..at];
                if let Some(start) = start.strip_suffix(" & ") {
                    push(format!("{start}{}", &before[end + 1..]));
                }
                if let Ok(n @ 1..) = digits.parse::<u32>() {
                    push(format!("{start}{}{}", n - 1, &before[end..]));
                }
            }
        }
        changes
    }

    /// The fragment with this change.
    pub fn apply(&self, text: &str) -> String {
        let lines = text.lines().enumerate();
        lines.map(|(n, line)| if n == self.line { &self.after } else { line }.to_owned() + "\n").collect()
    }
}

/// The unsigned literals of a line, without their suffix, and where they begin.
fn numbers(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let literal = |c: char| c.is_ascii_alphanumeric();
    let starts = code.char_indices().filter(move |&(at, c)| {
        c.is_ascii_digit() && !code[..at].ends_with(|before: char| literal(before) || before == '_')
    });
    starts.filter_map(move |(at, _)| {
        let word = code[at..].split(|c| !literal(c)).next()?;
        Some((at, word.strip_suffix('u')?))
    })
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, before, after } = self;
        let fragment = file.iter().skip_while(|part| *part != "shaders").collect::<PathBuf>();
        write!(f, "{}:{}: `{}` to `{}`", fragment.display(), line + 1, before.trim(), after.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(line: &str) -> Vec<String> {
        let text = format!("fn f() {{\n    {line}\n}}\n");
        let changes = Change::all(Path::new("tree/shaders/a.wgsl"), &text);
        for change in &changes {
            assert!(
                change.apply(&text).starts_with("fn f() {\n    ") && change.apply(&text).ends_with("\n}\n")
            );
            assert!(change.to_string().starts_with(&format!("shaders/a.wgsl:2: `{line}` to `")));
        }
        changes.into_iter().map(|change| change.after.trim().to_owned()).collect()
    }

    #[test]
    fn every_place_is_changed_by_itself() {
        assert_eq!(all("return a < b; // < +"), ["return a <= b; // < +"]);
        assert_eq!(all("x = a + b + c;"), ["x = a - b + c;", "x = a + b - c;"]);
        assert_eq!(all("return vec4<u32>(a.w);"), ["return vec4<u32>(a.z);"]);
        assert_eq!(all("return params.walk;"), Vec::<String>::new());
    }

    #[test]
    fn masks_are_dropped_and_numbers_made_one_less() {
        assert_eq!(
            all("x = a >> (b & 31u);"),
            ["x = a >> (b | 31u);", "x = a >> (b);", "x = a >> (b & 30u);"]
        );
        assert_eq!(all("x = a & 0xffu;"), ["x = a | 0xffu;", "x = a;"]);
        assert_eq!(all("x = p16(0u);"), Vec::<String>::new());
    }

    #[test]
    fn declarations_and_comments_stay() {
        let text = "// a < b\nstruct A {\n}\nfn f(a: vec4<u32>) -> u32 {\n    // 3u < 4u\n}\n";
        assert_eq!(Change::all(Path::new("a"), text), []);
    }

    #[test]
    fn constants_are_changed() {
        let changes = Change::all(Path::new("a"), "const LANES = 4u;\noverride ROWS: u32 = 2u;\n");
        let after: Vec<_> = changes.iter().map(|change| change.after.as_str()).collect();
        assert_eq!(after, ["const LANES = 3u;", "override ROWS: u32 = 1u;"]);
    }
}
