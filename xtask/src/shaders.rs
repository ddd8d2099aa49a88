//! `cargo xtask shaders`: gives the shaders to other compilers, without a GPU.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::drivers::{self, Api};
use crate::steps::{cargo, root, run as run_command};
use crate::tools::{self, Tool};

/// Writes every module in WGSL, SPIR-V, GLSL, HLSL and MSL into target/shaders, and runs the compilers that are
/// there: spirv-val, glslangValidator, Tint, AMD's ACO, Microsoft's DXC.
///
/// Fails where one refuses something. Linux only; minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Counts the instructions of every row of the benchmark by AMD's compiler, without a GPU. Fails where the counts
    /// are not those of compilers/budget/figures.tsv; `-- --write` keeps new ones.
    #[arg(long, conflicts_with = "show")]
    budget: bool,
    /// Prints the plan and the text of a clamp with scale and bias of 480 x 640 pixels: `'hwc u8 -> chw f16 per channel'`. Layouts: hwc, chw,
    /// bgr, mirrored, rgba, rotated; matrix, transposed.
    #[arg(long, value_name = "MOVEMENT", num_args = 1.., allow_hyphen_values = true)]
    show: Vec<String>,
    /// Arguments of the program, such as `--all` or `--only NAME`; `cargo xtask shaders -- --help` shows them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// # Errors
///
/// A compiler refuses a module, the counts have changed, or the words describe no clamp.
pub fn run(Args { budget, show, args }: &Args) -> Result<()> {
    if !show.is_empty() {
        let mut test = ignored_test("shader::tests::show::a_plan_is_shown")?;
        return run_command(test.env("WGPU_CLAMP_SHOW", show.join(" ")));
    }
    let own = |arg: &&OsString| *arg == "--budget" || *arg == "--show";
    if let Some(own) = args.iter().find(own) {
        bail!("`{}` comes before the program's own arguments", own.display());
    }
    if *budget { count(args) } else { compile(args) }
}

/// Counts instructions: builds the program, optimised, and runs it.
///
/// # Errors
///
/// There is no Vulkan driver, it does not build, or the figures are not those that were kept.
fn count(args: &[OsString]) -> Result<()> {
    // The package of the software drivers has AMD's driver too; lavapipe is the device that plans are made for.
    drivers::ensure(&[Api::Vulkan])?;
    run_command(program("compilers")?.arg("budget").args(args))
}

/// Writes every module in every language and runs each compiler that is there.
///
/// # Errors
///
/// The modules cannot be written, or a compiler refuses one. A missing compiler is a line of the table.
fn compile(args: &[OsString]) -> Result<()> {
    let mut program = program("compilers")?;
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        return run_command(program.args(args));
    }
    let target = root()?.join("target");
    let shaders = target.join("shaders");
    write_modules(&shaders)?;
    program.arg("--shaders").arg(&shaders);

    let only = only(args);
    let asked = |names: &[&str]| only.is_empty() || only.iter().any(|only| names.contains(&only.as_str()));
    // AMD's compiler comes with the drivers.
    if asked(&["aco", "execute"]) {
        or_warn(drivers::ensure(&[Api::Vulkan]));
    }
    for (name, tool) in [("spirv-val", Tool::SpirvVal), ("glslang", Tool::Glslang)] {
        if asked(&[name]) {
            or_warn(tools::ensure(&[tool]));
        }
    }
    if asked(&["tint"])
        && let Some(directory) = or_warn(tint(&target))
    {
        program.arg("--tint").arg(directory);
    }
    if asked(&["dxc", "execute"])
        && let Some(library) = or_warn(dxc(&target))
    {
        program.arg("--dxc").arg(library);
    }
    run_command(program.args(args))
}

/// The compilers that `--only` names, none for all; only these need to be installed.
fn only(args: &[OsString]) -> Vec<String> {
    let mut words = args.iter().map(|arg| arg.to_string_lossy());
    let mut only = Vec::new();
    while let Some(word) = words.next() {
        if word == "--only" {
            only.extend(words.next().map(Into::into));
        } else if let Some(name) = word.strip_prefix("--only=") {
            only.push(name.to_owned());
        }
    }
    only
}

/// Has a test of the crate write all modules: only the crate knows them.
fn write_modules(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    fs::create_dir_all(directory)?;
    let mut writing = ignored_test("shader::export::every_module_becomes_a_file")?;
    run_command(writing.env("WGPU_CLAMP_SHADERS", directory))
}

/// An ignored test of the crate, run for its output.
fn ignored_test(name: &str) -> Result<Command> {
    let mut test = cargo(&["test", "--quiet", "--package", "wgpu-clamp", "--lib", "--"]);
    test.args(["--exact", name, "--ignored", "--nocapture"]).current_dir(root()?);
    Ok(test)
}

/// Installs Dawn for Node with the repository's other npm packages, and its script; returns the folder.
fn tint(target: &Path) -> Result<PathBuf> {
    let (root, to) = (root()?, target.join("web"));
    tools::npm(&root.join("xtask/web"), &to)?;
    fs::copy(root.join("compilers/tint.mjs"), to.join("tint.mjs")).context("cannot copy tint.mjs")?;
    Ok(to)
}

/// Downloads Microsoft's compiler for Linux; returns its library.
fn dxc(target: &Path) -> Result<PathBuf> {
    let directory = target.join("dxc");
    let library = directory.join("compushady/backends/libdxcompiler_x86_64.so");
    if library.is_file() {
        return Ok(library);
    }
    tools::ensure(&[Tool::Pip])?;
    fs::create_dir_all(&directory)?;
    let mut fetch = Tool::Pip.command();
    // No code of the wheel runs, so it may be for another Python.
    fetch.args(["download", "--no-deps", "--only-binary", ":all:", "--python-version", "3.11"]);
    fetch.args(["--implementation", "cp", "--platform", "manylinux_2_28_x86_64", "--require-hashes"]);
    fetch.arg("--requirement").arg(root()?.join("compilers/dxc.txt")).arg("--dest").arg(&directory);
    run_command(&mut fetch)?;
    for file in fs::read_dir(&directory)? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            run_command(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&path).arg(&directory))?;
        }
    }
    Ok(library)
}

/// Prints an error as a warning and goes on without the value.
fn or_warn<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| eprintln!("warning: {error:#}")).ok()
}

/// A program of the workspace `compilers`. Relative paths in its arguments are the user's, so the working directory
/// stays.
fn program(directory: &str) -> Result<Command> {
    let root = root()?;
    let mut program = cargo(&["run", "--release"]);
    program.arg("--manifest-path").arg(root.join(directory).join("Cargo.toml"));
    program.arg("--target-dir").arg(root.join("target/compilers")).arg("--");
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::typed;

    #[test]
    fn it_counts_shows_or_passes_arguments_on() {
        let asked: Args = typed("--budget --only f16 -- --help").unwrap();
        assert!(asked.budget && asked.args == ["--only", "f16", "--", "--help"], "{asked:?}");
        let asked: Args = typed("--show hwc u8 -> chw f16").unwrap();
        assert_eq!(asked.show.join(" "), "hwc u8 -> chw f16");
        assert!(typed::<Args>("--show").is_err());
    }

    #[test]
    fn the_compilers_asked_for_are_known() {
        let only = |line| only(&typed::<Args>(line).unwrap().args);
        assert!(only("--all --every 2").is_empty());
        assert_eq!(only("--only aco --every 2 --only=dxc --only"), ["aco", "dxc"]);
    }
}
