//! The command line.

use std::path::PathBuf;

use anyhow::{Result, bail};
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt as _;

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
    /// Reads what `parser` was given.
    ///
    /// # Errors
    ///
    /// An unknown option, a value that is missing, or options that exclude each other.
    pub fn parse(mut parser: lexopt::Parser) -> Result<Self> {
        let mut options = Self::default();
        while let Some(arg) = parser.next()? {
            match arg {
                Short('h') | Long("help") => options.help = true,
                Long("write") => options.write = true,
                Long("only") => options.only = Some(parser.value()?.string()?.to_lowercase()),
                Long("family") => options.families.push(parser.value()?.string()?),
                Long("plot") => options.plot = Some(parser.value()?.into()),
                Long("compile") => options.compile = Some(parser.value()?.into()),
                _ => return Err(arg.unexpected().into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        Options::parse(lexopt::Parser::from_args(line.split_whitespace()))
    }

    #[test]
    fn every_option() {
        let options = parse("--only F16 --family navi10 --plot a.svg").unwrap();
        assert_eq!((options.only.as_deref(), options.plot), (Some("f16"), Some("a.svg".into())));
        assert_eq!(options.families, ["navi10"]);
        let options = parse("--write").unwrap();
        assert!(options.write && options.families == ["navi21", "gfx1100", "vega10"]);
        assert_eq!(parse("--compile b").unwrap().compile, Some("b".into()));
        assert!(parse("-h").unwrap().help);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, part) in [
            ("--what", "--what"),
            ("word", "word"),
            ("--plot", "--plot"),
            ("--write --only f16", "`--only`"),
            ("--write --family navi21", "`--family`"),
        ] {
            let error = parse(line).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
