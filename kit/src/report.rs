//! Writes the report anew after each part: the next part may take the machine down.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};

use crate::finding::Finding;
use crate::kit::{COMMIT, Kit, clock};
use crate::machine::Adapter;

/// The most bytes of a report. An issue has room for a few more, which are left to its author's words.
const MOST: usize = 60_000;

/// The facts about the machine and the run.
#[derive(Debug)]
pub struct Head {
    /// The start of the run, in UTC.
    pub date: String,
    /// Facts about the machine: names and values.
    pub facts: Vec<(&'static str, String)>,
    /// The tried adapters, the best one first.
    pub adapters: Vec<Adapter>,
    /// Adapters that were not tried.
    pub left_out: Vec<Adapter>,
    /// Failures while adapters were looked for.
    pub notes: Vec<String>,
}

/// Writes `report.md`.
pub fn write(kit: &Kit, head: &Head, findings: &[Finding]) -> Result<()> {
    let path = kit.report.join("report.md");
    let text = kit.without_places(&text(head, findings, &clock(kit.begun.elapsed()), &clock(kit.time)));
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn text(head: &Head, findings: &[Finding], took: &str, time: &str) -> String {
    let best =
        head.adapters.first().map_or_else(|| "a machine without an adapter".to_owned(), Adapter::title);
    let mut text = format!("# wgpu-clamp on {best}\n\n");
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "- {name}: {value}");
    };
    for adapter in &head.adapters {
        line("adapter", &format!("{}, driver {}", adapter.title(), adapter.driver));
    }
    for adapter in &head.left_out {
        line("left out", &adapter.title());
    }
    for note in &head.notes {
        line("note", note);
    }
    for (name, value) in &head.facts {
        line(name, value);
    }
    line("kit", &format!("commit {COMMIT}, {} {}", std::env::consts::OS, std::env::consts::ARCH));
    line("date", &format!("{}, {took} of {time} minutes", head.date));
    if findings.is_empty() {
        return text;
    }
    text.push_str("\n| part | what came of it | time |\n| --- | --- | --: |\n");
    for finding in findings {
        let _ = writeln!(text, "| {} | {} | {} |", finding.title, cell(&finding.line()), clock(finding.took));
    }
    // The details share the rest equally; a section that needs less leaves more to the next ones.
    let mut left = MOST.saturating_sub(text.len());
    let with_details: Vec<_> = findings.iter().filter(|finding| !finding.details.is_empty()).collect();
    for (n, finding) in with_details.iter().enumerate() {
        let most = left / (with_details.len() - n);
        let details = shortened(finding.details.trim_end(), most.saturating_sub(200));
        let section = format!(
            "\n<details><summary>{}</summary>\n\n{details}\n\n</details>\n",
            finding.title.replace('<', "&lt;")
        );
        left = left.saturating_sub(section.len());
        text.push_str(&section);
    }
    text
}

/// Escapes a text for a table.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

/// As many lines from the start as fit, and the number of lines left out. Closes a block of code that is cut.
fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut lines = text.lines();
    for line in lines.by_ref() {
        if kept.len() + line.len() + 1 > most {
            let rest = lines.count() + 1;
            if kept.matches("```").count() % 2 == 1 {
                kept.push_str("```\n");
            }
            let _ = write!(kept, "\n{rest} lines more in the files of this report");
            break;
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Verdict;

    fn head() -> Head {
        let adapters = Adapter::list("GPU <1> (Vulkan, DiscreteGpu)\n  driver: d 1.2\nllvmpipe (Gl, Cpu)\n");
        let (adapters, left_out) = Adapter::choose(adapters, None);
        let facts = vec![("system", "an OS".to_owned())];
        Head { date: "2026-01-31 10:00 UTC".into(), facts, adapters, left_out, notes: vec!["gl died".into()] }
    }

    #[test]
    fn the_head_says_what_was_tried_and_what_not() {
        let text = text(&head(), &[], "0:01", "30:00");
        for part in [
            "# wgpu-clamp on GPU <1> (Vulkan, DiscreteGpu)\n",
            "- adapter: GPU <1> (Vulkan, DiscreteGpu), driver d 1.2\n",
            "- left out: llvmpipe (Gl, Cpu)\n",
            "- note: gl died\n",
            "- system: an OS\n",
            "- date: 2026-01-31 10:00 UTC, 0:01 of 30:00 minutes\n",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }

    #[test]
    fn bad_news_stand_out_and_a_table_stays_one() {
        let wrong = Finding::new("tests", Verdict::Wrong, "a | b\nc", "");
        let cut = Finding::new("table", Verdict::Cut, "3 rows", "");
        let text = text(&head(), &[wrong, cut], "0:01", "30:00");
        assert!(
            text.contains("| tests | **WRONG**: a \\| b c | 0:00 |\n| table | cut short: 3 rows | 0:00 |\n"),
            "{text}"
        );
    }

    #[test]
    fn an_issue_takes_it_whatever_the_parts_say() {
        let long = |name| {
            Finding::new(
                name,
                Verdict::Right,
                "fine",
                format!("{name}\n```\n{}```\n", "ö line\n".repeat(20_000)),
            )
        };
        let short = Finding::new("short", Verdict::Right, "fine", "all of it");
        let text = text(&head(), &[long("a"), short, long("b"), long("c")], "0:01", "30:00");
        assert!((MOST / 2..=MOST).contains(&text.len()), "{}", text.len());
        assert!(text.contains("all of it"));
        assert_eq!(text.matches("```").count(), 6);
        assert_eq!(text.matches("lines more in the files").count(), 3);
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    }
}
