//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

/// What `--help` prints.
pub const USAGE: &str = "\
Puts every kernel that a row of the benchmark runs through AMD's compiler, for GPUs that need not be there.

    --only TEXT      only rows whose section, name or dtype contains TEXT
    --family NAME    of GPUs, as RADV_FORCE_FAMILY names it; may be repeated [navi21, gfx1100, vega10]
    --plot FILE.svg  instructions per byte as a picture, of the first family
    --write          keeps the figures, instead of failing where they differ from those that were kept; where
                     these are of another version of the driver, nothing is compared, and a line says so

What is in a loop counts once, so that kernels with a loop (Exact steps of floats, pictures whose planes lie off
packets) take more than the table says.

It needs Mesa's RADV and a Vulkan loader; on Linux, `cargo xtask shaders --budget` installs both.
";

/// What was asked for.
#[derive(Debug, Default)]
pub struct Options {
    /// Only print [`USAGE`].
    pub help: bool,
    /// What a row must contain, in lower case.
    pub only: Option<String>,
    /// Of GPUs.
    pub families: Vec<String>,
    /// Where the picture goes.
    pub plot: Option<PathBuf>,
    /// Keep the figures.
    pub write: bool,
    /// Compile what lies there, and nothing else: for the program itself, which starts once for each family.
    pub compile: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments that follow the program's name.
    ///
    /// # Errors
    ///
    /// An unknown option, or a value that is missing.
    pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let name = arg.to_str().unwrap_or_default();
            let mut value = || args.next().with_context(|| format!("`{name}` needs a value"));
            let text = |value: OsString| value.to_string_lossy().into_owned();
            match name {
                "--help" | "-h" => options.help = true,
                "--write" => options.write = true,
                "--only" => options.only = Some(text(value()?).to_lowercase()),
                "--family" => options.families.push(text(value()?)),
                "--plot" => options.plot = Some(value()?.into()),
                "--compile" => options.compile = Some(value()?.into()),
                _ => bail!("there is no option `{}`; `--help` shows those that there are", arg.display()),
            }
        }
        if options.write && (options.only.is_some() || !options.families.is_empty()) {
            bail!(
                "`--write` keeps the figures of all rows and families: it goes without `--only` and `--family`"
            );
        }
        if options.families.is_empty() {
            options.families = ["navi21", "gfx1100", "vega10"].map(str::to_owned).into();
        }
        Ok(options)
    }
}
