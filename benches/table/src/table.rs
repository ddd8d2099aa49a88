//! The table in Markdown.

use std::fmt::Write as _;

use crate::clock::is_up;
use crate::row::Outcome;
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
    let mut verdict = match (&row.error, row.met()) {
        (Some(error), _) => format!("**WRONG**: {}", error.replace('\n', " ")),
        (None, Some(true)) => "met".to_owned(),
        (None, Some(false)) => "**missed**".to_owned(),
        (None, None) => String::new(),
    };
    if let Some(share) = row.clock.filter(|share| !is_up(*share)) {
        _ = write!(verdict, " **clock down**: a copy at {share:.2} of its best speed");
    }
    let (bytes, best) = (size(row.bytes), best.map_or("–", |(name, _)| name));
    format!(
        "| {section}: {name} | {dtypes} | {bytes} | {ours} | {theirs} | {best} | {ratio} | {goal} | {verdict} | {plain} | {first} |"
    )
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
        let count = |is: fn(&Outcome) -> bool| rows.iter().filter(|row| is(row)).count();
        let missed = rows.iter().filter(|row| row.met() == Some(false));
        let ratios: Vec<_> = rows.iter().filter_map(Outcome::ratio).collect();
        let median =
            dash((!ratios.is_empty()).then(|| Stats::of(ratios)), |all| format!("{:.2}", all.median));
        // The ratio in units of the goal.
        let distance = |row: &Outcome| Some(row.ratio()? / row.goal?);
        let worst = missed.clone().min_by(|a, b| distance(a).partial_cmp(&distance(b)).expect("no NaN"));
        let worst = dash(worst, |row| {
            let [ratio, goal] = [row.ratio(), row.goal].map(Option::unwrap_or_default);
            format!("{}, {}: {ratio:.2} (≥ {goal:.2})", row.name, row.dtypes)
        });
        _ = writeln!(
            text,
            "| {section} | {} | {} | {} | {} | {} | {median} | {worst} |",
            rows.len(),
            count(|row| row.met() == Some(true)),
            missed.count(),
            count(|row| row.error.is_some()),
            count(|row| row.to_plain().is_some_and(|ratio| ratio < 1.0)),
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
