//! `cargo xtask shaders`: gives the shaders to other compilers, without a GPU.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use xshell::{Cmd, Shell, cmd};

use crate::packages::{self, GLSLANG, PIP, SPIRV_VAL, VULKAN};
use crate::shell::{root, shell, shell_here};
use crate::tools;

/// Writes every module in WGSL, SPIR-V, GLSL, HLSL and MSL into target/shaders, and runs the compilers that are
/// there: spirv-val, glslangValidator, Tint, AMD's ACO, Microsoft's DXC.
///
/// Fails if a compiler refuses a shader. Linux only; minutes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Counts the instructions of every row of the benchmark with AMD's compiler, without a GPU. Fails where the counts
    /// differ from compilers/budget/figures.tsv; `-- --write` writes new counts to that file.
    #[arg(long, conflicts_with = "show")]
    budget: bool,
    /// Prints the plan of a clamp with scale and bias of 480 x 640 pixels, such as `'hwc u8 -> chw f16 per channel'`: the
    /// candidates with their costs, the cheapest first, and its text. Layouts: hwc, chw, bgr, mirrored, rgba, rotated; matrix, transposed.
    #[arg(long, value_name = "MOVEMENT", num_args = 1.., allow_hyphen_values = true)]
    show: Vec<String>,
    /// Arguments of the program, such as `--all` or `--only NAME`; `cargo xtask shaders -- --help` shows them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// The test that prints a plan.
pub const SHOW: &str = "shader::tests::show::a_plan_is_shown";

/// The test that writes every module.
pub const EXPORT: &str = "shader::export::every_module_becomes_a_file";

pub fn run(Args { budget, show, args }: &Args) -> Result<()> {
    let sh = shell()?;
    if !show.is_empty() {
        let test = ignored_test(&sh, SHOW);
        return Ok(test.env("WGPU_CLAMP_SHOW", show.join(" ")).run()?);
    }
    let own = |arg: &&OsString| *arg == "--budget" || *arg == "--show";
    if let Some(own) = args.iter().find(own) {
        bail!("`{}` comes before the program's own arguments", own.display());
    }
    if *budget {
        // The package of the software drivers has AMD's driver too. The benchmark opens lavapipe if there is no GPU.
        packages::drivers(&VULKAN)?;
        return Ok(program(&shell_here()?).arg("budget").args(args).run()?);
    }
    compile(&sh, args)
}

/// Writes every module in every language and runs each compiler that is there. The table has a line for a missing
/// compiler.
fn compile(sh: &Shell, args: &[OsString]) -> Result<()> {
    let here = shell_here()?;
    let mut program = program(&here).args(args);
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        return Ok(program.run()?);
    }
    // Only the crate knows the modules, so one of its tests writes them.
    let shaders = root().join("target/shaders");
    sh.remove_path(&shaders)?;
    sh.create_dir(&shaders)?;
    let test = ignored_test(sh, EXPORT);
    test.env("WGPU_CLAMP_SHADERS", &shaders).run()?;
    program = program.arg("--shaders").arg(shaders);

    let only = only(args);
    let asked = |names: &[&str]| only.is_empty() || only.iter().any(|only| names.contains(&only.as_str()));
    // AMD's compiler comes with the drivers.
    if asked(&["aco", "execute"]) {
        or_warn(packages::drivers(&VULKAN));
    }
    for (name, need) in [("spirv-val", SPIRV_VAL), ("glslang", GLSLANG)] {
        if asked(&[name]) {
            or_warn(packages::ensure(&[need]));
        }
    }
    if asked(&["tint"])
        && let Some(directory) = or_warn(tint(sh))
    {
        program = program.arg("--tint").arg(directory);
    }
    if asked(&["dxc", "execute"])
        && let Some(library) = or_warn(dxc(sh))
    {
        program = program.arg("--dxc").arg(library);
    }
    Ok(program.run()?)
}

/// The compilers that `--only` names; empty for all. Only these are installed.
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

/// An ignored test of the crate, run for its output.
fn ignored_test<'sh>(sh: &'sh Shell, name: &str) -> Cmd<'sh> {
    cmd!(sh, "cargo test --quiet --package wgpu-clamp --lib -- --exact {name} --ignored --nocapture")
}

/// Installs Dawn for Node with the repository's other npm packages, and its script; returns the folder.
fn tint(sh: &Shell) -> Result<PathBuf> {
    tools::npm(sh)?;
    sh.copy_file("compilers/tint.mjs", "target/web/tint.mjs")?;
    Ok(root().join("target/web"))
}

/// Downloads Microsoft's compiler for Linux; returns its library.
fn dxc(sh: &Shell) -> Result<PathBuf> {
    let library = root().join("target/dxc/compushady/backends/libdxcompiler_x86_64.so");
    if library.is_file() {
        return Ok(library);
    }
    packages::ensure(&[PIP])?;
    sh.create_dir("target/dxc")?;
    // No code of the wheel runs, so it may be for another Python.
    cmd!(
        sh,
        "python3 -m pip download --no-deps --only-binary :all: --python-version 3.11 --implementation cp
            --platform manylinux_2_28_x86_64 --require-hashes --requirement compilers/dxc.txt --dest target/dxc"
    )
    .run()?;
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
    let wheel =
        sh.read_dir("target/dxc")?.into_iter().find(is_wheel).context("pip has downloaded no wheel")?;
    cmd!(sh, "python3 -m zipfile -e {wheel} target/dxc").run()?;
    Ok(library)
}

/// Prints an error as a warning and goes on without the value.
fn or_warn<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| eprintln!("warning: {error:#}")).ok()
}

/// The program of the workspace `compilers`.
fn program(sh: &Shell) -> Cmd<'_> {
    let manifest = root().join("compilers/Cargo.toml");
    let target = root().join("target/compilers");
    cmd!(sh, "cargo run --release --manifest-path {manifest} --target-dir {target} --")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed;

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
