//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::first::Side;

/// What `--help` prints.
pub const USAGE: &str = "\
Measures wgpu-clamp on one device, ours and theirs in turns, and prints a table in markdown.

    --quick          smaller tensors, fewer rounds
    --only TEXT      only rows whose section, name or dtype contains TEXT
    --rounds N       how many rounds
    --size MIB       the size of the large tensors
    --json FILE      all figures, for programs
    --plot FILE.svg  the ratios as a picture
    --minutes N      begins no row after so long; what was measured by then is written
    --growth         also time against size, rank, clamps in a pass and host memory; with --plot, one picture each

In place of the table:

    --layouts        a sweep of the layouts that users bring, each beside a copy and a plain kernel, at 16 and 64 MiB
                     (on a GPU at 64 and 256): ns per element and ratios; with --plot, one picture of all
    --first          the time to a first result: `prepare` and the first dispatch, with the caches off of drivers that
                     can be told so (those of Linux)
    --from FILE      takes a file of --json, of this machine or another one, into benches/RESULTS.md; may be repeated
    --into FILE.md   another page for --from, which draws its pictures beside the page

The adapter is the fastest, or what WGPU_BACKEND and WGPU_ADAPTER_NAME say. A wrong result ends in failure; a
slow one does not.
";

/// What was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only print [`USAGE`].
    pub help: bool,
    /// Smaller tensors, fewer rounds.
    pub quick: bool,
    /// What a row must contain, in lower case.
    pub only: Option<String>,
    /// How many rounds.
    pub rounds: Option<usize>,
    /// Bytes of the large tensors.
    pub size: Option<u64>,
    /// After how many minutes no row begins any more.
    pub minutes: Option<usize>,
    /// Where the figures go.
    pub json: Option<PathBuf>,
    /// Where the picture goes.
    pub plot: Option<PathBuf>,
    /// Also time against size, rank and count.
    pub growth: bool,
    /// What is done.
    pub task: Task,
    /// The page that files are taken into.
    pub into: Option<PathBuf>,
}

/// What the program does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// Measures the table.
    #[default]
    Table,
    /// Measures the sweep of layouts.
    Layouts,
    /// Measures the time to a first result.
    First,
    /// Takes one sample of it, of this job: for the program itself, which starts a process for each.
    FirstSample(usize, Side),
    /// Takes files of `--json` into a page.
    Record(Vec<PathBuf>),
}

impl Task {
    /// Whether an option that there is means something to it.
    fn takes(&self, option: &str) -> bool {
        let measures = matches!(self, Self::Table | Self::Layouts | Self::First);
        match option {
            "--growth" => *self == Self::Table,
            "--quick" | "--size" | "--plot" => matches!(self, Self::Table | Self::Layouts),
            "--only" | "--rounds" | "--minutes" | "--json" => measures,
            "--into" => matches!(self, Self::Record(_)),
            _ => true,
        }
    }

    /// The option that asks for it.
    const fn option(&self) -> &'static str {
        match self {
            Self::Table => "the table",
            Self::Layouts => "`--layouts`",
            Self::First => "`--first`",
            Self::FirstSample(..) => "`--first-sample`",
            Self::Record(_) => "`--from`",
        }
    }
}

