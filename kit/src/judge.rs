//! Verdicts on a program's end and output. All functions are pure.

use crate::finding::Verdict;
use crate::machine::Adapter;
use crate::process::Ended;
use crate::suite::Outcome;

/// Judges the tests of both suites. `broke`: a process of many tests died or hung, even if each test passes alone.
pub fn tests(all: &[(String, Outcome)], broke: bool) -> (Verdict, String) {
    let count = |is: fn(&Outcome) -> bool| all.iter().filter(|(_, outcome)| is(outcome)).count();
    let counts = [
        (count(|outcome| *outcome == Outcome::Passed), "passed"),
        (count(|outcome| matches!(outcome, Outcome::Failed(_))), "failed"),
        (count(|outcome| matches!(outcome, Outcome::Died(..))), "died"),
        (count(|outcome| matches!(outcome, Outcome::Hung(_))), "did not end"),
        (count(|outcome| *outcome == Outcome::NotReached), "not reached"),
        (count(|outcome| *outcome == Outcome::Ignored), "ignored"),
    ];
    let [passed, failed, died, hung, not_reached, _] = counts.map(|(count, _)| count);
    let verdict = if failed > 0 {
        Verdict::Wrong
    } else if broke || died + hung > 0 {
        Verdict::Failed
    } else if passed == 0 {
        Verdict::NotRun
    } else if not_reached > 0 {
        Verdict::Cut
    } else {
        Verdict::Right
    };
    let words: Vec<_> = counts
        .iter()
        .enumerate()
        .filter(|(n, (count, _))| *n == 0 || *count > 0)
        .map(|(_, (count, word))| format!("{count} {word}"))
        .collect();
    (verdict, format!("{} tests: {}", all.len(), words.join(", ")))
}

/// Judges the self-test. The doctor takes every adapter whose name contains the name of `adapter`; only the lines of
/// `adapter` itself count.
pub fn doctor(said: &str, ended: Ended, adapter: &Adapter) -> (Verdict, String) {
    let mut is_own = false;
    let own = said.lines().filter(|line| {
        if let Some(other) = Adapter::of(line) {
            is_own = (&other.name, &other.backend) == (&adapter.name, &adapter.backend);
        }
        is_own
    });
    let own: Vec<_> = own.map(str::trim).collect();
    let judged = own.iter().filter_map(|line| Some((wrong_cases(line)?, *line)));
    // The line with the most wrong cases; among equals, the last one.
    let (wrong, line) = judged.max_by_key(|(wrong, _)| *wrong).unwrap_or((0, "no case ended"));
    let stuck = own.iter().find(|line| line.starts_with("did not get through"));
    let is_whole = own.iter().any(|line| line.contains(" cases agree ")) && stuck.is_none();
    let verdict = match ended {
        // The program may have failed because of another adapter.
        Ended::Exit(_) if wrong == 0 && is_whole && ended.death().is_none() => Verdict::Right,
        Ended::Exit(_) if wrong == 0 && stuck.is_some() => Verdict::Failed,
        _ => verdict(ended, wrong > 0, line != "no case ended"),
    };
    let why = stuck.map_or_else(|| error(said), |line| (*line).to_owned());
    (verdict, summary(verdict, ended, &why, line))
}

/// The wrong cases of a line such as `400 of 810 cases, 2 wrong, 30 s` or `808 of 810 cases agree`.
fn wrong_cases(line: &str) -> Option<u64> {
    let words: Vec<_> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    words.windows(5).find_map(|words| match words {
        [right, "of", all, "cases", "agree"] => {
            Some(all.parse::<u64>().ok()?.saturating_sub(right.parse().ok()?))
        }
        [_, "of", _, "cases", wrong] if line.contains(" wrong") => wrong.parse().ok(),
        _ => None,
    })
}

