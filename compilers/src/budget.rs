//! Compiles every kernel of the benchmark's rows with AMD's compiler and counts instructions.
//!
//! Nothing runs on a GPU and no kernel is timed, so every run gives the same counts.

mod figures;
mod plot;
mod rows;
mod table;

use std::path::PathBuf;

use anyhow::Result;

use figures::Family;

/// Compiles every kernel of the benchmark's rows with AMD's compiler. No GPU is needed.
///
/// A loop counts once, so kernels with a loop (Exact steps of floats) take more than the table says. The program needs
/// Mesa's RADV and a Vulkan loader; on Linux, `cargo xtask shaders --budget` installs both.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only rows whose section, name or dtype contains this, in any case.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// A family of GPUs as `RADV_FORCE_FAMILY` names it; may be repeated.
    #[arg(long = "family", value_name = "NAME", default_values = ["navi21", "gfx1100", "vega10"])]
    pub families: Vec<String>,
    /// Draws the instructions per byte of the first family.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Writes the figures to budget/figures.tsv. Without this, fails where they differ from that file, unless the file
    /// has figures of another driver version: then a line says that nothing is compared.
    #[arg(long, conflicts_with_all = ["only", "families"])]
    pub write: bool,
}

/// Prints the tables. Returns whether the figures are those of figures.tsv.
pub fn run(options: &Options) -> Result<bool> {
    let rows = rows::rows(options.only.clone())?;
    let families = options.families.iter().map(|name| Family::of(name, &rows)).collect::<Result<Vec<_>>>()?;
    for family in &families {
        println!("{}", table::markdown(family, &rows));
    }
    if let Some(path) = &options.plot {
        plot::draw(path, &families[0], &rows)?;
    }
    if options.write {
        return figures::write(&families).map(|()| true);
    }
    figures::check(&families, options.only.is_some())
}
