//! How each part is run, and what its output means.

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::finding::{Finding, Verdict};
use crate::kit::Kit;
use crate::machine::Adapter;
use crate::part::Part;
use crate::process::{Ended, Limits};
use crate::suite::{self, Outcome, Results};

/// In less than that the tables are quick ones.
const WHOLE_TABLE: Duration = Duration::from_secs(8 * 60);

/// One part on one adapter.
#[derive(Clone, Debug)]
pub struct Job {
    /// The part.
    pub part: Part,
    /// Where.
    pub adapter: Adapter,
    /// Of the adapter, from 1, for names of files.
    pub number: usize,
    /// Its share of the time.
    pub weight: f64,
}

impl Job {
    /// All of them, in the order of their worth. `adapters` begin with the best.
    pub fn all(parts: &[Part], adapters: &[Adapter]) -> Vec<Self> {
        let jobs = parts.iter().flat_map(|&part| {
            let count =
                if part.is_for_each_adapter() { adapters.len() as u32 } else { adapters.len().min(1) as u32 };
            adapters.iter().take(count as usize).zip(1..).map(move |(adapter, number)| {
                // The best one gets as much as all others together.
                let share = match (count, number) {
                    (1, _) => 1.0,
                    (_, 1) => 0.5,
                    _ => 0.5 / f64::from(count - 1),
                };
                Self { part, adapter: adapter.clone(), number, weight: f64::from(part.weight()) * share }
            })
        });
        jobs.collect()
    }

    /// For people.
    pub fn title(&self) -> String {
        if self.part.is_for_each_adapter() {
            format!("{}, {}", self.part.name(), self.adapter.title())
        } else {
            self.part.name().to_owned()
        }
    }

    /// Runs it for so long.
    pub fn run(&self, kit: &Kit, time: Duration) -> Finding {
        let result = match self.part {
            Part::Tests => Ok(self.tests(kit, time)),
            Part::Doctor => self.doctor(kit, time),
            Part::Table => self.bench(kit, time, &["--json", "table.json", "--plot", "table.svg"]),
            Part::Layouts => {
                self.bench(kit, time, &["--layouts", "--json", "layouts.json", "--plot", "layouts.svg"])
            }
            Part::First => self.bench(kit, time, &["--first", "--json", "first.json"]),
            Part::Patterns => self.patterns(kit, time),
            Part::Peers => self.peers(kit, time),
        };
        result.unwrap_or_else(|error| Finding::new(&self.title(), Verdict::Wrong, format!("{error:#}"), ""))
    }

    fn finding(&self, verdict: Verdict, summary: impl Into<String>, details: impl Into<String>) -> Finding {
        Finding::new(&self.title(), verdict, summary, details)
    }

    fn tests(&self, kit: &Kit, time: Duration) -> Finding {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let (mut all, mut notes, mut died) = (Vec::new(), Vec::new(), false);
        let begun = Instant::now();
        // Conformance takes a minute, even on a CPU.
        for (program, limit) in [("conformance", time / 4), ("gpu", time)] {
            let limit = limit.min(time.saturating_sub(begun.elapsed()));
            let results = suite::run(limit, threads, |log, args, limits| {
                let mut command = kit.program(program, Some(&self.adapter));
                let log = format!("tests-{}-{program}-{log}", self.number);
                kit.run(command.args(args), &self.title(), &log, limits)
            });
            let results = results.unwrap_or_else(|error| Results {
                notes: vec![format!("{error:#}")],
                died: true,
                ..Results::default()
            });
            died |= results.died;
            notes.extend(results.notes.iter().map(|note| format!("; {program}: {note}")));
            let named = |(name, outcome)| (format!("{program}, {name}"), outcome);
            all.extend(results.tests.into_iter().map(named));
        }
        let (verdict, summary) = sum(&all);
        let verdict = if died { Verdict::Wrong } else { verdict };
        self.finding(verdict, summary + &notes.concat(), told(&all))
    }

    fn doctor(&self, kit: &Kit, time: Duration) -> Result<Finding> {
        let mut command = kit.program("doctor", Some(&self.adapter));
        command.arg("--").arg(&self.adapter.name);
        let log = format!("doctor-{}", self.number);
        let (ended, said) = kit.run(&mut command, &self.title(), &log, Limits::total(time))?;
        let judged =
            said.lines().rev().find(|line| line.contains(" cases")).unwrap_or("no case ended").trim();
        let wrong = judged.contains(" wrong") && !judged.contains(" 0 wrong");
        Ok(self.finding(verdict(ended, wrong), with_death(judged, ended), code(&said)))
    }

    fn bench(&self, kit: &Kit, time: Duration, args: &[&str]) -> Result<Finding> {
        let mut command = kit.program("clamp-bench", Some(&self.adapter));
        // Beside the report, where whoever sends it looks.
        command.args(args).current_dir(&kit.report);
        // The time to a first result has no shorter form.
        if time < WHOLE_TABLE && self.part != Part::First {
            command.arg("--quick");
        }
        // Whole minutes, less one for the last row and the files.
        command.args(["--minutes", &(time.as_secs() / 60).saturating_sub(1).max(1).to_string()]);
        let (ended, said) = kit.run(&mut command, &self.title(), self.part.name(), Limits::total(time))?;
        let wrong = said.contains("**WRONG**");
        Ok(self.finding(verdict(ended, wrong), with_death(&last_words(&said, ended), ended), said))
    }

