//! Compiles every kernel of the benchmark's rows, but for its layouts, with AMD's compiler and counts instructions: `cargo xtask
//! budget`.
//!
//! Nothing runs on a GPU and no kernel is timed, so every run gives the same counts. A loop's body counts once, so kernels
//! with a loop (Exact steps of floats) take more than the table says.

mod aco;
mod figures;
mod rows;
mod table;

use std::env;
use std::process::{Command, ExitCode};

use anyhow::{Result, ensure};
use clap::Parser;

/// Prints instructions, registers and compile times of the benchmark's rows, without its layouts, as AMD's compiler in Mesa's
/// RADV makes them for a GPU that is not there.
#[derive(Parser)]
#[command(name = "cargo xtask budget")]
struct Options {
    /// Only rows whose section, name or dtype contains this, in any case.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// The family of GPUs, as `RADV_FORCE_FAMILY` names it.
    #[arg(long, value_name = "NAME", default_value = "navi21")]
    family: String,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The variable that tells this program that its environment is prepared.
const PREPARED: &str = "WGPU_CLAMP_BUDGET";

fn run(options: &Options) -> Result<()> {
    if env::var_os(PREPARED).is_none() {
        // The driver reads the family from the environment, which a program cannot safely change for itself.
        let driver = aco::driver()?;
        let mut again = Command::new(env::current_exe()?);
        again.args(env::args_os().skip(1)).env(PREPARED, "1");
        again.env("VK_ICD_FILENAMES", &driver).env("VK_DRIVER_FILES", &driver);
        again.env("RADV_FORCE_FAMILY", &options.family).env("MESA_SHADER_CACHE_DISABLE", "true");
        let status = again.status()?;
        ensure!(status.success(), "no figures for `--family {}`: {status}", options.family);
        return Ok(());
    }
    let rows = rows::rows(&options.only)?;
    let compiler = aco::Compiler::open()?;
    println!("{}\n\n{}", compiler.name, table::markdown(&figures::figures(&compiler, &rows)?, &rows));
    Ok(())
}
