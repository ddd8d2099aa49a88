//! Runs a test program: many tests in one process. After a crash or a hang, the remaining tests run one by one.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::process::{Ended, Limits};

/// Parts of the names of tests with thousands of shaders or millions of elements. The other tests come first.
const LONG: [&str; 3] = ["self_test::", "elements::", "properties::"];

/// How long a quick test may take by itself, and how long a process of quick tests may be silent.
const PATIENCE: Duration = Duration::from_secs(90);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Ignored,
    /// The test failed; its output.
    Failed(String),
    /// The test took its process down: how, and its output.
    Died(String, String),
    /// The test did not end within this time.
    Hung(Duration),
    /// The time was over.
    NotReached,
}

/// All tests of a program.
#[derive(Debug, Default)]
pub struct Results {
    /// By name, in the order of the program.
    pub tests: Vec<(String, Outcome)>,
    /// Notes on processes of many tests that died or hung.
    pub notes: Vec<String>,
    /// Whether a process of many tests died or hung, even if no test does by itself.
    pub broke: bool,
}

/// Runs all tests of a program in `time`. `start` runs the program, with a name for the log, arguments and limits, and
/// returns how it ended and its output.
pub fn run(
    time: Duration,
    threads: usize,
    mut start: impl FnMut(&str, &[&str], Limits) -> Result<(Ended, String)>,
) -> Result<Results> {
    let begun = Instant::now();
    let left = || time.saturating_sub(begun.elapsed());
    let (ended, said) = start("list", &["--list", "--format", "terse"], Limits::total(PATIENCE.min(time)))?;
    let Ended::Exit(status) = ended else {
        let all = ("all of its tests".to_owned(), Outcome::NotReached);
        return Ok(Results { tests: vec![all], ..Results::default() });
    };
    ensure!(status.success(), "the program cannot list its tests ({status}): {}", said.trim());
    let names: Vec<String> =
        said.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect();
    ensure!(!names.is_empty(), "the program lists no test: {}", said.trim());

    let mut results = Results::default();
    let mut found = HashMap::new();
    let is_long = |name: &&String| LONG.iter().any(|part| name.contains(part));
    let (long, quick): (Vec<_>, Vec<_>) = names.iter().partition(is_long);
    // With one thread, a test's output would stand between its name and its result, which `outcomes` cannot read.
    let threads = threads.max(2).to_string();
    let skipped: Vec<_> = LONG.iter().flat_map(|part| ["--skip", part]).collect();
    let groups = [("quick", quick, &skipped[..], PATIENCE), ("long", long, &LONG, Duration::MAX)];
    // Long tests are silent until they end.
    'groups: for (log, tests, args, patience) in groups {
        if tests.is_empty() || left().is_zero() {
            continue;
        }
        let limits = Limits { total: left(), silence: patience.max(time / 4) };
        let (ended, said) = start(log, &[args, &["--test-threads", &threads]].concat(), limits)?;
        let done = outcomes(&said);
        let death = ended.death().map(|death| format!("died ({death})"));
        if let Some(how) = death.or_else(|| (ended == Ended::Silent).then(|| "hung".to_owned())) {
            results.broke = true;
            let note = format!("the process of the {log} tests {how} after {} of them", done.len());
            results.notes.push(note);
        }
        found.extend(done);
        // Runs each test without a result, and each failure without a reason: a program that dies prints no reasons.
        let is_known = |outcome: &Outcome| !matches!(outcome, Outcome::Failed(said) if said.is_empty());
        for name in tests {
            if found.get(name).is_some_and(is_known) {
                continue;
            }
            let time = patience.min(left());
            if time.is_zero() || ended == Ended::Stopped {
                break 'groups;
            }
            let (ended, said) = start(name, &["--exact", name], Limits::total(time))?;
            match alone(name, ended, &said, time) {
                Some(outcome) => found.insert(name.clone(), outcome),
                None => break 'groups,
            };
        }
    }
    let mut outcome = |name: &String| found.remove(name).unwrap_or(Outcome::NotReached);
    results.tests = names.iter().map(|name| (name.clone(), outcome(name))).collect();
    Ok(results)
}