    fn patterns(&self, kit: &Kit, time: Duration) -> Result<Finding> {
        let mut command = kit.program("clamp-proof", Some(&self.adapter));
        let (ended, said) =
            kit.run(command.arg("patterns"), &self.title(), self.part.name(), Limits::total(time))?;
        let differing: Vec<u64> =
            said.lines().filter_map(|line| line.split('|').nth(3)?.trim().parse().ok()).collect();
        let total: u64 = differing.iter().sum();
        let summary = format!("{} lines, {total} elements differ", differing.len());
        Ok(self.finding(verdict(ended, total > 0), with_death(&summary, ended), said))
    }

    fn peers(&self, kit: &Kit, time: Duration) -> Result<Finding> {
        let names: &[&str] = if cfg!(windows) { &["python", "py"] } else { &["python3", "python"] };
        let starts = |name: &&&str| {
            Command::new(name).arg("--version").output().is_ok_and(|said| said.status.success())
        };
        let Some(python) = names.iter().find(starts) else {
            return Ok(self.finding(Verdict::NotRun, "there is no Python here", ""));
        };
        let mut command = Command::new(python);
        kit.prepare(&mut command);
        command.arg(kit.folder.join("torch_cupy.py")).args(["--json", "peers.json"]).current_dir(&kit.report);
        if kit.report.join("table.json").exists() {
            command.args(["--ours", "table.json"]);
        }
        let (ended, said) = kit.run(&mut command, &self.title(), self.part.name(), Limits::total(time))?;
        let measured = !said.contains("Nothing measured");
        let verdict = match verdict(ended, false) {
            // The others are not on trial.
            Verdict::Right | Verdict::Wrong if !measured || !ended.is_success() => Verdict::NotRun,
            other => other,
        };
        let rows = said.lines().filter(|line| line.starts_with("| peers: ")).count();
        let summary = if measured { format!("{rows} rows") } else { last_words(&said, ended) };
        Ok(self.finding(verdict, with_death(&summary, ended), said))
    }
}

/// What a program's end says, and what it had said by then.
fn verdict(ended: Ended, wrong: bool) -> Verdict {
    match ended {
        _ if wrong => Verdict::Wrong,
        Ended::Exit(status) if status.success() => Verdict::Right,
        Ended::Exit(_) => Verdict::Wrong,
        Ended::OutOfTime | Ended::Silent | Ended::Stopped => Verdict::Cut,
    }
}

fn with_death(summary: &str, ended: Ended) -> String {
    ended.death().map_or_else(|| summary.to_owned(), |death| format!("the program died ({death}); {summary}"))
}

/// Why a program failed, or what it says at the end: behind a table that was cut short, how many rows there are.
fn last_words(said: &str, ended: Ended) -> String {
    let mut lines = said.lines().rev().filter(|line| !line.trim().is_empty());
    let failed = matches!(ended, Ended::Exit(status) if !status.success());
    let error = if failed { lines.clone().find(|line| line.starts_with("error: ")) } else { None };
    match error.or_else(|| lines.next()) {
        None => "it said nothing".to_owned(),
        Some(line) if line.starts_with('|') => {
            let rows = said.lines().filter(|line| line.starts_with('|')).count();
            format!("{} rows", rows.saturating_sub(2))
        }
        Some(line) => line.trim().to_owned(),
    }
}

fn code(text: &str) -> String {
    format!("```text\n{}\n```\n", text.trim_end())
}

/// How many tests came out how.
fn sum(all: &[(String, Outcome)]) -> (Verdict, String) {
    let count = |is: fn(&Outcome) -> bool| all.iter().filter(|(_, outcome)| is(outcome)).count();
    let counts = [
        (count(|outcome| *outcome == Outcome::Passed), "passed"),
        (count(|outcome| matches!(outcome, Outcome::Failed(_))), "failed"),
        (count(|outcome| matches!(outcome, Outcome::Died(..))), "died"),
        (count(|outcome| matches!(outcome, Outcome::Hung(_))), "did not end"),
        (count(|outcome| *outcome == Outcome::NotReached), "not reached"),
        (count(|outcome| *outcome == Outcome::Ignored), "ignored"),
    ];
    let [_, failed, died, hung, not_reached, _] = counts.map(|(count, _)| count);
    let verdict = match (failed + died, hung + not_reached) {
        (0, 0) => Verdict::Right,
        (0, _) => Verdict::Cut,
        _ => Verdict::Wrong,
    };
    let words: Vec<_> = counts
        .iter()
        .enumerate()
        .filter(|(n, (count, _))| *n == 0 || *count > 0)
        .map(|(_, (count, word))| format!("{count} {word}"))
        .collect();
    (verdict, format!("{} tests: {}", all.len(), words.join(", ")))
}