impl Options {
    /// Reads the arguments that follow the program's name.
    ///
    /// # Errors
    ///
    /// An unknown option, or a value that is missing or no number.
    pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.into_iter();
        let mut given = Vec::new();
        while let Some(arg) = args.next() {
            let name = arg.to_str().unwrap_or_default();
            given.push(name.to_owned());
            let mut value = || args.next().with_context(|| format!("`{name}` needs a value"));
            match name {
                "--help" | "-h" => options.help = true,
                "--quick" => options.quick = true,
                "--growth" => options.growth = true,
                "--layouts" => options.ask(Task::Layouts)?,
                "--first" => options.ask(Task::First)?,
                "--first-sample" => options.ask(sample(&value()?)?)?,
                "--from" => match &mut options.task {
                    Task::Record(files) => files.push(value()?.into()),
                    _ => options.ask(Task::Record(vec![value()?.into()]))?,
                },
                "--into" => options.into = Some(value()?.into()),
                "--only" => options.only = Some(value()?.to_string_lossy().to_lowercase()),
                "--rounds" => options.rounds = Some(number(name, &value()?)?),
                "--minutes" => options.minutes = Some(number(name, &value()?)?),
                "--size" => options.size = Some((number(name, &value()?)? as u64) << 20),
                "--json" => options.json = Some(value()?.into()),
                "--plot" => options.plot = Some(value()?.into()),
                _ => bail!("there is no option `{}`\n\n{USAGE}", arg.display()),
            }
        }
        if let Some(plot) = options.plot.as_ref().filter(|plot| plot.extension().is_none_or(|e| e != "svg")) {
            bail!("`--plot` draws SVG, so name a file that ends in .svg, not `{}`", plot.display());
        }
        if let Some(other) = given.iter().find(|name| !options.task.takes(name)) {
            bail!("`{other}` means nothing to {}", options.task.option());
        }
        Ok(options)
    }

    /// Whether a row of that description is asked for.
    #[must_use]
    pub fn wants(&self, description: &str) -> bool {
        self.only.as_ref().is_none_or(|only| description.to_lowercase().contains(only))
    }

    fn ask(&mut self, task: Task) -> Result<()> {
        if self.task != Task::Table {
            bail!("{} goes without {}", task.option(), self.task.option());
        }
        self.task = task;
        Ok(())
    }
}

/// `3:Ours`: the number of a job, and who compiles.
fn sample(value: &OsString) -> Result<Task> {
    let parts = value.to_str().and_then(|text| text.split_once(':'));
    let side = parts.and_then(|(_, side)| {
        [Side::Ours, Side::Plain].into_iter().find(|known| format!("{known:?}") == side)
    });
    let job = parts.and_then(|(job, _)| job.parse().ok());
    let (job, side) = job.zip(side).with_context(|| format!("`{}` is no sample", value.display()))?;
    Ok(Task::FirstSample(job, side))
}

fn number(name: &str, value: &OsString) -> Result<usize> {
    let number = value.to_str().and_then(|text| text.parse().ok()).filter(|number| *number > 0);
    number.with_context(|| format!("`{name}` needs a number above 0, not `{}`", value.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn all_options_at_once() {
        let options =
            parse("--quick --only F16 --rounds 7 --minutes 9 --size 2 --json a --plot b.svg --growth")
                .unwrap();
        let expected = Options {
            help: false,
            quick: true,
            only: Some("f16".into()),
            rounds: Some(7),
            minutes: Some(9),
            size: Some(2 << 20),
            json: Some("a".into()),
            plot: Some("b.svg".into()),
            growth: true,
            ..Options::default()
        };
        assert_eq!(options, expected);
        assert_eq!(parse("").unwrap(), Options::default());
    }

    #[test]
    fn what_is_done_in_place_of_the_table() {
        assert_eq!(parse("--layouts").unwrap().task, Task::Layouts);
        assert_eq!(parse("--first --rounds 1").unwrap().task, Task::First);
        assert_eq!(parse("--first-sample 3:Plain").unwrap().task, Task::FirstSample(3, Side::Plain));
        let options = parse("--from a --from b --into c.md").unwrap();
        assert_eq!(options.task, Task::Record(vec!["a".into(), "b".into()]));
        assert_eq!(options.into, Some("c.md".into()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, named) in [
            ("--fast", "`--fast`"),
            ("--rounds", "`--rounds` needs a value"),
            ("--rounds 0", "`0`"),
            ("--size many", "`many`"),
            ("--plot a.gif", "`a.gif`"),
            ("--layouts --first", "`--layouts`"),
            ("--growth --layouts", "`--growth`"),
            ("--first --plot a.svg", "`--plot`"),
            ("--first --quick", "`--quick`"),
            ("--from a --only b", "`--only`"),
            ("--into a.md", "`--into`"),
            ("--from a --layouts", "`--from`"),
            ("--first-sample 3", "`3`"),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }
}
