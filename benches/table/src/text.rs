//! Numbers, sizes and errors as the tables show them.

use crate::clock::is_up;
use crate::row::Unit;
use crate::stats::Stats;

/// The text of a value, or a dash.
pub fn dash<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), text)
}

/// The end of a table's line: the error, if the result is wrong.
pub fn wrong(error: Option<&String>) -> String {
    error.map_or_else(String::new, |error| format!(" **WRONG**: {}", error.replace('\n', " ")))
}

/// The end of a table's line: the clock, if it was held and yet down.
pub fn slow(clock: Option<f64>) -> String {
    let down = clock.filter(|share| !is_up(*share));
    down.map_or_else(String::new, |share| format!(" **clock down**: a copy at {share:.2} of its best speed"))
}

/// A median with its quartiles.
pub fn spread(stats: &Stats, unit: Unit) -> String {
    if unit == Unit::Allocations {
        return figure(stats.median, unit);
    }
    let (scale, name) = scale(stats.median);
    let [median, q1, q3] = [stats.median, stats.q1, stats.q3].map(|seconds| digits(seconds / scale));
    format!("{median} ({q1}–{q3}) {name}")
}

/// One number with its unit.
pub fn figure(value: f64, unit: Unit) -> String {
    if unit == Unit::Allocations {
        return format!("{value} allocations");
    }
    let (scale, name) = scale(value);
    format!("{} {name}", digits(value / scale))
}

/// The largest unit of time that is not above `seconds`, and its name.
fn scale(seconds: f64) -> (f64, &'static str) {
    let scales = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")];
    scales.into_iter().find(|(scale, _)| seconds >= *scale).unwrap_or((1e-9, "ns"))
}

/// Three digits.
fn digits(n: f64) -> String {
    if n >= 100.0 { format!("{n:.0}") } else { format!("{n:.3}")[..4].trim_end_matches('.').to_owned() }
}

/// A size in the largest unit that is not above it.
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