/// Judges a run of the benchmark: its table, its sweep of layouts, or its times to a first result.
pub fn bench(said: &str, ended: Ended) -> (Verdict, String) {
    const CUT: &str = "Not all rows:";
    let rows = said.lines().filter(|line| line.starts_with('|')).count().saturating_sub(2);
    let mut lines = said.lines().rev().map(str::trim);
    let cut = lines.clone().find(|line| line.starts_with(CUT));
    let count = lines.find(|line| line.contains(" rows: ") && !line.starts_with(['|', 'N']));
    let count = count.map_or_else(|| format!("{rows} rows"), str::to_owned);
    let count = cut.map_or(count.clone(), |cut| format!("{count}; {cut}"));
    let verdict = match verdict(ended, said.contains("**WRONG**"), rows > 0) {
        Verdict::Right if cut.is_some() => Verdict::Cut,
        other => other,
    };
    (verdict, summary(verdict, ended, &error(said), &count))
}

/// Judges the clamps of every 32-bit pattern.
pub fn patterns(said: &str, ended: Ended) -> (Verdict, String) {
    let differing: Vec<u64> =
        said.lines().filter_map(|line| line.split('|').nth(3)?.trim().parse().ok()).collect();
    let total: u64 = differing.iter().sum();
    let verdict = verdict(ended, total > 0, !differing.is_empty());
    let count = match differing.len() {
        0 => "no line ended".to_owned(),
        lines => format!("{lines} lines, {total} elements differ"),
    };
    (verdict, summary(verdict, ended, &error(said), &count))
}

/// Judges torch and `CuPy`. Their results are not tested, so a failure counts as not run.
pub fn peers(said: &str, ended: Ended) -> (Verdict, String) {
    let rows = said.lines().filter(|line| line.starts_with("| peers: ")).count();
    match verdict(ended, false, rows > 0) {
        Verdict::Failed | Verdict::NotRun => {
            (Verdict::NotRun, summary(Verdict::NotRun, ended, "", &error(said)))
        }
        other => (other, format!("{rows} rows")),
    }
}

/// The verdict on a program's end. `wrong`: it reported a wrong result. `some`: it did some of its work.
fn verdict(ended: Ended, wrong: bool, some: bool) -> Verdict {
    match ended {
        _ if wrong => Verdict::Wrong,
        Ended::Exit(_) if !ended.is_success() => Verdict::Failed,
        _ if !some => Verdict::NotRun,
        Ended::Exit(_) => Verdict::Right,
        Ended::OutOfTime | Ended::Silent | Ended::Stopped => Verdict::Cut,
    }
}

/// How the program died or why it failed, then the work done.
fn summary(verdict: Verdict, ended: Ended, why: &str, done: &str) -> String {
    match ended.death() {
        Some(death) => format!("the program died ({death}); {done}"),
        None if verdict == Verdict::Failed => format!("{why}; {done}"),
        None => done.to_owned(),
    }
}

