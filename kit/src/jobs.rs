//! Runs each part of the kit.

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::finding::{Finding, Verdict};
use crate::judge;
use crate::kit::Kit;
use crate::machine::Adapter;
use crate::options::Part;
use crate::process::Limits;
use crate::suite::{self, Outcome, Results};

/// A job with less time measures a quick table.
const WHOLE_TABLE: Duration = Duration::from_secs(8 * 60);

/// A job with less time does not begin.
pub const LEAST: Duration = Duration::from_secs(5);

/// One part on one adapter.
#[derive(Clone, Debug)]
pub struct Job {
    pub part: Part,
    pub adapter: Adapter,
    /// The adapter's number from 1, for file names.
    number: usize,
    /// Its share of the time.
    pub weight: f64,
}

impl Job {
    /// All jobs, the most worthwhile first. `adapters` begin with the best one.
    pub fn all(parts: &[Part], adapters: &[Adapter]) -> Vec<Self> {
        let jobs = parts.iter().flat_map(|&part| {
            let count = if part.is_for_each_adapter() { adapters.len() } else { adapters.len().min(1) };
            adapters.iter().take(count).zip(1..).map(move |(adapter, number)| {
                // The best adapter gets as much time as all others together.
                let share = match (count as u32, number) {
                    (1, _) => 1.0,
                    (_, 1) => 0.5,
                    (others, _) => 0.5 / f64::from(others - 1),
                };
                Self { part, adapter: adapter.clone(), number, weight: f64::from(part.weight()) * share }
            })
        });
        jobs.collect()
    }

    /// The part and, if several adapters run it, the adapter.
    pub fn title(&self) -> String {
        if self.part.is_for_each_adapter() {
            format!("{}, {}", self.part.name(), self.adapter.title())
        } else {
            self.part.name()
        }
    }

    /// Runs the job for at most `time`.
    pub fn run(&self, kit: &Kit, time: Duration) -> Finding {
        self.result(kit, time)
            .unwrap_or_else(|error| Finding::new(&self.title(), Verdict::Failed, format!("{error:#}"), ""))
    }

    fn tests(&self, kit: &Kit, time: Duration) -> Finding {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let (mut all, mut notes, mut broke) = (Vec::new(), Vec::new(), false);
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
                broke: true,
                ..Results::default()
            });
            broke |= results.broke;
            notes.extend(results.notes.iter().map(|note| format!("; {program}: {note}")));
            let named = |(name, outcome)| (format!("{program}, {name}"), outcome);
            all.extend(results.tests.into_iter().map(named));
        }
        let (verdict, summary) = judge::tests(&all, broke);
        Finding::new(&self.title(), verdict, summary + &notes.concat(), told(&all))
    }

    fn result(&self, kit: &Kit, time: Duration) -> Result<Finding> {
        let (program, args): (_, &[&str]) = match self.part {
            Part::Tests => return Ok(self.tests(kit, time)),
            Part::Doctor => ("doctor", &["--", &self.adapter.name]),
            Part::Table => ("clamp-bench", &["--json", "table.json", "--plot", "table.svg"]),
            Part::Layouts => {
                ("clamp-bench", &["--layouts", "--json", "layouts.json", "--plot", "layouts.svg"])
            }
            Part::First => ("clamp-bench", &["--first", "--json", "first.json"]),
            Part::Patterns => ("clamp-proof", &["patterns"]),
            Part::Peers => match python() {
                Some(python) => (python, &["--json", "peers.json"]),
                None => {
                    return Ok(Finding::new(&self.title(), Verdict::NotRun, "there is no Python here", ""));
                }
            },
        };
        let mut command = if self.part == Part::Peers {
            let mut command = Command::new(program);
            kit.prepare(&mut command);
            command.arg(kit.folder.join("torch_cupy.py"));
            command
        } else {
            kit.program(program, Some(&self.adapter))
        };
        command.args(args);
        // Files go beside the report, where its sender finds them.
        if self.part != Part::Doctor {
            command.current_dir(&kit.report);
        }
        if self.part == Part::Peers && kit.report.join("table.json").exists() {
            command.args(["--ours", "table.json"]);
        }
        if program == "clamp-bench" {
            // `--first` has no quick form.
            if time < WHOLE_TABLE && self.part != Part::First {
                command.arg("--quick");
            }
            // Whole minutes, minus one for the last row and the files. Tables take half of them to compare results.
            let minutes =
                (time.as_secs() / 60).saturating_sub(1) / if self.part == Part::First { 1 } else { 2 };
            command.args(["--minutes", &minutes.max(1).to_string()]);
        }
        let log = match self.part {
            Part::Doctor => format!("doctor-{}", self.number),
            part => part.name(),
        };
        let (ended, said) = kit.run(&mut command, &self.title(), &log, Limits::total(time))?;
        let (verdict, summary) = match self.part {
            Part::Doctor => judge::doctor(&said, ended, &self.adapter),
            Part::Patterns => judge::patterns(&said, ended),
            Part::Peers => judge::peers(&said, ended),
            _ => judge::bench(&said, ended),
        };
        let details = if self.part == Part::Doctor { code(&said) } else { said };
        Ok(Finding::new(&self.title(), verdict, summary, details))
    }
}

