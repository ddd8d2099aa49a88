//! Checks that the self-test's cases, and the samples beside them, notice small faults in the shaders. `cargo xtask mutants`
//! runs it.
//!
//! A change replaces one place in a file of `shaders/` or in the generated part of a module. The changed WGSL of a case is then
//! executed without a device. The buffers and allowed results of a case are computed once.

mod change;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clamp_testing::executed::located::{GENERATED, files, parts};
use clamp_testing::executed::samples::{Sample, on_cpu, samples};
use clamp_testing::executed::{Run, in_parallel};
use clamp_testing::numbers::mix;
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use mimalloc::MiMalloc;
use wgpu_clamp::self_test::Case;

use change::Change;

/// Each change parses, executes and drops modules beside the buffers of all cases, some 9 GB: glibc's allocator took more
/// than half of the time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Plants small faults in the shaders, one at a time, and fails if one is not noticed and not explained.
#[derive(Parser)]
struct Options {
    /// Only changes whose file or line contains one of these texts, separated by commas.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

/// Changes that no case and no sample can notice: a line per change as printed, where `…` is any text, then indented lines with
/// the reason.
const EXPLAINED: &str = include_str!("../explained.txt");

/// The most cases that are tried for an explained change.
const MOST_OF_EXPLAINED: usize = 32;

/// Runs in no clamp. A test of its own guards it: `the_probe_refuses_the_devices_whose_conversions_are_wrong`.
const PROBE: &str = "shaders/probe.wgsl";

/// The outcome of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The sanitizer found something.
    Noticed,
    /// A loop did not end.
    Endless,
    /// WGSL refuses the change.
    Refused,
    /// The change survived or was unmet, and [`EXPLAINED`] says why.
    Explained,
    /// No case has the changed text.
    Unmet,
    /// Nothing was found.
    Survived,
}

const FATES: [Fate; 6] =
    [Fate::Noticed, Fate::Endless, Fate::Refused, Fate::Explained, Fate::Unmet, Fate::Survived];

/// A case with unchanged shaders.
struct Trial {
    run: Run,
    /// The time of its execution.
    cost: Duration,
}

/// A part of modules: a fragment or the text of a piece.
struct Place {
    file: String,
    text: String,
    changes: Vec<Change>,
    /// The runs whose modules contain the text.
    runs: Vec<usize>,
}

/// A change and its runs, the cheapest first. Changes of one kind in several pieces' texts are one mutant, because one
/// line of the generator writes them.
struct Mutant<'a> {
    name: String,
    attempts: Vec<(&'a Place, &'a Change, &'a Trial)>,
}

impl Mutant<'_> {
    fn fate(&self) -> Fate {
        let most = if self.explanation().is_some() { MOST_OF_EXPLAINED } else { usize::MAX };
        for (place, change, trial) in self.attempts.iter().take(most) {
            let (text, changed) = (&*place.text, change.apply(&place.text));
            let mut shaders = trial.run.recording.shaders.clone();
            for shader in &mut shaders {
                shader.wgsl = shader.wgsl.replacen(text, &changed, 1);
            }
            let Ok(verdicts) = trial.run.try_execute(&shaders) else { return Fate::Refused };
            let mut findings = verdicts.iter().flat_map(|verdict| &verdict.findings);
            if let Some(finding) = findings.next() {
                let is_endless = finding.starts_with("loop of more than ");
                return if is_endless { Fate::Endless } else { Fate::Noticed };
            }
        }
        if self.attempts.is_empty() { Fate::Unmet } else { Fate::Survived }
    }

    /// The line of [`EXPLAINED`] that names the mutant.
    fn explanation(&self) -> Option<&'static str> {
        explained().find(|pattern| matches(&self.name, pattern))
    }

    /// The folder of the changed file, for the table.
    fn folder(&self) -> &str {
        let file = self.name.split(':').next().unwrap_or_default();
        file.rsplit_once('/').map_or(file, |(folder, _)| folder)
    }
}

impl fmt::Display for Mutant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, in {} runs", self.name, self.attempts.len())?;
        if let Some((place, change, _)) = self.attempts.first() {
            let Change { line, before, after, .. } = change;
            write!(
                f,
                "\n    {}:{}: `{}`\n    becomes `{}`",
                place.file,
                line + 1,
                before.trim(),
                after.trim()
            )?;
        }
        Ok(())
    }
}

/// The lines of [`EXPLAINED`] that name changes.
fn explained() -> impl Iterator<Item = &'static str> {
    EXPLAINED.lines().filter(|line| !line.starts_with(' '))
}

/// Whether a text matches a pattern; `…` is any text.
fn matches(text: &str, pattern: &str) -> bool {
    match pattern.split_once('…') {
        None => text == pattern,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| matches(&text[at..], rest))
        }),
    }
}

/// Runs [`in_parallel`] with a progress bar.
fn with_bar(count: usize, message: &'static str, work: impl Fn(usize) + Sync) {
    let bar = ProgressBar::new(count as u64).with_message(message);
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos} of {len} {msg}, {eta} left").unwrap());
    in_parallel(count, |n| {
        work(n);
        bar.inc(1);
    });
    bar.finish_and_clear();
}