/// Why a program failed: its last `error: ` line, or else its last line.
fn error(said: &str) -> String {
    let mut lines = said.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let error = lines.clone().find(|line| line.starts_with("error: "));
    error.or_else(|| lines.next()).unwrap_or("it said nothing").to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;
    use std::time::Duration;

    use super::*;

    fn exit(code: i32) -> Ended {
        Ended::Exit(ExitStatus::from_raw(code << 8))
    }

    fn signal(number: i32) -> Ended {
        Ended::Exit(ExitStatus::from_raw(number))
    }

    #[test]
    fn a_failed_test_is_wrong_and_a_dead_or_hung_one_has_failed() {
        let (passed, missed, ignored) = (Outcome::Passed, Outcome::NotReached, Outcome::Ignored);
        let failed = Outcome::Failed("why".into());
        let died = Outcome::Died("signal: 6".into(), "lost".into());
        let hung = Outcome::Hung(Duration::from_secs(9));
        let cases: [(&[&Outcome], bool, Verdict, &str); 11] = [
            (&[&passed, &passed, &ignored], false, Verdict::Right, "3 tests: 2 passed, 1 ignored"),
            (&[&passed, &missed], false, Verdict::Cut, "2 tests: 1 passed, 1 not reached"),
            (&[&passed, &died], false, Verdict::Failed, "2 tests: 1 passed, 1 died"),
            (&[&passed, &hung], false, Verdict::Failed, "2 tests: 1 passed, 1 did not end"),
            (
                &[&failed, &died, &missed],
                false,
                Verdict::Wrong,
                "3 tests: 0 passed, 1 failed, 1 died, 1 not reached",
            ),
            // No test ended.
            (&[], false, Verdict::NotRun, "0 tests: 0 passed"),
            (&[&missed; 3], false, Verdict::NotRun, "3 tests: 0 passed, 3 not reached"),
            (&[&ignored], false, Verdict::NotRun, "1 tests: 0 passed, 1 ignored"),
            // A process of many tests died or hung, whatever each test did alone.
            (&[&passed, &passed], true, Verdict::Failed, "2 tests: 2 passed"),
            (&[&missed], true, Verdict::Failed, "1 tests: 0 passed, 1 not reached"),
            (&[&failed], true, Verdict::Wrong, "1 tests: 0 passed, 1 failed"),
        ];
        for (outcomes, broke, verdict, told) in cases {
            let named: Vec<_> =
                outcomes.iter().map(|outcome| ("gpu, t".to_owned(), (*outcome).clone())).collect();
            assert_eq!(tests(&named, broke), (verdict, told.to_owned()), "{outcomes:?}, {broke}");
        }
    }

    /// The doctor's output for an adapter.
    fn section(name: &str, lines: &str) -> String {
        format!("\n{name} (Vulkan, DiscreteGpu)\n  driver: d\n{lines}")
    }

    fn xt() -> Adapter {
        Adapter::of("RX 7900 XT (Vulkan, DiscreteGpu)").unwrap()
    }

    #[test]
    fn any_case_that_differs_is_wrong_however_the_doctor_ends() {
        let all = "  self-test, 1 s: RX 7900 XT: 810 of 810 cases agree with the CPU reference, 1 elements\n";
        let most = all.replace("810 of", "808 of");
        let part = "  400 of 810 cases, 0 wrong, 30 s\n";
        let bad = part.replace(" 0 wrong", " 2 wrong");
        for (said, ended, verdict, line) in [
            (all, exit(0), Verdict::Right, "810 of 810"),
            (&most, exit(1), Verdict::Wrong, "808 of 810"),
            (&most, Ended::OutOfTime, Verdict::Wrong, "808 of 810"),
            (&(bad.clone() + part), Ended::Stopped, Verdict::Wrong, "2 wrong"),
            (&(bad + &most), exit(1), Verdict::Wrong, "808 of 810"),
            (part, Ended::OutOfTime, Verdict::Cut, "400 of 810 cases, 0 wrong"),
            (part, signal(11), Verdict::Failed, "the program died (signal: 11"),
            ("", Ended::OutOfTime, Verdict::NotRun, "no case ended"),
            ("", exit(0), Verdict::NotRun, "no case ended"),
            (
                "  did not get through: the device was lost\n",
                exit(1),
                Verdict::Failed,
                "the device was lost; no",
            ),
        ] {
            let (judged, told) = doctor(&section("RX 7900 XT", said), ended, &xt());
            assert!(judged == verdict && told.contains(line), "{said:?}, {ended:?}: {judged:?}, {told}");
        }
    }

    #[test]
    fn only_the_adapter_of_exactly_that_name_is_judged() {
        let line =
            |right: u32| format!("  self-test, 1 s: {right} of 810 cases agree with the CPU reference\n");
        let (right, wrong) = (line(810), line(807));
        let said = section("RX 7900 XTX", &wrong) + &section("RX 7900 XT", &right);
        let (judged, told) = doctor(&said, exit(1), &xt());
        assert!(judged == Verdict::Right && told.contains("810 of 810"), "{judged:?}, {told}");
        let said = section("RX 7900 XTX", &right) + &section("RX 7900 XT", &wrong);
        assert_eq!(doctor(&said, exit(1), &xt()).0, Verdict::Wrong);
    }

    const TABLE: &str = "- date: today\n| a |\n| - |\n| 1 |\n| 2 |\n";

    #[test]
    fn tables_are_right_cut_short_wrong_or_failed() {
        let whole = format!("{TABLE}\n2 rows: 1 met, 0 wrong\n\n");
        let cut = format!("{whole}Not all rows: 2 of 162 were measured within 5 minutes.\n");
        let sweep = format!("{TABLE}\n- 16 MiB, 2 rows: 0 below 0.15 of a copy\n");
        let failed = format!("error: a driver's\n{TABLE}error: out of memory\n");
        let wrong = format!(
            "{TABLE}| **WRONG**: 3 |\n\n3 rows: 1 met, 1 wrong\n\nerror: a result is wrong, see the table\n"
        );
        let measured = "2 rows: 1 met, 0 wrong; Not all rows: 2 of 162 were measured within 5 minutes.";
        for (said, ended, verdict, told) in [
            (whole.as_str(), exit(0), Verdict::Right, "2 rows: 1 met, 0 wrong"),
            (&cut, exit(0), Verdict::Cut, measured),
            (TABLE, Ended::OutOfTime, Verdict::Cut, "2 rows"),
            ("- date: today\n", Ended::OutOfTime, Verdict::NotRun, "0 rows"),
            (&sweep, exit(0), Verdict::Right, "- 16 MiB, 2 rows: 0 below 0.15 of a copy"),
            (&failed, exit(1), Verdict::Failed, "error: out of memory; 2 rows"),
            ("", exit(1), Verdict::Failed, "it said nothing; 0 rows"),
            (&wrong, exit(1), Verdict::Wrong, "3 rows: 1 met, 1 wrong"),
            (&wrong, Ended::OutOfTime, Verdict::Wrong, "3 rows: 1 met, 1 wrong"),
        ] {
            assert_eq!(bench(said, ended), (verdict, told.to_owned()), "{said}, {ended:?}");
        }
        let (judged, told) = bench(TABLE, signal(6));
        assert!(judged == Verdict::Failed && told.starts_with("the program died (signal: 6"), "{told}");
    }

    #[test]
    fn patterns_are_wrong_where_some_differ_and_not_run_where_no_line_ended() {
        let head = "| clamp | elements | differing | time |\n| --- | ---: | ---: | ---: |\n";
        let lines = format!("{head}| x | 7 | 0 | 1 s |\n");
        let wrong = lines.replace("| 0 |", "| 3 |");
        let lost = format!("{head}error: the device was lost\n");
        for (said, ended, verdict, told) in [
            (lines.as_str(), exit(0), Verdict::Right, "1 lines, 0 elements differ"),
            (&lines, Ended::OutOfTime, Verdict::Cut, "1 lines, 0 elements differ"),
            (head, Ended::Stopped, Verdict::NotRun, "no line ended"),
            (&wrong, exit(1), Verdict::Wrong, "1 lines, 3 elements differ"),
            (&lost, exit(1), Verdict::Failed, "error: the device was lost; no line ended"),
        ] {
            assert_eq!(patterns(said, ended), (verdict, told.to_owned()), "{said}, {ended:?}");
        }
    }

    #[test]
    fn peers_that_fail_have_not_run() {
        let row = "- torch: 2\n| peers: torch.clamp | f32 |\n";
        for (said, ended, verdict, told) in [
            (row, exit(0), Verdict::Right, "1 rows"),
            (row, Ended::OutOfTime, Verdict::Cut, "1 rows"),
            ("no CUDA\n", exit(1), Verdict::NotRun, "no CUDA"),
            ("\nNothing measured: it\n", exit(0), Verdict::NotRun, "Nothing measured: it"),
            ("", Ended::Stopped, Verdict::NotRun, "it said nothing"),
        ] {
            assert_eq!(peers(said, ended), (verdict, told.to_owned()), "{said}, {ended:?}");
        }
    }
}
