//! The table in Markdown and as tab-separated values.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt::Write as _;

use crate::row::{Outcome, Unit, Verdict};
use crate::stats::Stats;

/// The head of the table.
pub const HEAD: &str = "\
| row | dtype | bytes | ours | theirs | their best | ratio | goal | |
| --- | --- | --: | --: | --: | --- | --: | --- | --- |";

/// One line of the table.
#[must_use]
pub fn line(row: &Outcome) -> String {
    let stats = |stats: Option<&Stats>| stats.map_or_else(|| "–".to_owned(), |s| spread(s, row.unit));
    let best = row.best();
    let mut line = format!(
        "| {}: {} | {} | {} ",
        row.section,
        row.name,
        row.dtype.as_deref().unwrap_or("–"),
        size(row.bytes)
    );
    let _ = write!(line, "| {} | {} ", stats(row.ours.as_ref()), stats(best.map(|(_, stats)| stats)));
    let _ = write!(line, "| {} ", best.map_or("–", |(name, _)| name));
    let ratio = row.ratio.map_or_else(
        || "–".to_owned(),
        |ratio| {
            // A third digit, if two would not show whether the goal is met.
            let close = row.target.is_some_and(|target| (ratio - target).abs() < 0.005);
            if close { format!("{ratio:.3}") } else { format!("{ratio:.2}") }
        },
    );
    let _ = write!(line, "| {ratio} | {} | {} |", row.goal, verdict(row));
    line
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
#[must_use]
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

/// All rows, tab-separated: medians and quartiles in seconds, or counts of allocations.
#[must_use]
pub fn tsv(rows: &[Outcome]) -> String {
    let mut text =
        "row\tdtype\tbytes\tours\tq1\tq3\ttheir_best\ttheirs\tq1\tq3\tratio\tgoal\tverdict\n".to_owned();
    for row in rows {
        let Outcome { section, name, bytes, goal, .. } = row;
        let figures = |stats: Option<&Stats>| match stats {
            Some(Stats { median, q1, q3, .. }) => format!("{median:.4e}\t{q1:.4e}\t{q3:.4e}"),
            None => "-\t-\t-".to_owned(),
        };
        let (ours, best) = (figures(row.ours.as_ref()), row.best());
        let theirs = figures(best.map(|(_, stats)| stats));
        let best = best.map_or("-", |(name, _)| name);
        let dtype = row.dtype.as_deref().unwrap_or("-");
        let ratio = row.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}"));
        let verdict = verdict(row).replace(['*', '\t'], "");
        let _ = writeln!(
            text,
            "{section}: {name}\t{dtype}\t{bytes}\t{ours}\t{best}\t{theirs}\t{ratio}\t{goal}\t{verdict}"
        );
    }
    text
}

/// One line per section, in Markdown: how many rows met and missed their goals, and the row farthest from its goal.
#[must_use]
pub fn sections(rows: &[Outcome]) -> String {
    let mut text =
        "| section | met | missed | farthest from its goal |\n| --- | --: | --: | --- |\n".to_owned();
    let mut sections: Vec<&str> = rows.iter().map(|row| row.section.as_str()).collect();
    let mut seen = HashSet::new();
    sections.retain(|section| seen.insert(*section));
    for section in sections {
        let rows = || rows.iter().filter(|row| row.section == section);
        let count = |verdict| rows().filter(|row| row.verdict == verdict).count();
        // The ratio in units of the goal; more is better.
        let distance = |row: &&Outcome| {
            let (ratio, target) = (row.ratio?, row.target?);
            Some(if row.time_over_time { target / ratio } else { ratio / target })
        };
        let missed = rows().filter(|row| row.verdict == Verdict::Missed);
        let worst = missed.min_by(|a, b| distance(a).partial_cmp(&distance(b)).unwrap_or(Ordering::Equal));
        let worst = worst.map_or_else(
            || "–".to_owned(),
            |row| {
                let ratio = row.ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}"));
                let dtype = row.dtype.as_deref().unwrap_or_default();
                format!("{} {dtype}: {ratio} ({})", row.name, row.goal)
            },
        );
        let (met, missed) = (count(Verdict::Met), count(Verdict::Missed));
        let _ = writeln!(text, "| {section} | {met} | {missed} | {worst} |");
    }
    for row in rows.iter().filter(|row| row.verdict == Verdict::Wrong) {
        let _ = writeln!(text, "\n{}: {} {}", row.section, row.name, verdict(row));
    }
    text
}

/// A median with its quartiles.
#[must_use]
pub fn spread(stats: &Stats, unit: Unit) -> String {
    if unit == Unit::Allocations {
        return figure(stats.median, unit);
    }
    let scale = Scale::of(stats.median);
    let [median, q1, q3] = [stats.median, stats.q1, stats.q3].map(|seconds| scale.digits(seconds));
    format!("{median} ({q1}–{q3}) {}", scale.name)
}

/// One number with its unit.
#[must_use]
pub fn figure(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Allocations => format!("{value} allocations"),
        Unit::Seconds => {
            let scale = Scale::of(value);
            format!("{} {}", scale.digits(value), scale.name)
        }
    }
}

struct Scale {
    seconds: f64,
    name: &'static str,
}

impl Scale {
    fn of(seconds: f64) -> Self {
        let scales = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")];
        let (seconds, name) = scales.into_iter().find(|(scale, _)| seconds >= *scale).unwrap_or((1e-9, "ns"));
        Self { seconds, name }
    }

    fn digits(&self, seconds: f64) -> String {
        let n = seconds / self.seconds;
        if n >= 100.0 { format!("{n:.0}") } else { format!("{n:.3}")[..4].trim_end_matches('.').to_owned() }
    }
}

/// A size in the largest unit in which it is at least one.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0 => return "–".to_owned(),
        1..1024 => return format!("{bytes} B"),
        1024..1_048_576 => (1_u64 << 10, "KiB"),
        1_048_576..1_073_741_824 => (1 << 20, "MiB"),
        _ => (1 << 30, "GiB"),
    };
    let n = format!("{:.1}", bytes as f64 / unit as f64);
    format!("{} {name}", n.trim_end_matches(".0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_unit() {
        for (seconds, text) in
            [(1.5, "1.50 s"), (0.0123, "12.3 ms"), (456e-6, "456 µs"), (7e-9, "7.00 ns"), (1e-3, "1.00 ms")]
        {
            assert_eq!(figure(seconds, Unit::Seconds), text);
        }
    }

    #[test]
    fn sizes_are_round_where_they_can_be() {
        for (bytes, text) in
            [(0, "–"), (512, "512 B"), (4096, "4 KiB"), (3 << 19, "1.5 MiB"), (1 << 30, "1 GiB")]
        {
            assert_eq!(size(bytes), text);
        }
    }
}
