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

/// Judges the self-test. The doctor takes every adapter whose name contains `adapter`'s; only the lines of `adapter`
/// itself count.
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

/// Judges the table, the sweep of layouts, or the times to a first result.
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

/// Judges torch and `CuPy`. Their results are not tested, so if they fail, they count as not run.
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

    fn outcomes(some: &[Outcome]) -> Vec<(String, Outcome)> {
        some.iter().enumerate().map(|(n, outcome)| (format!("gpu, t{n}"), outcome.clone())).collect()
    }

    #[test]
    fn a_failed_test_is_wrong_and_a_dead_or_hung_one_has_failed() {
        let judged = |some: &[Outcome]| tests(&outcomes(some), false);
        let (passed, missed) = (Outcome::Passed, Outcome::NotReached);
        let died = Outcome::Died("signal: 6".into(), "lost".into());
        let hung = Outcome::Hung(Duration::from_secs(9));
        let right = judged(&[passed.clone(), passed.clone(), Outcome::Ignored]);
        assert_eq!(right, (Verdict::Right, "3 tests: 2 passed, 1 ignored".to_owned()));
        let cut = judged(&[passed.clone(), missed.clone()]);
        assert_eq!(cut, (Verdict::Cut, "2 tests: 1 passed, 1 not reached".to_owned()));
        assert_eq!(judged(&[passed.clone(), died.clone()]).0, Verdict::Failed);
        assert_eq!(judged(&[passed, hung]), (Verdict::Failed, "2 tests: 1 passed, 1 did not end".to_owned()));
        assert_eq!(judged(&[Outcome::Failed("why".into()), died, missed]).0, Verdict::Wrong);
    }

    #[test]
    fn tests_of_which_none_ended_have_not_run() {
        for some in [vec![], vec![Outcome::NotReached; 3], vec![Outcome::Ignored]] {
            assert_eq!(tests(&outcomes(&some), false).0, Verdict::NotRun, "{some:?}");
        }
    }

    #[test]
    fn tests_that_pass_alone_and_not_together_have_failed() {
        let passed = outcomes(&[Outcome::Passed, Outcome::Passed]);
        assert_eq!(tests(&passed, true).0, Verdict::Failed);
        assert_eq!(tests(&outcomes(&[Outcome::NotReached]), true).0, Verdict::Failed);
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
    fn an_adapter_whose_name_begins_alike_is_not_judged_with_it() {
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
    fn a_table_that_lacks_rows_is_cut_short_and_says_how_many_there_are() {
        let whole = format!("{TABLE}\n2 rows: 1 met, 0 wrong\n\n");
        assert_eq!(bench(&whole, exit(0)), (Verdict::Right, "2 rows: 1 met, 0 wrong".to_owned()));
        let cut = format!("{whole}Not all rows: 2 of 162 were measured within 5 minutes.\n");
        let told = "2 rows: 1 met, 0 wrong; Not all rows: 2 of 162 were measured within 5 minutes.";
        assert_eq!(bench(&cut, exit(0)), (Verdict::Cut, told.to_owned()));
        assert_eq!(bench(TABLE, Ended::OutOfTime), (Verdict::Cut, "2 rows".to_owned()));
        assert_eq!(bench("- date: today\n", Ended::OutOfTime), (Verdict::NotRun, "0 rows".to_owned()));
        let sweep = format!("{TABLE}\n- 16 MiB, 2 rows: 0 below 0.15 of a copy\n");
        assert_eq!(bench(&sweep, exit(0)).1, "- 16 MiB, 2 rows: 0 below 0.15 of a copy");
    }

    #[test]
    fn a_table_that_fails_is_told_from_one_that_is_wrong() {
        let failed = format!("error: a driver's\n{TABLE}error: out of memory\n");
        assert_eq!(bench(&failed, exit(1)), (Verdict::Failed, "error: out of memory; 2 rows".to_owned()));
        assert_eq!(bench("", exit(1)).1, "it said nothing; 0 rows");
        let (judged, told) = bench(TABLE, signal(6));
        assert!(judged == Verdict::Failed && told.starts_with("the program died (signal: 6"), "{told}");
        let wrong = format!(
            "{TABLE}| **WRONG**: 3 |\n\n3 rows: 1 met, 1 wrong\n\nerror: a result is wrong, see the table\n"
        );
        for ended in [exit(1), Ended::OutOfTime] {
            assert_eq!(bench(&wrong, ended), (Verdict::Wrong, "3 rows: 1 met, 1 wrong".to_owned()));
        }
    }

    #[test]
    fn patterns_are_wrong_where_some_differ_and_not_run_where_no_line_ended() {
        let head = "| clamp | elements | differing | time |\n| --- | ---: | ---: | ---: |\n";
        let lines = format!("{head}| x | 7 | 0 | 1 s |\n");
        let told = |said: &str, ended| patterns(said, ended);
        assert_eq!(told(&lines, exit(0)), (Verdict::Right, "1 lines, 0 elements differ".to_owned()));
        assert_eq!(told(&lines, Ended::OutOfTime).0, Verdict::Cut);
        assert_eq!(told(head, Ended::Stopped), (Verdict::NotRun, "no line ended".to_owned()));
        assert_eq!(told(&lines.replace("| 0 |", "| 3 |"), exit(1)).0, Verdict::Wrong);
        let lost = format!("{head}error: the device was lost\n");
        let lost = told(&lost, exit(1));
        assert_eq!(lost, (Verdict::Failed, "error: the device was lost; no line ended".to_owned()));
    }

    #[test]
    fn peers_that_fail_have_not_run() {
        let row = "- torch: 2\n| peers: torch.clamp | f32 |\n";
        assert_eq!(peers(row, exit(0)), (Verdict::Right, "1 rows".to_owned()));
        assert_eq!(peers(row, Ended::OutOfTime), (Verdict::Cut, "1 rows".to_owned()));
        assert_eq!(peers("no CUDA\n", exit(1)), (Verdict::NotRun, "no CUDA".to_owned()));
        assert_eq!(
            peers("\nNothing measured: it\n", exit(0)),
            (Verdict::NotRun, "Nothing measured: it".to_owned())
        );
        assert_eq!(peers("", Ended::Stopped).0, Verdict::NotRun);
    }
}