/// The tests that have not passed, and why.
fn told(all: &[(String, Outcome)]) -> String {
    /// Of the tests that were not reached, so many are named.
    const SHOWN: usize = 20;
    let mut text = String::new();
    for (name, outcome) in all {
        let _ = match outcome {
            Outcome::Passed | Outcome::Ignored | Outcome::NotReached => Ok(()),
            Outcome::Hung(time) => writeln!(text, "- {name}: did not end in {} s", time.as_secs()),
            Outcome::Failed(said) => writeln!(text, "- {name}: failed\n\n{}", code(ends(said))),
            Outcome::Died(how, said) => writeln!(text, "- {name}: died ({how})\n\n{}", code(ends(said))),
        };
    }
    let missed = all.iter().filter(|(_, outcome)| *outcome == Outcome::NotReached);
    let names: Vec<_> = missed.map(|(name, _)| name.as_str()).collect();
    if !names.is_empty() {
        let more = names.len().saturating_sub(SHOWN);
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        let _ = writeln!(text, "- not reached: {}{more}", names[..names.len().min(SHOWN)].join("; "));
    }
    text
}

/// The first 3,000 characters or so: a test that compares many says it of each.
fn ends(said: &str) -> &str {
    let end = said.char_indices().map(|(at, _)| at).take_while(|at| *at <= 3000).last().unwrap_or(0);
    if said.len() <= 3000 { said } else { &said[..end] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapters(names: &[&str]) -> Vec<Adapter> {
        let line = |name: &&str| format!("{name} (Vulkan, DiscreteGpu)");
        Adapter::list(&names.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    #[test]
    fn tests_are_for_every_adapter_and_tables_for_the_best() {
        let jobs = Job::all(&[Part::Tests, Part::Table], &adapters(&["a", "b", "c"]));
        let titles: Vec<_> = jobs.iter().map(Job::title).collect();
        let of = |name| format!("tests, {name} (Vulkan, DiscreteGpu)");
        assert_eq!(titles, [of("a"), of("b"), of("c"), "table".to_owned()]);
        let weights: Vec<_> = jobs.iter().map(|job| job.weight / f64::from(job.part.weight())).collect();
        assert_eq!(weights, [0.5, 0.25, 0.25, 1.0]);
        assert!(Job::all(&Part::ALL, &[]).is_empty());
    }

    #[test]
    fn one_failure_is_wrong_and_what_was_not_reached_is_told() {
        let outcomes = |some: &[Outcome]| -> Vec<_> {
            some.iter().enumerate().map(|(n, outcome)| (format!("gpu, t{n}"), outcome.clone())).collect()
        };
        let passed = outcomes(&[Outcome::Passed, Outcome::Passed]);
        assert_eq!(sum(&passed), (Verdict::Right, "2 tests: 2 passed".to_owned()));
        assert_eq!(told(&passed), "");
        let cut = outcomes(&[Outcome::Passed, Outcome::NotReached, Outcome::Hung(Duration::from_secs(9))]);
        assert_eq!(sum(&cut), (Verdict::Cut, "3 tests: 1 passed, 1 did not end, 1 not reached".to_owned()));
        assert_eq!(told(&cut), "- gpu, t2: did not end in 9 s\n- not reached: gpu, t1\n");
        let all_cut = told(&outcomes(&vec![Outcome::NotReached; 25]));
        assert!(all_cut.contains("gpu, t19, and 5 more") && !all_cut.contains("t20"), "{all_cut}");
        let died = Outcome::Died("signal: 6".into(), "lost".into());
        let bad = outcomes(&[Outcome::Failed("why".into()), died, Outcome::NotReached]);
        assert_eq!(sum(&bad).0, Verdict::Wrong);
        for part in ["t0: failed\n\n```text\nwhy\n```", "t1: died (signal: 6)\n\n```text\nlost\n```"] {
            assert!(told(&bad).contains(part), "{}", told(&bad));
        }
    }

    #[test]
    fn what_was_wrong_by_then_is_wrong() {
        assert_eq!(verdict(Ended::OutOfTime, false), Verdict::Cut);
        assert_eq!(verdict(Ended::OutOfTime, true), Verdict::Wrong);
    }

    #[test]
    fn a_program_is_summed_up_by_its_last_words() {
        let table = "error: a driver's\n| a |\n| - |\n| 1 |\n| 2 |\n";
        assert_eq!(last_words(table, Ended::OutOfTime), "2 rows");
        assert_eq!(last_words(&format!("{table}\n2 rows: 1 met\n\n"), Ended::OutOfTime), "2 rows: 1 met");
        assert_eq!(last_words("\n", Ended::OutOfTime), "it said nothing");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_fails_says_why() {
        let failed = Ended::Exit(std::os::unix::process::ExitStatusExt::from_raw(256));
        assert_eq!(last_words("error: a driver's\nerror: no option\n\nusage\n", failed), "error: no option");
    }

    #[test]
    fn what_a_test_said_is_cut_between_letters() {
        assert_eq!(ends("short"), "short");
        let long = "ö".repeat(2000);
        assert!(ends(&long).len() <= 3000 && long.starts_with(ends(&long)));
    }
}
