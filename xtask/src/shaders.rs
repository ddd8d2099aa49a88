//! `cargo xtask shaders`: what compilers make of the shaders, without a GPU.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::cli::{self, Words};
use crate::drivers::{self, Api};
use crate::steps::{cargo, root, run as run_command};
use crate::tools::{self, Tool};

/// The command.
pub const COMMAND: cli::Command = cli::Command {
    name: "shaders",
    usage: "
    cargo xtask shaders [ARGS...]
        Writes every module in WGSL, SPIR-V, GLSL, HLSL and MSL into target/shaders, and runs the compilers
        that are there: spirv-val, glslangValidator, Tint, AMD's ACO, Microsoft's DXC. Installs what it can
        of those asked for; fails where one refuses something. `cargo xtask shaders -- --help` shows its options: --all,
        --every N, --only NAME and more. Linux only; minutes, with --all hours.

    cargo xtask shaders --budget [ARGS...]
        Puts every kernel that a row of the benchmark runs through AMD's compiler, which needs no GPU:
        instructions per element and per byte, registers, and the ratio to a copy that is to be expected
        of five GPUs. Fails where the figures are not those of compilers/budget/figures.tsv; --write keeps
        the new ones. `cargo xtask shaders --budget -- --help` shows the other options. Linux only.

    cargo xtask shaders --show '<layout> <dtype> -> <layout> <dtype> [per channel]'
        Prints the plan of such a clamp on 480 x 640 pixels, its pipelines, and the text that was written for
        it. Layouts: hwc, chw, bgr, mirrored, rgba, rotated; matrix, transposed. Needs no compiler.
",
    task: |words| {
        let job = options(words)?;
        Ok(Box::new(move || match job {
            Job::Compile(args) => compile(&args),
            Job::Budget(args) => budget(&args),
            Job::Show(movement) => show(&movement),
        }))
    },
};

/// What is asked for, and what the program is told.
#[derive(Debug, PartialEq)]
enum Job {
    Compile(Vec<OsString>),
    Budget(Vec<OsString>),
    Show(OsString),
}

fn options(words: Words) -> Result<Job> {
    if let Some(at) = words.own.iter().position(|word| word == "--show") {
        let mut others = words.all();
        let movement = others.drain(at..).skip(1).collect::<Vec<_>>().join(OsStr::new(" "));
        ensure!(!movement.is_empty(), "`--show` takes a movement, such as 'hwc u8 -> chw f16'");
        ensure!(others.is_empty(), "`--show` comes alone, but got `{}` before it", others[0].display());
        return Ok(Job::Show(movement));
    }
    let (budget, own): (Vec<_>, Vec<_>) = words.own.into_iter().partition(|word| word == "--budget");
    let args = [own, words.rest].concat();
    Ok(if budget.is_empty() { Job::Compile(args) } else { Job::Budget(args) })
}

/// Prints a plan and its texts.
///
/// # Errors
///
/// The words describe no clamp.
fn show(movement: &OsStr) -> Result<()> {
    run_command(ignored_test("shader::tests::show::a_plan_is_shown")?.env("WGPU_CLAMP_SHOW", movement))
}

/// Counts instructions: builds the program, optimised, and runs it.
///
/// # Errors
///
/// There is no Vulkan driver, it does not build, or the figures are not those that were kept.
pub fn budget(args: &[OsString]) -> Result<()> {
    // AMD's driver comes in the package of the software drivers; lavapipe says what there is to compile.
    drivers::ensure(&[Api::Vulkan])?;
    run_command(program("compilers/budget")?.args(args))
}

/// Writes every module in every language and runs each compiler that is there.
///
/// # Errors
///
/// The modules cannot be written, or a compiler refuses one. A compiler that cannot be had is a line of the table.
pub fn compile(args: &[OsString]) -> Result<()> {
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

/// The compilers that the program is told to ask, none for all: the others need not be installed.
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

/// Has the crate write what it alone knows: which modules there are.
fn write_modules(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    fs::create_dir_all(directory)?;
    let mut writing = ignored_test("shader::export::every_module_becomes_a_file")?;
    run_command(writing.env("WGPU_CLAMP_SHADERS", directory))
}

/// What the crate alone knows, an ignored test of it tells.
fn ignored_test(name: &str) -> Result<Command> {
    let mut test = cargo(&["test", "--quiet", "--package", "wgpu-clamp", "--lib", "--"]);
    test.args(["--exact", name, "--ignored", "--nocapture"]).current_dir(root()?);
    Ok(test)
}

/// Installs Dawn for Node, with what else of npm the repository uses, and the script beside it; tells where that is.
fn tint(target: &Path) -> Result<PathBuf> {
    let (root, to) = (root()?, target.join("web"));
    tools::npm(&root.join("xtask/web"), &to)?;
    fs::copy(root.join("compilers/tint.mjs"), to.join("tint.mjs")).context("cannot copy tint.mjs")?;
    Ok(to)
}

/// Fetches Microsoft's compiler for Linux; tells where its library is.
fn dxc(target: &Path) -> Result<PathBuf> {
    let directory = target.join("dxc");
    let library = directory.join("compushady/backends/libdxcompiler_x86_64.so");
    if library.is_file() {
        return Ok(library);
    }
    tools::ensure(&[Tool::Pip])?;
    fs::create_dir_all(&directory)?;
    let mut fetch = Tool::Pip.command();
    // No code of the wheel runs, so that it need not be for this Python.
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

/// What is missing is left out, and said.
fn or_warn<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| eprintln!("warning: {error:#}")).ok()
}

/// A program of the workspace `compilers`. The directory is kept: relative paths in its arguments are the user's.
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

    #[test]
    fn it_compiles_or_counts_and_passes_the_rest_on() {
        let args = |line: &str| line.split_whitespace().map(OsString::from).collect();
        let job = |line| options(Words::typed(line)).unwrap();
        assert_eq!(job(""), Job::Compile(vec![]));
        assert_eq!(job("--budget --only f16 -- --help"), Job::Budget(args("--only f16 --help")));
        assert_eq!(job("--only dxc"), Job::Compile(args("--only dxc")));
    }

    #[test]
    fn it_shows_a_movement_in_quotes_or_without() {
        let expected = Job::Show("hwc u8 -> chw f16".into());
        let quoted = ["--show", "hwc u8 -> chw f16"].map(OsString::from).to_vec();
        assert_eq!(options(Words { own: quoted, rest: vec![] }).unwrap(), expected);
        assert_eq!(options(Words::typed("--show hwc u8 -> chw f16")).unwrap(), expected);
        let refusal = |line| options(Words::typed(line)).unwrap_err().to_string();
        assert!(refusal("--show").contains("'hwc u8 -> chw f16'"));
        assert!(refusal("--only dxc --show hwc").contains("`--only`"));
    }

    #[test]
    fn the_compilers_asked_for_are_known() {
        let only = |line| only(&Words::typed(line).own);
        assert!(only("--all --every 2").is_empty());
        assert_eq!(only("--only aco --every 2 --only=dxc --only"), ["aco", "dxc"]);
    }
}
