//! Small faults such as people make: a swapped comparison, a dropped mask or condition, a shift or a lane off by one.

/// A replacement of one line of WGSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The line number, counted from zero.
    pub line: usize,
    pub before: String,
    pub after: String,
    /// The column of the replaced words, in bytes.
    at: usize,
    /// The replaced words and their replacement.
    swap: (String, String),
}

/// Replacements of whole words in expressions.
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
    /// All changes of a text, each in one place.
    pub fn all(text: &str) -> Vec<Self> {
        let mut changes = Vec::new();
        for (line, before) in text.lines().enumerate() {
            let code = before.split("//").next().unwrap_or_default();
            // Among declarations, only constants are changed, because WGSL refuses changes to the others.
            let is_code = [" ", "const ", "override "].iter().any(|start| code.starts_with(start));
            if !is_code || code.contains("@workgroup_size") {
                continue;
            }
            let mut push = |at: usize, from: &str, to: &str| {
                let after = format!("{}{to}{}", &before[..at], &before[at + from.len()..]);
                let swap = (from.to_owned(), to.to_owned());
                changes.push(Self { line, before: before.to_owned(), after, at, swap });
            };
            for (from, to) in SWAPS {
                for (at, _) in code.match_indices(from) {
                    // `.w` is a lane; the beginning of `.walk` is not.
                    if from != ".w" || !code[at + from.len()..].starts_with(is_of_name) {
                        push(at, from, to);
                    }
                }
            }
            if let Some(condition) =
                code.trim_start().strip_prefix("if ").and_then(|rest| rest.split(" {").next())
            {
                let at = code.len() - code.trim_start().len() + "if ".len();
                push(at, condition, "true");
                push(at, condition, "false");
            }
            for (at, digits) in numbers(code) {
                let number = format!("{digits}u");
                if let Some(masked) = code[..at].strip_suffix(" & ") {
                    push(masked.len(), &format!(" & {number}"), "");
                }
                match digits.parse::<u32>() {
                    Ok(0) => push(at, &number, "1u"),
                    Ok(n) => push(at, &number, &format!("{}u", n - 1)),
                    Err(_) => {}
                }
            }
        }
        changes
    }

    /// The text with this change.
    pub fn apply(&self, text: &str) -> String {
        let lines = text.lines().enumerate();
        lines.map(|(n, line)| if n == self.line { &self.after } else { line }.to_owned() + "\n").collect()
    }

    /// The change without details that differ between pieces' texts: numbers, and words far from the replaced ones.
    pub fn kind(&self) -> String {
        const NEAR: usize = 4;
        let (from, to) = &self.swap;
        let line = self.before.trim();
        let (left, right) = (&self.before[..self.at], &self.before[self.at + from.len()..]);
        let head = line.find(" = ").or_else(|| line.find('(')).map_or(line, |end| &line[..end]);
        let (left, right) = (normal(left.trim_start()), normal(right));
        let from_last = |text: &str| words(text).iter().rev().nth(NEAR - 1).map_or(0, |&(at, _)| at);
        let to_first = |text: &str| words(text).get(NEAR - 1).map_or(text.len(), |&(_, end)| end);
        let (near_left, near_right) = (&left[from_last(&left)..], &right[..to_first(&right)]);
        let is_number = from.strip_suffix('u').is_some_and(|number| number.parse::<u32>().is_ok());
        let (from, to) = match (is_number, &**to) {
            (true, "1u") if from == "0u" => ("0u", "1u"),
            (true, _) => ("#", "# - 1u"),
            (false, to) => (&*normal(from), to),
        };
        let head = normal(head);
        format!("{head}: `{near_left}{from}{near_right}` to `{near_left}{to}{near_right}`")
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The start and the end of each word and each sign.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    let mut within = false;
    for (at, c) in text.char_indices() {
        let goes_on = is_of_name(c) || c == '#' || c == '.';
        match words.last_mut() {
            Some((_, end)) if goes_on && within => *end = at + c.len_utf8(),
            _ if !c.is_whitespace() => words.push((at, at + c.len_utf8())),
            _ => {}
        }
        within = goes_on;
    }
    words
}

