//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Puts every kernel that a row of the benchmark runs through AMD's compiler, for GPUs that need not be there.
///
/// A loop counts once, so kernels with a loop (Exact steps of floats) take more than the table says. The program needs
/// Mesa's RADV and a Vulkan loader; on Linux, `cargo xtask shaders --budget` installs both.
#[derive(Debug, Parser)]
pub struct Options {
    /// Only rows whose section, name or dtype contains this, in any case.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// A family of GPUs as `RADV_FORCE_FAMILY` names it; may be repeated.
    #[arg(long = "family", value_name = "NAME", default_values = ["navi21", "gfx1100", "vega10"])]
    pub families: Vec<String>,
    /// The instructions per byte of the first family as a picture.
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Keeps the figures, instead of failing where they differ from the kept ones. Figures of another driver version are
    /// not compared, and a line says so.
    #[arg(long, conflicts_with_all = ["only", "families"])]
    pub write: bool,
    /// Compiles what lies there, and nothing else: the program starts itself once per family.
    #[arg(long, hide = true)]
    pub compile: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_kept_of_all_rows_and_families() {
        let parse = |line: &str| Options::try_parse_from(["budget"].into_iter().chain(line.split(' ')));
        let options = parse("--write").unwrap();
        assert!(options.write && options.families == ["navi21", "gfx1100", "vega10"]);
        assert_eq!(parse("--family navi10").unwrap().families, ["navi10"]);
        for line in ["--write --only f16", "--write --family navi21"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
