//! What AMD's compiler makes of every kernel that a row of the benchmark runs, and what a roofline makes of that.
//!
//! Nothing runs on a GPU, and nothing is timed: instructions are counted, so that two runs agree to the last one.

mod figures;
mod plot;
mod roofline;
mod rows;
mod table;

use std::path::PathBuf;

use anyhow::Result;

use figures::Family;

/// Puts every kernel that a row of the benchmark runs through AMD's compiler, for GPUs that need not be there.
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
    /// The instructions per byte of the first family as a picture.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Keeps the figures, instead of failing where they differ from the kept ones. Figures of another driver version are
    /// not compared, and a line says so.
    #[arg(long, conflicts_with_all = ["only", "families"])]
    pub write: bool,
}

/// Whether the figures are those of the file.
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
