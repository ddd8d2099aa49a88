//! The command line.

use std::path::PathBuf;

use anyhow::{Result, bail, ensure};
use lexopt::Arg::{Long, Short};
use lexopt::ValueExt as _;

/// What `--help` prints.
pub const USAGE: &str = "\
Translates every module to SPIR-V, GLSL, HLSL and MSL, as wgpu does, and runs the compilers that are there.

    --all            every pipeline through the slow compilers too (AMD's, Microsoft's), instead of one module of each
                     arithmetic and kernel
    --every N        every Nth of these pipelines through the slow compilers, every Nth of the cases that `execute` runs
    --only NAME      this compiler alone, may be repeated: spirv-val, glslang, tint, dxc, execute, aco
    --family NAME    of AMD's GPUs, as RADV_FORCE_FAMILY names it; may be repeated [vega10, navi10, navi21, gfx1100]

`cargo xtask shaders` writes the modules, installs what the compilers need and says where they are:

    --shaders DIR    list.json and the modules in WGSL; the other languages are written beside them
    --tint DIR       where tint.mjs and the npm package `webgpu` are
    --dxc FILE       libdxcompiler.so
";

/// The names that `--only` knows.
const COMPILERS: [&str; 6] = ["spirv-val", "glslang", "tint", "dxc", "execute", "aco"];

/// What was asked for.
#[derive(Debug, Default)]
pub struct Options {
    /// Only print [`USAGE`].
    pub help: bool,
    /// Every pipeline, for slow compilers as well.
    pub all: bool,
    /// Through slow compilers, each so many-th of those.
    pub every: usize,
    /// Of GPUs.
    pub families: Vec<String>,
    /// Where the modules are.
    pub shaders: PathBuf,
    /// Where Tint's script is.
    pub tint: Option<PathBuf>,
    /// Where Microsoft's library is.
    pub dxc: Option<PathBuf>,
    /// Let AMD's compiler do its part and nothing else: for the program itself, which starts once for each family.
    pub child: bool,
    only: Vec<String>,
}

impl Options {
    /// Reads what `parser` was given.
    ///
    /// # Errors
    ///
    /// An unknown option or compiler, or a value that is missing or wrong.
    pub fn parse(mut parser: lexopt::Parser) -> Result<Self> {
        let mut options = Self { every: 1, ..Self::default() };
        while let Some(arg) = parser.next()? {
            match arg {
                Short('h') | Long("help") => options.help = true,
                Long("all") => options.all = true,
                Long("child") => options.child = true,
                Long("every") => options.every = parser.value()?.parse()?,
                Long("only") => options.only.push(parser.value()?.string()?),
                Long("family") => options.families.push(parser.value()?.string()?),
                Long("shaders") => options.shaders = parser.value()?.into(),
                Long("tint") => options.tint = Some(parser.value()?.into()),
                Long("dxc") => options.dxc = Some(parser.value()?.into()),
                _ => return Err(arg.unexpected().into()),
            }
        }
        ensure!(options.every > 0, "`--every` is 1 or more");
        if let Some(unknown) = options.only.iter().find(|name| !COMPILERS.contains(&name.as_str())) {
            bail!("there is no compiler `{unknown}`; there are {}", COMPILERS.join(", "));
        }
        if options.families.is_empty() {
            options.families = ["vega10", "navi10", "navi21", "gfx1100"].map(str::to_owned).into();
        }
        Ok(options)
    }

    /// Whether a compiler is to be asked.
    pub fn asks(&self, compiler: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == compiler)
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
        let options = parse("--all --every 3 --only dxc --only=aco --shaders a --tint b --dxc c").unwrap();
        assert!(options.all && options.every == 3 && !options.help && !options.child);
        assert!(options.asks("dxc") && options.asks("aco") && !options.asks("tint"));
        assert_eq!(options.shaders, PathBuf::from("a"));
        assert_eq!((options.tint, options.dxc), (Some("b".into()), Some("c".into())));
        assert_eq!(options.families, ["vega10", "navi10", "navi21", "gfx1100"]);
        assert_eq!(parse("--child --family navi21").unwrap().families, ["navi21"]);
        assert!(parse("").unwrap().asks("tint") && parse("-h").unwrap().help);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, part) in [
            ("--what", "--what"),
            ("word", "word"),
            ("--only", "--only"),
            ("--only fxc", "`fxc`"),
            ("--every x", "x"),
            ("--every 0", "1 or more"),
        ] {
            let error = parse(line).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
