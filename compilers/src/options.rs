//! The command line.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};

use crate::budget;

/// The compilers that `--only` knows.
const COMPILERS: [&str; 6] = ["spirv-val", "glslang", "tint", "dxc", "execute", "aco"];

/// Translates every module to SPIR-V, GLSL, HLSL and MSL, as wgpu does, and runs the compilers that are there.
///
/// `cargo xtask shaders` writes the modules, installs what the compilers need and gives `--shaders`, `--tint` and `--dxc`.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Options {
    #[command(subcommand)]
    pub other: Option<Other>,
    /// Takes every pipeline through the slow compilers too (AMD's, Microsoft's), instead of one module per arithmetic and
    /// kernel.
    #[arg(long)]
    pub all: bool,
    /// Takes every Nth of these pipelines, and every Nth case of `execute`.
    #[arg(long, value_name = "N", default_value = "1", value_parser = every)]
    pub every: usize,
    /// Runs this compiler alone; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(COMPILERS))]
    only: Vec<String>,
    /// A family of AMD's GPUs as `RADV_FORCE_FAMILY` names it; may be repeated.
    #[arg(long = "family", value_name = "NAME", default_values = ["vega10", "navi10", "navi21", "gfx1100"])]
    pub families: Vec<String>,
    /// The folder of list.json and of the modules in WGSL; the other languages are written beside them.
    #[arg(long, value_name = "DIR", default_value = "target/shaders")]
    pub shaders: PathBuf,
    /// The folder of tint.mjs and of the npm package `webgpu`.
    #[arg(long, value_name = "DIR")]
    pub tint: Option<PathBuf>,
    /// The file libdxcompiler.so.
    #[arg(long, value_name = "FILE")]
    pub dxc: Option<PathBuf>,
}

/// Jobs beside the compilers.
#[derive(Debug, Subcommand)]
pub enum Other {
    Budget(budget::Options),
    /// Answers as AMD's compiler: the program starts itself once per family.
    #[command(hide = true)]
    Aco,
}

impl Options {
    /// Whether a compiler is to be asked.
    pub fn asks(&self, compiler: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == compiler)
    }
}

fn every(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|every| *every > 0).ok_or_else(|| "a number above 0 is needed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, clap::Error> {
        Options::try_parse_from(["compilers"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn compilers_are_asked_by_name() {
        let options = parse("--every 3 --only dxc --only=aco").unwrap();
        assert!(options.asks("dxc") && options.asks("aco") && !options.asks("tint"));
        assert_eq!((options.every, options.families.len()), (3, 4));
        assert_eq!(parse("--family navi21").unwrap().families, ["navi21"]);
        assert!(parse("").unwrap().asks("tint"));
        for line in ["--only fxc", "--every 0"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn figures_are_kept_of_all_rows_and_families() {
        let budget = |line: &str| {
            parse(&format!("budget {line}")).map(|options| match options.other {
                Some(Other::Budget(options)) => options,
                other => panic!("{other:?}"),
            })
        };
        let options = budget("--write").unwrap();
        assert!(options.write && options.families == ["navi21", "gfx1100", "vega10"]);
        assert_eq!(budget("--family navi10").unwrap().families, ["navi10"]);
        for line in ["--write --only f16", "--write --family navi21"] {
            assert!(budget(line).is_err(), "{line}");
        }
    }
}
