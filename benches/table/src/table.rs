//! The table in Markdown and as tab-separated values.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::outcome::{Outcome, Verdict};
use crate::text::{dash, size, slow, spread};

/// The head of the table.
pub const HEAD: &str = "\
| row | dtype | bytes | ours | theirs | their best | ratio | goal | |
| --- | --- | --: | --: | --: | --- | --: | --- | --- |";

/// One line of the table.
pub fn line(row: &Outcome) -> String {
    let best = row.best();
    let stats = |stats| spread(stats, row.unit);
    let (ours, theirs) = (dash(row.ours.as_ref(), stats), dash(best.map(|(_, stats)| stats), stats));
    let (dtype, best) = (dash(row.dtype.clone(), |dtype| dtype), best.map_or("–", |(name, _)| name));
    let ratio = dash(row.ratio, |ratio| {
        // A third digit, if two would not show whether the goal is met.
        let close = row.target.is_some_and(|target| (ratio - target).abs() < 0.005);
        if close { format!("{ratio:.3}") } else { format!("{ratio:.2}") }
    });
    let Outcome { section, name, goal, .. } = row;
    let (bytes, verdict, slow) = (size(row.bytes), verdict(row), slow(row.clock));
    format!(
        "| {section}: {name} | {dtype} | {bytes} | {ours} | {theirs} | {best} | {ratio} | {goal} | {verdict}{slow} |"
    )
}

fn verdict(row: &Outcome) -> String {
    match row.verdict {
        Verdict::Met => "met".to_owned(),
        Verdict::Missed => "**missed**".to_owned(),
        Verdict::Report => "report".to_owned(),
        Verdict::Wrong => {
            format!("**WRONG**: {}", row.error.as_deref().unwrap_or("no figure").replace('\n', " "))
        }
    }
}

/// Counts of rows by verdict.
pub fn summary(rows: &[Outcome]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    format!(
        "{} rows: {} met, {} missed, {} without a goal, {} wrong",
        rows.len(),
        count(Verdict::Met),
        count(Verdict::Missed),
        count(Verdict::Report),
        count(Verdict::Wrong)
    )
}

/// One line per section, in Markdown: how many rows met and missed their goals, and the row farthest from its goal.
pub fn sections(rows: &[Outcome]) -> String {
    let mut text =
        "| section | met | missed | farthest from its goal |\n| --- | --: | --: | --- |\n".to_owned();
    let mut seen = HashSet::new();
    for section in rows.iter().map(|row| &row.section).filter(|section| seen.insert(*section)) {
        let with = |verdict| rows.iter().filter(move |row| row.section == *section && row.verdict == verdict);
        // The speed in units of the goal; more is better.
        let distance = |row: &Outcome| match (row.ratio, row.target) {
            (Some(ratio), Some(target)) => row.speed(ratio / target),
            _ => 0.0,
        };
        let worst = with(Verdict::Missed).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let worst = dash(worst, |Outcome { name, dtype, ratio, goal, .. }| {
            let ratio = dash(*ratio, |ratio| format!("{ratio:.2}"));
            format!("{name} {}: {ratio} ({goal})", dtype.as_deref().unwrap_or_default())
        });
        let (met, missed) = (with(Verdict::Met).count(), with(Verdict::Missed).count());
        let _ = writeln!(text, "| {section} | {met} | {missed} | {worst} |");
    }
    for row in rows.iter().filter(|row| row.verdict == Verdict::Wrong) {
        let _ = writeln!(text, "\n{}: {} {}", row.section, row.name, verdict(row));
    }
    text
}