/// The name of Python.
fn python() -> Option<&'static str> {
    let names = if cfg!(windows) { ["python", "py"] } else { ["python3", "python"] };
    names
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|said| said.status.success()))
}

fn code(text: &str) -> String {
    format!("```text\n{}\n```\n", text.trim_end())
}

/// The first job's share of the time that is left, by its weight among `weights`, the weights of all jobs that have not
/// begun. A job that hangs takes no more than its share. Time that a job leaves unused goes to all later jobs.
pub fn limit(left: Duration, weights: &[f64]) -> Duration {
    match weights {
        [] => Duration::ZERO,
        // Without a division, so that the last job gets all of it, to the nanosecond.
        [_] => left,
        [first, ..] => left.mul_f64(first / weights.iter().sum::<f64>()),
    }
}

/// The tests that did not pass, and why.
fn told(all: &[(String, Outcome)]) -> String {
    /// Number of unreached tests that are named.
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

/// About the first 3,000 bytes: a test that compares many elements prints each difference.
fn ends(said: &str) -> &str {
    let end = said.char_indices().map(|(at, _)| at).take_while(|at| *at <= 3000).last().unwrap_or(0);
    if said.len() <= 3000 { said } else { &said[..end] }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

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
        assert!(Job::all(Part::value_variants(), &[]).is_empty());
    }

    #[test]
    fn tests_that_have_not_passed_are_told() {
        let outcomes = |some: &[Outcome]| -> Vec<_> {
            some.iter().enumerate().map(|(n, outcome)| (format!("gpu, t{n}"), outcome.clone())).collect()
        };
        assert_eq!(told(&outcomes(&[Outcome::Passed, Outcome::Passed])), "");
        let cut = outcomes(&[Outcome::Passed, Outcome::NotReached, Outcome::Hung(Duration::from_secs(9))]);
        assert_eq!(told(&cut), "- gpu, t2: did not end in 9 s\n- not reached: gpu, t1\n");
        let all_cut = told(&outcomes(&vec![Outcome::NotReached; 25]));
        assert!(all_cut.contains("gpu, t19, and 5 more") && !all_cut.contains("t20"), "{all_cut}");
        let died = Outcome::Died("signal: 6".into(), "lost".into());
        let bad = outcomes(&[Outcome::Failed("why".into()), died, Outcome::NotReached]);
        for part in ["t0: failed\n\n```text\nwhy\n```", "t1: died (signal: 6)\n\n```text\nlost\n```"] {
            assert!(told(&bad).contains(part), "{}", told(&bad));
        }
    }

    #[test]
    fn what_a_test_said_is_cut_between_letters() {
        assert_eq!(ends("short"), "short");
        let long = "ö".repeat(2000);
        assert!(ends(&long).len() <= 3000 && long.starts_with(ends(&long)));
    }
    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn the_time_that_a_job_leaves_goes_to_those_behind_it() {
        // The weights, the part of its limit that each job uses, and the limits in minutes. Ten minutes in all.
        let cases: [(&[f64], f64, &[f64]); 4] = [
            (&[3.0, 2.0, 4.0, 1.0], 1.0, &[3.0, 2.0, 4.0, 1.0]),
            (&[1.0, 1.0], 0.5, &[5.0, 7.5]),
            (&[30.0, 20.0], 0.0, &[6.0, 10.0]),
            (&[], 1.0, &[]),
        ];
        for (weights, used, expected) in cases {
            let mut left = 10 * MINUTE;
            for (job, expected) in expected.iter().enumerate() {
                let limit = limit(left, &weights[job..]);
                assert!(
                    limit.abs_diff(MINUTE.mul_f64(*expected)) < Duration::from_micros(1),
                    "{weights:?}: {limit:?}"
                );
                left -= limit.mul_f64(used);
            }
        }
        assert_eq!(limit(Duration::ZERO, &[1.0, 2.0]), Duration::ZERO);
        assert_eq!(limit(MINUTE, &[]), Duration::ZERO);
    }

    #[test]
    fn all_jobs_together_never_get_more_than_there_is() {
        let weights = [30.0, 20.0, 0.5, 5.0];
        for used in [0.0, 0.3, 1.0] {
            let (mut left, mut taken) = (7 * MINUTE, Duration::ZERO);
            for job in 0..weights.len() {
                let used = limit(left, &weights[job..]).mul_f64(used);
                left -= used;
                taken += used;
            }
            assert!(taken <= 7 * MINUTE, "{used}: {taken:?}");
        }
    }
}