/// The outcome of a test in a process of its own; none if the time was over.
fn alone(name: &str, ended: Ended, said: &str, time: Duration) -> Option<Outcome> {
    match ended {
        _ if ended.is_success() => Some(if said.contains(" 1 passed;") {
            Outcome::Passed
        } else if said.contains(" 1 ignored;") {
            Outcome::Ignored
        } else {
            Outcome::Died("it ended without running this test".to_owned(), said.trim().to_owned())
        }),
        Ended::Exit(status) => Some(match (ended.death(), outcomes(said).remove(name)) {
            (None, Some(failed @ Outcome::Failed(_))) => failed,
            (death, _) => Outcome::Died(death.unwrap_or_else(|| status.to_string()), said.trim().to_owned()),
        }),
        Ended::Silent | Ended::OutOfTime => (time == PATIENCE).then_some(Outcome::Hung(time)),
        Ended::Stopped => None,
    }
}

/// The results in the output of a test program.
fn outcomes(said: &str) -> HashMap<String, Outcome> {
    let mut found = HashMap::new();
    for line in said.lines() {
        let Some((name, result)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "))
        else {
            continue;
        };
        let outcome = match result.split(',').next() {
            Some("ok") => Outcome::Passed,
            Some("ignored") => Outcome::Ignored,
            Some("FAILED") => Outcome::Failed(reason(said, name)),
            _ => continue,
        };
        found.insert(name.to_owned(), outcome);
    }
    found
}

/// The output of a failed test, from the list at the end.
fn reason(said: &str, name: &str) -> String {
    let Some((_, rest)) = said.split_once(&format!("---- {name} stdout ----\n")) else {
        return String::new();
    };
    let end = ["\n---- ", "\nfailures:\n"].iter().filter_map(|mark| rest.find(mark)).min();
    rest[..end.unwrap_or(rest.len())].trim().to_owned()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);
    const LIST: &str = "a::one: test\na::two: test\nb::three: test\nself_test::long: test\n";

    fn exit(code: i32) -> Ended {
        Ended::Exit(ExitStatus::from_raw(code << 8))
    }

    fn signal(number: i32) -> Ended {
        Ended::Exit(ExitStatus::from_raw(number))
    }

    /// Runs a program whose quick tests together end as `quick`, whose long test passes, and whose single tests end as
    /// `one` says. Returns the names of the runs too.
    fn run(quick: (Ended, &str), one: impl Fn(&str) -> (Ended, &'static str)) -> (Results, Vec<String>) {
        let mut asked = Vec::new();
        let results = super::run(HOUR, 4, |log, args, limits| {
            assert!(limits.total <= HOUR);
            asked.push(log.to_owned());
            let (ended, said) = match log {
                "list" => (exit(0), LIST),
                "quick" => quick,
                "long" => (exit(0), "test self_test::long ... ok\n"),
                name => {
                    assert_eq!(args, ["--exact", name]);
                    one(name)
                }
            };
            Ok((ended, said.to_owned()))
        });
        (results.unwrap(), asked)
    }

    /// A test that passes alone.
    fn fine() -> (Ended, &'static str) {
        (exit(0), "test result: ok. 1 passed; 0 ignored;")
    }

    #[test]
    fn tests_that_end_are_run_once_and_long_ones_last() {
        let said = "adapter: x\ntest a::two ... ok\ntest a::one ... ignored, why\ntest b::three ... FAILED\n\nfailures:\n\n\
                    ---- b::three stdout ----\nadapter: y\nleft: 1\n\n\nfailures:\n    b::three\n";
        let (results, asked) = run((exit(101), said), |_| fine());
        let outcomes: Vec<_> = results.tests.iter().map(|(_, outcome)| outcome.clone()).collect();
        let failed = Outcome::Failed("adapter: y\nleft: 1".to_owned());
        assert_eq!(outcomes, [Outcome::Ignored, Outcome::Passed, failed, Outcome::Passed]);
        assert_eq!(asked, ["list", "quick", "long"]);
        assert!(results.notes.is_empty() && !results.broke);
    }

    #[test]
    fn what_a_crash_leaves_is_run_one_by_one() {
        let one = |name: &str| if name == "b::three" { (signal(11), "about to die\n") } else { fine() };
        let (results, asked) = run((signal(6), "test a::two ... ok\n"), one);
        assert_eq!(asked, ["list", "quick", "a::one", "b::three", "long"]);
        let Outcome::Died(how, said) = &results.tests[2].1 else { panic!("{results:?}") };
        assert!(how.contains("signal: 11") && said == "about to die");
        assert_eq!(results.tests.iter().filter(|(_, outcome)| *outcome == Outcome::Passed).count(), 3);
        assert!(results.broke && results.notes[0].contains("signal: 6"), "{:?}", results.notes);
    }

    #[test]
    fn a_failure_without_its_reason_is_run_again() {
        let failed = "test a::one ... FAILED\n\nfailures:\n\n---- a::one stdout ----\nwhy\n\nfailures:\n";
        let one = |name: &str| if name == "a::one" { (exit(101), failed) } else { fine() };
        let (results, asked) = run((signal(9), "test a::one ... FAILED\n"), one);
        assert_eq!(asked, ["list", "quick", "a::one", "a::two", "b::three", "long"]);
        assert_eq!(results.tests[0].1, Outcome::Failed("why".to_owned()));
    }

    #[test]
    fn a_test_that_hangs_does_not_keep_the_others() {
        let one = |name: &str| if name == "a::one" { (Ended::OutOfTime, "") } else { fine() };
        let (results, asked) = run((Ended::Silent, ""), one);
        assert_eq!(asked.len(), 6);
        assert_eq!(results.tests[0].1, Outcome::Hung(PATIENCE));
        assert_eq!(results.tests[1].1, Outcome::Passed);
        assert_eq!(results.notes, ["the process of the quick tests hung after 0 of them"]);
    }

    #[test]
    fn tests_that_hang_together_and_pass_alone_are_not_fine() {
        let (results, _) = run((Ended::Silent, ""), |_| fine());
        assert!(results.tests.iter().all(|(_, outcome)| *outcome == Outcome::Passed));
        assert!(results.broke);
    }

    #[test]
    fn a_process_that_runs_no_test_has_not_passed_it() {
        let (results, _) = run((signal(6), "test a::two ... ok\n"), |name| match name {
            "a::one" => (exit(0), "test result: ok. 0 passed; 0 ignored;"),
            _ => (exit(0), "test result: ok. 0 passed; 0 failed; 1 ignored;"),
        });
        let Outcome::Died(how, _) = &results.tests[0].1 else { panic!("{results:?}") };
        assert_eq!(how, "it ended without running this test");
        assert_eq!(results.tests[2].1, Outcome::Ignored);
    }

    #[test]
    fn a_stopped_run_begins_no_other_test() {
        let (results, asked) = run((Ended::Stopped, "test a::two ... ok\n"), |_| panic!("none is to begin"));
        assert_eq!(asked, ["list", "quick"]);
        let outcomes: Vec<_> = results.tests.iter().map(|(_, outcome)| outcome.clone()).collect();
        let [left, passed] = [Outcome::NotReached, Outcome::Passed];
        assert_eq!(outcomes, [left.clone(), passed, left.clone(), left]);
    }

    #[test]
    fn no_time_leaves_all_unreached() {
        let start = |log: &str, _: &[&str], _| match log {
            "list" => Ok((exit(0), LIST.to_owned())),
            name => panic!("{name} has no time"),
        };
        let results = super::run(Duration::ZERO, 1, start).unwrap();
        assert!(results.tests.iter().all(|(_, outcome)| *outcome == Outcome::NotReached));
        assert_eq!(results.tests.len(), 4);
    }

    #[test]
    fn a_program_that_lists_nothing_is_an_error() {
        for (ended, said) in [(signal(4), "illegal instruction"), (exit(0), "0 tests, 0 benchmarks")] {
            let start = |_: &str, _: &[&str], _| Ok((ended, said.to_owned()));
            let error = super::run(HOUR, 2, start).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_list_that_is_stopped_leaves_all_unreached() {
        for ended in [Ended::Stopped, Ended::OutOfTime, Ended::Silent] {
            let start = |_: &str, _: &[&str], _| Ok((ended, "a::one: te".to_owned()));
            let results = super::run(HOUR, 2, start).unwrap();
            assert_eq!(results.tests, [("all of its tests".to_owned(), Outcome::NotReached)]);
            assert!(!results.broke);
        }
    }
}