/// Replaces numbers, also in names, and vector components by `#`.
fn normal(text: &str) -> String {
    let mut normal = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if is_of_name(first) { rest.find(|c| !is_of_name(c)) } else { Some(first.len_utf8()) };
        let (word, others) = rest.split_at(end.unwrap_or(rest.len()));
        let is_component = normal.ends_with('.') && word.chars().all(|c| "xyzw".contains(c));
        if is_component || first.is_ascii_digit() {
            normal.push('#');
        } else {
            let parts = word.split('_').map(|part| if part.parse::<u32>().is_ok() { "#" } else { part });
            normal.push_str(&parts.collect::<Vec<_>>().join("_"));
        }
        rest = others;
    }
    normal
}

/// The unsigned literals of a line: their columns, and their digits without the suffix `u`.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn all(line: &str) -> Vec<String> {
        let text = format!("fn f() {{\n    {line}\n}}\n");
        let changes = Change::all(&text);
        for change in &changes {
            let applied = change.apply(&text);
            assert!(applied.starts_with("fn f() {\n    ") && applied.ends_with("\n}\n"), "{applied}");
            assert_eq!((change.line, change.before.trim()), (1, line));
        }
        changes.into_iter().map(|change| change.after.trim().to_owned()).collect()
    }

    #[test]
    fn every_place_is_changed_by_itself() {
        for (line, changed) in [
            ("return a < b; // < +", &["return a <= b; // < +"][..]),
            ("x = a + b + c;", &["x = a - b + c;", "x = a + b - c;"]),
            ("return vec4<u32>(a.w);", &["return vec4<u32>(a.z);"]),
            ("return params.walk;", &[]),
            // Masks are dropped, and numbers lowered by 1.
            ("x = a >> (b & 31u);", &["x = a >> (b | 31u);", "x = a >> (b);", "x = a >> (b & 30u);"]),
            ("x = a & 0xffu;", &["x = a | 0xffu;", "x = a;"]),
            ("x = p16(0u);", &["x = p16(1u);"]),
            ("if a && b {", &["if a || b {", "if true {", "if false {"]),
        ] {
            assert_eq!(all(line), changed);
        }
    }

    #[test]
    fn declarations_and_comments_stay() {
        let text = "// a < b\nstruct A {\n}\nfn f(a: vec4<u32>) -> u32 {\n    // 3u < 4u\n}\n";
        assert_eq!(Change::all(text), []);
    }

    #[test]
    fn constants_are_changed() {
        let changes = Change::all("const LANES = 4u;\noverride ROWS: u32 = 2u;\n");
        let after: Vec<_> = changes.iter().map(|change| change.after.as_str()).collect();
        assert_eq!(after, ["const LANES = 3u;", "override ROWS: u32 = 1u;"]);
    }

    #[test]
    fn lines_that_differ_in_numbers_have_changes_of_one_kind() {
        let kinds = |line: &str| {
            let text = format!("    {line}\n");
            Change::all(&text).iter().map(Change::kind).collect::<Vec<_>>()
        };
        let [first, second] =
            ["let src_0_1 = load(from_0 + 1u);", "let src_2_13 = load(from_2 + 13u);"].map(kinds);
        assert_eq!(first, second);
        assert_eq!(first[0], "let src_#_#: `= load(from_# + #);` to `= load(from_# - #);`");
        assert_eq!(first[1], "let src_#_#: `load(from_# + #);` to `load(from_# + # - 1u);`");
        assert_ne!(kinds("store(a.x, 0u);"), kinds("store(a.w, 5u);"));
        assert_eq!(kinds("x = a.w;"), kinds("x = a.w;"));
    }
}
