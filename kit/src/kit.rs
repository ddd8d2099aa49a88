//! The kit's folder: its programs, their environment and their output.

use std::fs;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::machine::Adapter;
use crate::process::{self, Ended, Limits};

/// The commit that the kit was built from.
pub const COMMIT: &str = match option_env!("WGPU_CLAMP_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

/// The kit's folders and its time.
#[derive(Debug)]
pub struct Kit {
    /// The folder of this program.
    pub folder: PathBuf,
    /// The folder of the report.
    pub report: PathBuf,
    pub begun: Instant,
    /// The time for the whole run.
    pub time: Duration,
    /// Set by Ctrl-C and other signals.
    pub stop: Arc<AtomicBool>,
    /// Private paths, and the words that replace them.
    private: Vec<(String, &'static str)>,
}

impl Kit {
    /// Makes the folder of the report: `out`, or a new one, so that no earlier report is lost.
    pub fn open(folder: &Path, out: Option<&Path>, time: Duration, stop: Arc<AtomicBool>) -> Result<Self> {
        let report = out.map_or_else(|| free(folder), Path::to_owned);
        ensure!(
            !report.join("report.md").exists(),
            "{} has a report already; `--out DIR` needs another folder",
            report.display()
        );
        let raw = report.join("raw");
        fs::create_dir_all(&raw).with_context(|| {
            format!("cannot make {}; `--out DIR` names another place for the report", raw.display())
        })?;
        // Absolute, because programs run in another folder.
        let report = std::path::absolute(report)?;
        let home = ["HOME", "USERPROFILE"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
        let places = [folder.to_owned(), report.clone()].map(|place| (place, "KIT"));
        let places = places.into_iter().chain(home.map(|home| (home, "HOME")));
        let mut private: Vec<_> =
            places.flat_map(|(place, name)| spellings(&place).map(move |text| (text, name))).collect();
        // `/` alone is not private, and it is in every path.
        private.retain(|(text, _)| text.len() > 1);
        Ok(Self { folder: folder.to_owned(), report, begun: Instant::now(), time, stop, private })
    }

    /// The time that is left.
    pub fn left(&self) -> Duration {
        self.time.saturating_sub(self.begun.elapsed())
    }

    /// A command for a program of the kit, on `adapter` if given.
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

    /// Sets a program's variables and folder. Removes this machine's variables for wgpu and for tests, and keeps those
    /// that choose a driver or its libraries.
    pub fn prepare(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            let read = ["WGPU_", "PROPTEST_", "RUST_"];
            if name.to_str().is_some_and(|name| read.iter().any(|prefix| name.starts_with(prefix))) {
                command.env_remove(name);
            }
        }
        command
            .env("WGPU_CLAMP_COMMIT", COMMIT)
            .env("WGPU_CLAMP_DATA", self.folder.join("data"))
            // There is no source folder to keep a failing case in. The test prints the case.
            .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
            .current_dir(self.report.join("raw"));
        // If this variable is unset, as for root, Wayland's library reports an error although nothing is wrong.
        if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
            command.env("XDG_RUNTIME_DIR", self.report.join("raw"));
        }
    }

    /// Runs a command, shows the passing time, and returns the output, which `raw/LOG.txt` keeps too.
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
                show(&format!("\r{line:<78}"));
            } else {
                show(&format!("{line}\n"));
            }
        })?;
        if terminal {
            show(&format!("\r{:<78}\r", ""));
        }
        let said = String::from_utf8_lossy(&fs::read(&file)?).into_owned();
        let told = self.without_places(&said);
        if told != said {
            fs::write(&file, &told)?;
        }
        Ok((ended, told))
    }

    /// Replaces the paths of the kit and of the user's home, in all known spellings.
    pub fn without_places(&self, text: &str) -> String {
        self.private.iter().fold(text.to_owned(), |text, (place, name)| text.replace(place, name))
    }

    /// The elapsed time and the whole time.
    pub fn clock(&self) -> String {
        format!("[{} of {}]", clock(self.begun.elapsed()), clock(self.time))
    }
}

/// Writes to the terminal. Ignores errors such as a closed terminal after a lost connection: the report matters more.
pub fn show(text: &str) {
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Spellings of a path: as given and with links resolved, each plain, with escaped backslashes and with slashes.
fn spellings(place: &Path) -> impl Iterator<Item = String> + use<> {
    let real = fs::canonicalize(place).unwrap_or_else(|_| place.to_owned());
    let plain = [place.to_owned(), real].map(|path| {
        let path = path.display().to_string();
        path.strip_prefix(r"\\?\").unwrap_or(&path).to_owned()
    });
    plain.into_iter().flat_map(|text| [text.replace('\\', r"\\"), text.replace('\\', "/"), text])
}

/// A duration as minutes and seconds.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// The first of `report`, `report-2` and so on that does not exist.
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
    fn a_folder_with_a_report_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let open = |out: &Path| Kit::open(folder.path(), Some(out), Duration::ZERO, Arc::default());
        let out = folder.path().join("mine");
        assert!(open(&out).is_ok() && open(&out).is_ok(), "an empty folder is as good as none");
        fs::write(out.join("report.md"), "dear").unwrap();
        let error = open(&out).unwrap_err().to_string();
        assert!(error.contains("mine") && error.contains("has a report"), "{error}");
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
    fn a_place_is_known_however_it_is_written() {
        let windows: Vec<_> = spellings(Path::new(r"\\?\C:\Users\Ann")).collect();
        for text in [r"C:\Users\Ann", r"C:\\Users\\Ann", "C:/Users/Ann"] {
            assert!(windows.iter().any(|known| known == text), "{text} is not among {windows:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_place_behind_a_link_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        fs::create_dir(folder.path().join("place")).unwrap();
        std::os::unix::fs::symlink("place", &link).unwrap();
        let real = fs::canonicalize(&link).unwrap();
        let text = format!("{} {}", link.display(), real.display());
        assert_eq!(kit(&link).without_places(&text), "KIT KIT");
    }

    /// Runs in a process of its own, with other variables.
    #[test]
    fn what_was_set_for_wgpu_is_taken_away() {
        const CHILD: &str = "KIT_TEST_CHILD";
        if std::env::var_os(CHILD).is_none() {
            let name = "kit::tests::what_was_set_for_wgpu_is_taken_away";
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", name]).env(CHILD, "1");
            for name in ["WGPU_DX12_COMPILER", "WGPU_BACKEND", "WGPU_CLAMP_ADAPTER", "PROPTEST_CASES"] {
                child.env(name, "1");
            }
            let output = child.output().unwrap();
            assert!(output.status.success(), "{output:?}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("program");
        kit(folder.path()).prepare(&mut command);
        let value = |name: &str| command.get_envs().find(|(key, _)| *key == name).map(|(_, value)| value);
        for name in ["WGPU_DX12_COMPILER", "WGPU_BACKEND", "WGPU_CLAMP_ADAPTER", "PROPTEST_CASES"] {
            assert_eq!(value(name), Some(None), "{name} stays");
        }
        assert_eq!(value("WGPU_CLAMP_COMMIT"), Some(Some(COMMIT.as_ref())));
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
