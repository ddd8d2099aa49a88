//! Runs a program that may crash, hang or never stop, for a limited time. Its output goes to a file.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// The pause between two looks at a program.
const TICK: Duration = Duration::from_millis(50);

/// How long a killed program may take to go. A driver may hold a program in the kernel.
const FAREWELL: Duration = Duration::from_secs(5);

/// How long a program may run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most time in all.
    pub total: Duration,
    /// The most time without a byte of output.
    pub silence: Duration,
}

impl Limits {
    /// A limit of the whole time only.
    pub fn total(total: Duration) -> Self {
        Self { total, silence: Duration::MAX }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The program ended by itself.
    Exit(ExitStatus),
    /// Killed at its limit.
    OutOfTime,
    /// Killed after it was silent for too long.
    Silent,
    /// Killed with the whole run.
    Stopped,
}

impl Ended {
    pub fn is_success(self) -> bool {
        matches!(self, Self::Exit(status) if status.success())
    }

    /// The signal, or the exit code that no program chooses, in words. `None` if the program did not crash.
    pub fn death(self) -> Option<String> {
        let Self::Exit(status) = self else { return None };
        match status.code() {
            // Rust's programs end with 0, 1, 2 or, after a panic, with 101; Windows' exceptions are far above.
            Some(code) if (0..=125).contains(&code) => None,
            _ => Some(status.to_string()),
        }
    }
}

/// Runs `command` in a process group of its own, which ends with it, and writes its output to `output`. Calls `tick` with
/// the time taken so far. Begins nothing once `stop` is set.
pub fn run(
    command: &mut Command,
    output: &Path,
    limits: Limits,
    stop: &AtomicBool,
    mut tick: impl FnMut(Duration),
) -> Result<Ended> {
    let file = File::create(output).with_context(|| output.display().to_string())?;
    let both = file.try_clone().with_context(|| output.display().to_string())?;
    if stop.load(Ordering::Relaxed) {
        return Ok(Ended::Stopped);
    }
    command.stdin(Stdio::null()).stdout(file).stderr(both);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child =
        command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let started = Instant::now();
    let (mut heard, mut bytes) = (started, 0);
    let ended = loop {
        if let Some(status) = child.try_wait()? {
            break Ended::Exit(status);
        }
        let now = Instant::now();
        let size = output.metadata().map_or(bytes, |file| file.len());
        if size != bytes {
            (heard, bytes) = (now, size);
        }
        if stop.load(Ordering::Relaxed) {
            break Ended::Stopped;
        } else if now - started >= limits.total {
            break Ended::OutOfTime;
        } else if now - heard >= limits.silence {
            break Ended::Silent;
        }
        tick(now - started);
        sleep(TICK);
    };
    kill(&mut child);
    Ok(ended)
}

/// Ends a program and all programs that it started.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
        // The group may be empty.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    #[cfg(windows)]
    if matches!(child.try_wait(), Ok(None)) {
        let id = child.id().to_string();
        let _ = Command::new("taskkill").args(["/F", "/T", "/PID", &id]).output();
    }
    let _ = child.kill();
    let started = Instant::now();
    while started.elapsed() < FAREWELL && matches!(child.try_wait(), Ok(None)) {
        sleep(TICK);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    /// Runs a line of shell and returns its output too.
    fn shell(line: &str, limits: Limits, stop: &AtomicBool) -> (Ended, String) {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("output");
        let ended = run(Command::new("sh").args(["-c", line]), &output, limits, stop, |_| {}).unwrap();
        (ended, fs::read_to_string(output).unwrap())
    }

    const LONG: Limits = Limits { total: Duration::from_secs(60), silence: Duration::MAX };

    #[test]
    fn a_program_that_ends_is_heard_out() {
        let go_on = AtomicBool::new(false);
        let (ended, said) = shell("echo out; echo err >&2", LONG, &go_on);
        assert!(ended.is_success() && ended.death().is_none());
        assert_eq!(said, "out\nerr\n");
        let (ended, _) = shell("exit 1", LONG, &go_on);
        assert!(!ended.is_success() && ended.death().is_none());
    }

    #[test]
    fn a_crash_is_told_from_a_failure() {
        let (ended, said) = shell("echo before; kill -SEGV $$", LONG, &AtomicBool::new(false));
        assert!(ended.death().unwrap().contains("signal: 11"), "{ended:?}");
        assert_eq!(said, "before\n");
    }

    #[test]
    fn a_program_that_hangs_ends_with_all_that_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        // The inner program ignores requests to end, and would keep its parent's output open.
        let line = format!("echo begun; (trap '' TERM; sleep 50) & echo $! > {}; sleep 50", pid.display());
        let limits = Limits::total(Duration::from_millis(500));
        let started = Instant::now();
        let (ended, said) = shell(&line, limits, &AtomicBool::new(false));
        assert_eq!((ended, said.as_str()), (Ended::OutOfTime, "begun\n"));
        assert!(started.elapsed() < Duration::from_secs(20));
        let pid = fs::read_to_string(pid).unwrap().trim().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        // A killed process stays in the list until its new parent asks for its status.
        let is_there = || rustix::process::test_kill_process(pid).is_ok() && !is_dead(pid);
        for _ in 0..100 {
            if is_there() {
                sleep(TICK);
            }
        }
        assert!(!is_there(), "the process that the program started lives on");
    }

    /// Whether a process has ended, and no parent has asked for its status.
    fn is_dead(pid: rustix::process::Pid) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        stat.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
    }

    #[test]
    fn a_stopped_program_hangs_too() {
        let limits = Limits::total(Duration::from_millis(500));
        let (ended, _) = shell("kill -STOP $$", limits, &AtomicBool::new(false));
        assert_eq!(ended, Ended::OutOfTime);
    }

    #[test]
    fn silence_has_a_limit_of_its_own() {
        let limits = Limits { total: Duration::from_secs(60), silence: Duration::from_secs(2) };
        let talk = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done";
        assert!(shell(talk, limits, &AtomicBool::new(false)).0.is_success());
        assert_eq!(shell("echo 1; sleep 50", limits, &AtomicBool::new(false)).0, Ended::Silent);
    }

    #[test]
    fn whoever_stops_the_run_stops_the_program() {
        let stop = AtomicBool::new(false);
        let output = tempfile::NamedTempFile::new().unwrap();
        let halt = |_| stop.store(true, Ordering::Relaxed);
        let ended = run(Command::new("sleep").arg("50"), output.path(), LONG, &stop, halt).unwrap();
        assert_eq!(ended, Ended::Stopped);
    }

    #[test]
    fn nothing_begins_in_a_run_that_was_stopped() {
        let output = tempfile::NamedTempFile::new().unwrap();
        let mut command = Command::new("/no/such/program");
        let ended = run(&mut command, output.path(), LONG, &AtomicBool::new(true), |_| {}).unwrap();
        assert_eq!(ended, Ended::Stopped);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("/no/such/program");
        let output = folder.path().join("output");
        let error = run(&mut command, &output, LONG, &AtomicBool::new(false), |_| {}).unwrap_err();
        assert!(error.to_string().contains("/no/such/program"), "{error}");
    }
}