/// Executes each case and each sample once. The cheapest runs come first.
fn trials() -> Vec<Trial> {
    let (cases, samples) = (Case::all(false), samples());
    let trials = Mutex::new(Vec::new());
    with_bar(cases.len() + samples.len(), "unchanged cases", |n| {
        let recorded = |run: &Run| {
            let started = Instant::now();
            let verdicts = run.execute();
            let cost = started.elapsed();
            trials.lock().unwrap().push(Trial { run: run.clone(), cost });
            verdicts
        };
        let right = match cases.get(n) {
            Some(case) => Sample::of_case(case, n, on_cpu(n)).execute(&recorded),
            None => samples[n - cases.len()].execute(&recorded),
        };
        right.unwrap_or_else(|wrong| panic!("{wrong}"));
    });
    let mut trials = trials.into_inner().unwrap();
    trials.sort_by_key(|trial| trial.cost);
    trials
}

/// All files of `shaders/`, and the generated parts of modules.
fn places(trials: &[Trial]) -> Vec<Place> {
    let mut met: HashMap<(&str, String), BTreeSet<usize>> = HashMap::new();
    for (file, text) in files().iter().filter(|(file, _)| file != PROBE) {
        met.insert((file, text.clone()), BTreeSet::new());
    }
    for (n, trial) in trials.iter().enumerate() {
        for shader in &trial.run.recording.shaders {
            for (file, range) in parts(&shader.wgsl) {
                met.entry((file, shader.wgsl[range].to_owned())).or_default().insert(n);
            }
        }
    }
    let place = |((file, text), runs): ((&str, String), BTreeSet<usize>)| {
        let changes = Change::all(&text);
        Place { file: file.to_owned(), text, changes, runs: runs.into_iter().collect() }
    };
    let mut places: Vec<_> = met.into_iter().map(place).collect();
    places.sort_by(|a, b| (&a.file, &a.text).cmp(&(&b.file, &b.text)));
    places
}

/// All mutants. A fragment gives one for each change; a piece's text gives one change of each kind.
fn mutants<'a>(places: &'a [Place], trials: &'a [Trial]) -> Vec<Mutant<'a>> {
    let mut mutants: BTreeMap<(&str, usize, String), Mutant<'_>> = BTreeMap::new();
    for (n, place) in places.iter().enumerate() {
        let mut by_kind: BTreeMap<(usize, String), Vec<&Change>> = BTreeMap::new();
        for change in &place.changes {
            let kind = if place.file == GENERATED {
                (0, change.kind())
            } else {
                (change.line, format!("`{}` to `{}`", change.before.trim(), change.after.trim()))
            };
            by_kind.entry(kind).or_default().push(change);
        }
        for ((line, kind), changes) in by_kind {
            let change = changes[mix(n as u64) as usize % changes.len()];
            let name = format!("{}: {kind}", place.file);
            let mutant = mutants.entry((&place.file, line, kind));
            let mutant = mutant.or_insert_with(|| Mutant { name, attempts: Vec::new() });
            mutant.attempts.extend(place.runs.iter().map(|&n| (place, change, &trials[n])));
        }
    }
    let mut mutants: Vec<_> = mutants.into_values().collect();
    for mutant in &mut mutants {
        mutant.attempts.sort_by_key(|(_, _, trial)| trial.cost);
    }
    mutants
}

fn main() -> ExitCode {
    let Options { only } = Options::parse();
    let started = Instant::now();
    let trials = trials();
    let places = places(&trials);
    let all = mutants(&places, &trials);
    let is_meant = |mutant: &&Mutant<'_>| only.split(',').any(|text| mutant.name.contains(text));
    let mutants: Vec<_> = all.iter().filter(is_meant).collect();
    if mutants.is_empty() {
        eprintln!("error: no change contains `{only}`");
        return ExitCode::FAILURE;
    }
    println!("{} of {} changes, in {} cases", mutants.len(), all.len(), trials.len());

    let (folders, needed) = (Mutex::new(BTreeMap::new()), Mutex::new(HashSet::new()));
    with_bar(mutants.len(), "changes", |n| {
        let (mutant, mut fate) = (mutants[n], mutants[n].fate());
        if [Fate::Unmet, Fate::Survived].contains(&fate) {
            match mutant.explanation() {
                Some(pattern) => {
                    needed.lock().unwrap().insert(pattern);
                    fate = Fate::Explained;
                }
                None => println!("{fate:?}: {mutant}"),
            }
        }
        let mut folders = folders.lock().unwrap();
        for folder in [mutant.folder(), "in all"] {
            folders.entry(folder).or_insert([0; FATES.len()])[fate as usize] += 1;
        }
    });

    let (folders, needed) = (folders.into_inner().unwrap(), needed.into_inner().unwrap());
    println!("\n{:<24}{}", "", FATES.map(|fate| format!("{:>10}", format!("{fate:?}"))).concat());
    for (folder, counts) in &folders {
        println!("{folder:<24}{}", counts.map(|count| format!("{count:>10}")).concat());
    }
    println!("{} s", started.elapsed().as_secs());
    let idle: Vec<_> = explained().filter(|pattern| only.is_empty() && !needed.contains(pattern)).collect();
    if !idle.is_empty() {
        println!("no surviving change matches these lines of explained.txt: {idle:#?}");
    }
    let unexplained = [Fate::Unmet, Fate::Survived].iter().any(|fate| folders["in all"][*fate as usize] > 0);
    if unexplained || !idle.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
