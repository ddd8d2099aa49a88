//! The folder that was carried here: its programs, and what they are told and say.

use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::machine::Adapter;
use crate::process::{self, Ended, Limits};

/// The commit that the kit was built from.
pub const COMMIT: &str = match option_env!("WGPU_CLAMP_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

/// Where everything is, and how long there is.
#[derive(Debug)]
pub struct Kit {
    /// Of this program.
    pub folder: PathBuf,
    /// Where the report goes.
    pub report: PathBuf,
    /// When everything began.
    pub begun: Instant,
    /// For everything.
    pub time: Duration,
    /// Set by Ctrl-C.
    pub stop: Arc<AtomicBool>,
    /// What is not to be told, and what stands in its place.
    private: Vec<(String, &'static str)>,
}

impl Kit {
    /// Makes the folder of the report: `out`, or one that is not there yet, so that no earlier report is lost.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub fn open(folder: &Path, out: Option<&Path>, time: Duration, stop: Arc<AtomicBool>) -> Result<Self> {
        let report = out.map_or_else(|| free(folder), Path::to_owned);
        let raw = report.join("raw");
        fs::create_dir_all(&raw).with_context(|| {
            format!("cannot make {}; `--out DIR` names another place for the report", raw.display())
        })?;
        // Programs run elsewhere.
        let report = std::path::absolute(report)?;
        let home = ["HOME", "USERPROFILE"].into_iter().filter_map(|name| std::env::var(name).ok());
        let places = [folder, &report].into_iter().map(|path| path.display().to_string());
        let mut private: Vec<_> =
            places.map(|place| (place, "KIT")).chain(home.map(|home| (home, "HOME"))).collect();
        // `/` alone says nothing of anybody, and is in every path.
        private.retain(|(text, _)| text.len() > 1);
        Ok(Self { folder: folder.to_owned(), report, begun: Instant::now(), time, stop, private })
    }

    /// How long there still is.
    pub fn left(&self) -> Duration {
        self.time.saturating_sub(self.begun.elapsed())
    }

    /// A program of the kit, for one adapter.
    pub fn program(&self, name: &str, adapter: Option<&Adapter>) -> Command {
        let program = self.folder.join("bin").join(name).with_extension(std::env::consts::EXE_EXTENSION);
        let mut command = Command::new(program);
        self.prepare(&mut command);
        if let Some(adapter) = adapter {
            command
                .env("WGPU_BACKEND", adapter.backend.to_lowercase())
                .env("WGPU_ADAPTER_NAME", &adapter.name);
        }
        command
    }

    /// What every program is told: nothing that somebody once set on this machine.
    pub fn prepare(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            let ours = ["WGPU_CLAMP_", "PROPTEST_", "RUST_"];
            if name.to_str().is_some_and(|name| ours.iter().any(|prefix| name.starts_with(prefix))) {
                command.env_remove(name);
            }
        }
        command
            .env_remove("WGPU_ADAPTER_NAME")
            .env("WGPU_CLAMP_COMMIT", COMMIT)
            .env("WGPU_CLAMP_DATA", self.folder.join("data"))
            // There is no source to keep a failing case beside: the test prints it.
            .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
            .current_dir(self.report.join("raw"));
        // Without it, as for root, Wayland's library calls an error what is none.
        if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
            command.env("XDG_RUNTIME_DIR", self.report.join("raw"));
        }
    }

    /// Runs a command, shows that time passes, and gives what it said, which `raw/LOG.txt` keeps.
    ///
    /// # Errors
    ///
    /// The program cannot start, or its output not be kept.
    pub fn run(
        &self,
        command: &mut Command,
        title: &str,
        log: &str,
        limits: Limits,
    ) -> Result<(Ended, String)> {
        let file = self.report.join("raw").join(format!("{}.txt", log.replace("::", ".")));
        let mut shown = Duration::ZERO;
        let terminal = std::io::stdout().is_terminal();
        let ended = process::run(command, &file, limits, &self.stop, |taken| {
            let pause = Duration::from_secs(if terminal { 1 } else { 60 });
            if taken < shown + pause {
                return;
            }
            shown = taken;
            let limit =
                if limits.total > self.time { String::new() } else { format!(" of {}", clock(limits.total)) };
            let line = format!("{}  {title}: {}{limit}", self.clock(), clock(taken));
            if terminal {
                print!("\r{line:<78}");
                let _ = std::io::stdout().flush();
            } else {
                println!("{line}");
            }
        })?;
        if terminal {
            print!("\r{:<78}\r", "");
        }
        let said = String::from_utf8_lossy(&fs::read(&file)?).into_owned();
        let told = self.without_places(&said);
        if told != said {
            fs::write(&file, &told)?;
        }
        Ok((ended, told))
    }

    /// Without the places of this machine, which name its user.
    pub fn without_places(&self, text: &str) -> String {
        self.private.iter().fold(text.to_owned(), |text, (place, name)| text.replace(place, name))
    }

    /// How much of the time is over.
    pub fn clock(&self) -> String {
        format!("[{} of {}]", clock(self.begun.elapsed()), clock(self.time))
    }
}

/// Minutes and seconds.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// `report`, or `report-2` and so on.
fn free(folder: &Path) -> PathBuf {
    let names = std::iter::once("report".to_owned()).chain((2_u32..).map(|n| format!("report-{n}")));
    let mut free = names.map(|name| folder.join(name)).filter(|path| !path.exists());
    free.next().expect("a number is free")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kit(folder: &Path) -> Kit {
        Kit::open(folder, None, Duration::from_secs(60), Arc::default()).unwrap()
    }

    #[test]
    fn no_report_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<_> = (0..3).map(|_| kit(folder.path()).report).collect();
        let names: Vec<_> = names.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["report", "report-2", "report-3"]);
    }

    #[test]
    fn the_places_of_a_machine_stay_there() {
        let folder = tempfile::tempdir().unwrap();
        let kit = kit(folder.path());
        let home = std::env::var("HOME").or_else(|_| std::env::var("USERPROFILE")).unwrap();
        let text = format!("cannot open {}/data, {home}/.cache", folder.path().display());
        assert_eq!(kit.without_places(&text), "cannot open KIT/data, HOME/.cache");
    }

    #[test]
    fn times_are_minutes_and_seconds() {
        assert_eq!(clock(Duration::from_millis(61_900)), "1:01");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_program_says_is_kept_without_places() {
        let folder = tempfile::tempdir().unwrap();
        let kit = kit(folder.path());
        let mut command = Command::new("sh");
        command.args(["-c", "pwd"]);
        kit.prepare(&mut command);
        let (ended, said) =
            kit.run(&mut command, "a shell", "a::b", Limits::total(Duration::from_secs(60))).unwrap();
        assert!(ended.is_success());
        assert_eq!(said, "KIT/report/raw\n");
        assert_eq!(fs::read_to_string(kit.report.join("raw/a.b.txt")).unwrap(), said);
    }
}
