//! `cargo xtask mutants`: whether the self-test notices small faults in the shaders.

mod change;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::cli::{self, Words};
use crate::drivers::{self, Api};
use crate::steps::{cargo, root};
use change::Change;

/// The command.
pub const COMMAND: cli::Command = cli::Command {
    name: "mutants",
    usage: "
    cargo xtask mutants [--count N] [--first K] [--only TEXT]
        Changes the shaders, one small fault at a time, in a copy of the repository, and runs the self-test until it
        notices; prints what it does not notice. N of all changes (100 if not given), evenly spread from the K-th on,
        of fragments whose path contains TEXT. A minute each; ten where nothing is noticed.
",
    task: |words| {
        let options = options(words)?;
        Ok(Box::new(move || run(&options)))
    },
};

fn options(words: Words) -> Result<Options> {
    let mut options = Options::default();
    let words = words.all();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || {
            let value = words.next().and_then(|value| value.to_str());
            value.with_context(|| format!("`{}` needs a value", word.display()))
        };
        let number = |text: &str| text.parse().with_context(|| format!("`{text}` is no number"));
        match word.to_str() {
            Some("--count") => options.count = number(value()?)?,
            Some("--first") => options.first = number(value()?)?,
            Some("--only") => value()?.clone_into(&mut options.only),
            _ => bail!("`mutants` has no argument `{}`", word.display()),
        }
    }
    Ok(options)
}

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// How many of all changes, evenly spread.
    pub count: usize,
    /// Where in the list the first one lies.
    pub first: usize,
    /// What the path of a fragment must contain.
    pub only: String,
}

impl Default for Options {
    fn default() -> Self {
        Self { count: 100, first: 0, only: String::new() }
    }
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// An element differed.
    Noticed,
    /// A case could not be run, or the driver died.
    Broke,
    /// The program did not end in several times the time that it takes for the unchanged shaders.
    Endless,
    /// WGSL refuses it: no fault that could be there.
    Refused,
    /// Nothing was noticed.
    Survived,
}

const VERDICTS: [Verdict; 5] =
    [Verdict::Noticed, Verdict::Broke, Verdict::Endless, Verdict::Refused, Verdict::Survived];

/// Changes fragments, one change at a time, in a copy of the repository, and runs the self-test there.
///
/// # Errors
///
/// A change went unnoticed that [`EXPLAINED`] does not list, or the unchanged shaders fail.
pub fn run(options: &Options) -> Result<()> {
    let root = root()?;
    drivers::ensure(&[Api::Vulkan])?;
    let tree = root.join("target/mutants/tree");
    copy(root, &tree)?;
    let all = changes(&tree.join("shaders"), &options.only)?;
    ensure!(!all.is_empty(), "no fragment's path contains `{}`", options.only);
    let count = options.count.min(all.len());
    println!("{} changes are possible; {count} are tried", all.len());

    println!("unchanged");
    let started = Instant::now();
    // The build, too, is in that.
    let verdict = hunt(&tree, Duration::MAX)?;
    let limit = 3 * started.elapsed() + Duration::from_secs(60);
    ensure!(verdict == Verdict::Survived, "with unchanged shaders: {verdict:?}");
    let mut verdicts = Vec::new();
    for n in 0..count {
        let change = &all[(options.first + n * all.len() / count) % all.len()];
        let text = fs::read_to_string(&change.file).with_context(|| change.to_string())?;
        fs::write(&change.file, change.apply(&text))?;
        let started = Instant::now();
        let verdict = hunt(&tree, limit);
        fs::write(&change.file, &text)?;
        let verdict = verdict?;
        println!("{} of {count}, {verdict:?} in {} s: {change}", n + 1, started.elapsed().as_secs());
        verdicts.push((change, verdict));
    }
    println!("\n{count} changes");
    for wanted in VERDICTS {
        println!("{:>5} {wanted:?}", verdicts.iter().filter(|(_, verdict)| *verdict == wanted).count());
    }
    let mut unexplained = 0;
    for (change, _) in verdicts.iter().filter(|(_, verdict)| *verdict == Verdict::Survived) {
        let why =
            EXPLAINED.lines().find_map(|line| line.strip_prefix(&change.to_string())?.strip_prefix(": "));
        unexplained += usize::from(why.is_none());
        println!("survived: {change}\n    {}", why.unwrap_or("NOT EXPLAINED"));
    }
    let possible: Vec<_> = all.iter().map(Change::to_string).collect();
    let stale = |line: &&str| !possible.iter().any(|change| line.starts_with(&format!("{change}: ")));
    // Of the fragments that were not left out.
    if options.only.is_empty()
        && let Some(line) = EXPLAINED.lines().find(stale)
    {
        bail!("mutants/explained.txt explains what is no possible change: {line}");
    }
    ensure!(unexplained == 0, "{unexplained} changes survived without an explanation");
    Ok(())
}

/// Survivors that change nothing that could be seen here, a line each: the change as printed, a colon and why.
const EXPLAINED: &str = include_str!("mutants/explained.txt");

/// Builds the program of the proof in `tree`, and runs it until an element differs, or `limit` has passed.
fn hunt(tree: &Path, limit: Duration) -> Result<Verdict> {
    let mut build = cargo(&["build", "--quiet", "--release", "--package", "clamp-proof"]);
    build.current_dir(tree).env("CARGO_TARGET_DIR", tree.with_file_name("build"));
    ensure!(build.status()?.success(), "clamp-proof does not build in {}", tree.display());
    let mut program = Command::new(tree.with_file_name("build").join("release/clamp-proof"));
    program.arg("hunt").env("WGPU_BACKEND", "vulkan").stdout(Stdio::null());
    let mut child = program.spawn()?;
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(Verdict::Endless);
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    // As its `--help` says.
    Ok(match status.code() {
        Some(0) => Verdict::Survived,
        Some(2) => Verdict::Noticed,
        Some(3) => Verdict::Refused,
        _ => Verdict::Broke,
    })
}

/// All changes of all fragments below `dir`.
fn changes(dir: &Path, only: &str) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            changes.extend(self::changes(&path, only)?);
        } else if path.extension().is_some_and(|extension| extension == "wgsl")
            && path.to_string_lossy().contains(only)
        {
            changes.extend(Change::all(&path, &fs::read_to_string(&path)?));
        }
    }
    Ok(changes)
}

/// Makes `tree` what git has of the repository, leaving files alone that are the same: cargo looks at their times.
fn copy(root: &Path, tree: &Path) -> Result<()> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output()?;
    ensure!(output.status.success(), "git does not know the files of {}", root.display());
    let shaders = tree.join("shaders");
    if shaders.exists() {
        // A fragment that is gone would survive.
        fs::remove_dir_all(&shaders)?;
    }
    for name in String::from_utf8_lossy(&output.stdout).split('\0').filter(|name| !name.is_empty()) {
        let (from, to) = (root.join(name), tree.join(name));
        let text = fs::read(&from).with_context(|| from.display().to_string())?;
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::create_dir_all(to.parent().context("a file lies in a directory")?)?;
            fs::write(&to, text).with_context(|| to.display().to_string())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_options_are_read() {
        let parse = |line| options(Words::typed(line));
        let asked = Options { count: 7, first: 3, only: "kernel/".to_owned() };
        assert_eq!(parse("--only kernel/ --count 7 --first 3").unwrap(), asked);
        assert_eq!(parse("").unwrap(), Options::default());
        for (line, part) in [("--count", "`--count`"), ("--first x", "`x`"), ("all", "`all`")] {
            assert!(parse(line).unwrap_err().to_string().contains(part), "{line}");
        }
    }
}
