//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

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
    /// Reads the arguments that follow the program's name.
    ///
    /// # Errors
    ///
    /// An unknown option or compiler, or a value that is missing.
    pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Self> {
        let mut options = Self { every: 1, ..Self::default() };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let name = arg.to_str().unwrap_or_default();
            let mut value = || args.next().with_context(|| format!("`{name}` needs a value"));
            let text = |value: OsString| value.to_string_lossy().into_owned();
            match name {
                "--help" | "-h" => options.help = true,
                "--all" => options.all = true,
                "--child" => options.child = true,
                "--every" => {
                    let every = text(value()?);
                    let number = every.parse().ok().filter(|number| *number > 0);
                    options.every =
                        number.with_context(|| format!("`--every` is 1 or more, not `{every}`"))?;
                }
                "--only" => options.only.push(text(value()?)),
                "--family" => options.families.push(text(value()?)),
                "--shaders" => options.shaders = value()?.into(),
                "--tint" => options.tint = Some(value()?.into()),
                "--dxc" => options.dxc = Some(value()?.into()),
                _ => bail!("there is no option `{}`; `--help` shows those that there are", arg.display()),
            }
        }
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
