//! Tries wgpu-clamp on the GPUs of a machine that has a driver and nothing else: `./run --help`.
//!
//! `run` starts the programs beside it, one after the other, and outlives them. `cargo xtask kit` makes the folder.

#![forbid(unsafe_code)]

mod finding;
mod jobs;
mod judge;
mod kit;
mod machine;
mod options;
mod process;
mod report;
mod suite;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Parser as _;

use finding::{Finding, Verdict};
use jobs::{Job, LEAST, limit};
use kit::{Kit, clock, show};
use machine::{Adapter, BACKENDS};
use options::Options;
use process::{Ended, Limits};
use report::Head;

/// How long a driver may take to list its adapters.
const LOOK: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The signals that end a run early; it still leaves a report. A closed terminal sends `SIGHUP`, which does not end a
/// run that `nohup` started.
fn signals() -> impl Iterator<Item = i32> {
    #[cfg(unix)]
    let hang_up = Some(signal_hook::consts::SIGHUP).filter(|signal| !machine::ignores(*signal));
    #[cfg(not(unix))]
    let hang_up = None;
    [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM].into_iter().chain(hang_up)
}

/// Runs the parts. Returns whether something ran, nothing was wrong and nothing failed.
fn run(options: &Options) -> Result<bool> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in signals() {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let program = std::env::current_exe()?;
    let folder = program.parent().context("this program is in no folder")?;
    let kit = Kit::open(folder, options.out.as_deref(), options.time, stop)?;
    let head = look(&kit, options.adapter.as_deref());
    let mut findings = Vec::new();
    report::write(&kit, &head, &findings)?;
    for adapter in &head.adapters {
        show(&format!("{}, driver {}\n", adapter.title(), adapter.driver));
    }
    for note in &head.notes {
        show(&format!("{note}\n"));
    }

    let jobs = Job::all(&options.parts(), &head.adapters);
    for (n, job) in jobs.iter().enumerate() {
        let weights: Vec<_> = jobs[n..].iter().map(|job| job.weight).collect();
        let finding = run_job(&kit, job, limit(kit.left(), &weights));
        let line = format!("{}  {}: {}\n", kit.clock(), finding.title, finding.line());
        findings.push(finding);
        report::write(&kit, &head, &findings)?;
        show(&line);
    }
    show(&format!("\nThe report: {}\n", kit.report.join("report.md").display()));
    let wrong = findings.iter().any(|finding| matches!(finding.verdict, Verdict::Wrong | Verdict::Failed));
    let ran = findings.iter().any(|finding| finding.verdict != Verdict::NotRun);
    Ok(ran && !wrong)
}

/// Runs a part, if there is time.
fn run_job(kit: &Kit, job: &Job, limit: Duration) -> Finding {
    if kit.stop.load(Ordering::Relaxed) {
        return Finding::new(&job.title(), Verdict::NotRun, "the run was stopped", "");
    }
    if limit < LEAST {
        return Finding::new(&job.title(), Verdict::NotRun, "the time was over", "");
    }
    show(&format!("{}  {}: at most {}\n", kit.clock(), job.title(), clock(limit)));
    let begun = Instant::now();
    let finding = job.run(kit, limit);
    Finding { took: begun.elapsed(), ..finding }
}

/// Finds the adapters of this machine. Each backend is asked in a process of its own, because the driver may crash.
fn look(kit: &Kit, wanted: Option<&str>) -> Head {
    let mut found = Vec::new();
    let mut notes = Vec::new();
    let stopped = || kit.stop.load(Ordering::Relaxed);
    for backend in BACKENDS {
        let mut command = kit.program("doctor", None);
        command.env("WGPU_BACKEND", backend).arg("--list");
        let log = format!("adapters-{backend}");
        match kit.run(&mut command, &log, &log, Limits::total(LOOK.min(kit.time))) {
            Ok((Ended::Stopped, _)) => break,
            Ok((ended, said)) => {
                found.extend(Adapter::list(&said));
                match ended.death() {
                    Some(death) => {
                        notes.push(format!("{backend}: the driver died when it was asked ({death})"));
                    }
                    None if !matches!(ended, Ended::Exit(_)) => {
                        notes.push(format!("{backend}: the driver did not answer"));
                    }
                    None => {}
                }
            }
            Err(error) => notes.push(format!("{backend}: {error:#}")),
        }
    }
    let (adapters, left_out) = Adapter::choose(found, wanted);
    if stopped() {
        notes.push("the run was stopped while drivers were asked for their adapters".to_owned());
    } else if adapters.is_empty() {
        notes.push(match wanted {
            Some(wanted) if !left_out.is_empty() => {
                format!("no adapter's line contains {wanted:?}, so nothing ran")
            }
            _ => format!(
                "no adapter for {}: nothing could be tried. A driver is needed (on Linux, Mesa's are \
                 mesa-vulkan-drivers in Debian and Ubuntu)",
                BACKENDS.join(", ")
            ),
        });
    }
    let now = time::OffsetDateTime::now_utc();
    let date = format!("{} {:02}:{:02} UTC", now.date(), now.hour(), now.minute());
    Head { date, facts: machine::facts(), adapters, left_out, notes }
}
