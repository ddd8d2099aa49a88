//! The table in Markdown.

use std::fmt::Write as _;

use crate::clock::is_up;
use crate::row::{Outcome, Verdict};
use crate::stats::Stats;

/// The head of the table.
pub const HEAD: &str = "\
| row | dtypes | bytes | ours | theirs | their best | theirs ÷ ours | goal | | plain kernel ÷ ours | first result |
| --- | --- | --: | --: | --: | --- | --: | --- | --- | --: | --: |";

/// One line of the table.
pub fn line(row: &Outcome) -> String {
    let Outcome { section, name, dtypes, .. } = row;
    let best = row.best();
    let (ours, theirs) = (dash(row.ours.as_ref(), spread), dash(best.map(|(_, stats)| stats), spread));
    let ratio = dash(row.ratio(), |ratio| {
        // A third digit, if two would not show whether the goal is met.
        let close = row.goal.is_some_and(|goal| (ratio - goal).abs() < 0.005);
        if close { format!("{ratio:.3}") } else { format!("{ratio:.2}") }
    });
    let goal = dash(row.goal, |goal| format!("≥ {goal:.2}"));
    let (plain, first) = (dash(row.to_plain(), |ratio| format!("{ratio:.2}")), dash(row.first, time));
    let mut verdict = verdict(row);
    if let Some(share) = row.clock.filter(|share| !is_up(*share)) {
        _ = write!(verdict, " **clock down**: a copy at {share:.2} of its best speed");
    }
    let (bytes, best) = (size(row.bytes), best.map_or("–", |(name, _)| name));
    format!(
        "| {section}: {name} | {dtypes} | {bytes} | {ours} | {theirs} | {best} | {ratio} | {goal} | {verdict} | {plain} | {first} |"
    )
}

fn verdict(row: &Outcome) -> String {
    match row.verdict() {
        Verdict::Met => "met".to_owned(),
        Verdict::Missed => "**missed**".to_owned(),
        Verdict::Report => String::new(),
        Verdict::Wrong => {
            format!("**WRONG**: {}", row.error.as_deref().unwrap_or("no figure").replace('\n', " "))
        }
    }
}

/// One line per section, and one for all: how many rows met and missed their goals, how many are slower than the plain kernel,
/// and the row farthest from its goal.
pub fn summary(rows: &[Outcome]) -> String {
    let mut text =
        "| section | rows | met | missed | wrong | slower than the plain kernel | median of theirs ÷ ours \
                    | farthest from its goal |\n| --- | --: | --: | --: | --: | --: | --: | --- |\n"
            .to_owned();
    let sections = rows.chunk_by(|a, b| a.section == b.section).map(|rows| (&rows[0].section[..], rows));
    for (section, rows) in sections.chain([("all", rows)]) {
        let count = |verdict| rows.iter().filter(|row| row.verdict() == verdict).count();
        let slower = rows.iter().filter(|row| row.to_plain().is_some_and(|ratio| ratio < 1.0)).count();
        let ratios: Vec<_> = rows.iter().filter_map(Outcome::ratio).collect();
        let median =
            dash((!ratios.is_empty()).then(|| Stats::of(ratios)), |all| format!("{:.2}", all.median));
        // The ratio in units of the goal.
        let distance = |row: &Outcome| Some(row.ratio()? / row.goal?);
        let missed = rows.iter().filter(|row| row.verdict() == Verdict::Missed);
        let worst = missed.min_by(|a, b| distance(a).partial_cmp(&distance(b)).expect("no NaN"));
        let worst = dash(worst, |row| {
            let [ratio, goal] = [row.ratio(), row.goal].map(Option::unwrap_or_default);
            format!("{}, {}: {ratio:.2} (≥ {goal:.2})", row.name, row.dtypes)
        });
        _ = writeln!(
            text,
            "| {section} | {} | {} | {} | {} | {slower} | {median} | {worst} |",
            rows.len(),
            count(Verdict::Met),
            count(Verdict::Missed),
            count(Verdict::Wrong)
        );
    }
    text
}

/// The text of a value, or a dash.
pub fn dash<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), text)
}

/// A median with its quartiles.
fn spread(stats: &Stats) -> String {
    let (unit, name) = unit(stats.median);
    let [median, q1, q3] = [stats.median, stats.q1, stats.q3].map(|seconds| digits(seconds / unit));
    format!("{median} ({q1}–{q3}) {name}")
}

/// Seconds in their unit.
pub fn time(seconds: f64) -> String {
    let (unit, name) = unit(seconds);
    format!("{} {name}", digits(seconds / unit))
}

/// The largest unit of time that is not above `seconds`, and its name.
fn unit(seconds: f64) -> (f64, &'static str) {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    units.into_iter().find(|(unit, _)| seconds >= *unit).unwrap_or((1e-9, "ns"))
}

/// Three digits.
fn digits(n: f64) -> String {
    if n >= 100.0 { format!("{n:.0}") } else { format!("{n:.3}")[..4].trim_end_matches('.').to_owned() }
}

/// A number of bytes.
pub fn size(bytes: u64) -> String {
    dash((bytes > 0).then_some(bytes), |bytes| indicatif::BinaryBytes(bytes).to_string())
}
