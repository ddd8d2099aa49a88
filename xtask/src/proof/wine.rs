//! Direct3D 12 on Linux: Windows programs under Wine, whose Direct3D computes on Mesa's lavapipe. A Debian 13 in a
//! folder has both; Wine 8 of Debian 12 computes wrong numbers.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Environment, debian};
use crate::steps::{cargo, root, run as run_command};
use crate::tools::{self, Tool};

/// The target triple.
const TARGET: &str = "x86_64-pc-windows-gnu";

/// The builds' folders from the repository's root: programs and tests.
const PROGRAMS: [&str; 2] =
    ["target/x86_64-pc-windows-gnu/release", "target/x86_64-pc-windows-gnu/release/deps"];

/// Debian 13, with Wine 10 and Mesa 25.
const RELEASE: &str = "trixie";

/// Wine, lavapipe, and a display, without which Wine has no adapter.
const PACKAGES: [&str; 5] = ["wine", "wine64", "mesa-vulkan-drivers", "libvulkan1", "xvfb"];

/// Microsoft's HLSL compiler from Dawn for Node. With Wine's own the device is lost.
const COMPILER: &str = "d3dcompiler_47.dll";

/// The runner of Windows programs: words separated by spaces, from the repository's root.
const RUNNER: [&str; 3] = ["sh", "xtask/wine/run.sh", "target/proof/wine"];

/// The GPU suite's self-test, which the row already has.
const SELF_TEST: &str = "self_test::every_pair_agrees_with_the_reference_on_every_kernel";

/// Installs what building and running needs.
pub fn prepare(target: &Path) -> Result<Environment> {
    let root = root()?;
    debian::bootstrap(&target.join("wine/debian"), RELEASE, &PACKAGES)?;
    // Wine's Debian runs in namespaces, so nothing else is installed without them.
    let mut version = Command::new(RUNNER[0]);
    version.args(&RUNNER[1..]).args(["cmd", "/c", "ver"]).env("WINEDEBUG", "-all").current_dir(root);
    run_command(&mut version).context(
        "Wine does not start; in a container, or for others than root, `unshare` may be forbidden",
    )?;
    tools::rust_target(TARGET)?;
    tools::ensure(&[Tool::Mingw])?;
    let packages = root.join("target/web");
    tools::npm(&root.join("xtask/web"), &packages)?;
    let compiler = packages.join("node_modules/webgpu/dist/win32-x64").join(COMPILER);
    for directory in PROGRAMS.map(|directory| root.join(directory)) {
        fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
        // Windows looks for libraries beside the program first.
        fs::copy(&compiler, directory.join(COMPILER)).with_context(|| compiler.display().to_string())?;
    }
    Ok(environment())
}

fn environment() -> Environment {
    let variables = [
        ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &*RUNNER.join(" ")),
        ("WGPU_BACKEND", "dx12"),
        ("WGPU_DX12_COMPILER", "fxc"),
        ("WINEDLLOVERRIDES", "d3dcompiler_47=n"),
        // Makes DXGI report the adapter's real name.
        ("WINE_D3D_CONFIG", "renderer=vulkan"),
        ("WINEDEBUG", "-all"),
    ];
    variables.map(|(name, value)| (name, value.into())).into()
}

/// Writes the columns to `json`, and runs the GPU suite unless `args` select a part of the self-test.
///
/// # Errors
///
/// A run ends early, or a test fails. An element that differs is in the file, and no error.
pub fn columns(name: &str, json: &Path, environment: Environment, args: &[OsString]) -> Result<()> {
    let root = root()?;
    let in_wine = |words: &[&str]| {
        let mut command = cargo(words);
        command.args(["--release", "--target", TARGET, "--target-dir", "target"]);
        command.current_dir(root).envs(environment.iter().map(|(name, value)| (name, value)));
        command
    };
    let mut columns = in_wine(&["run", "--package", "clamp-proof"]);
    // The path from the repository's root, as Wine sees it.
    let json = json.strip_prefix(root).context("the columns are in the repository")?;
    run_command(columns.args(["--", "run", name, "--json"]).arg(json).args(args))?;
    if !args.is_empty() {
        println!("The GPU suite does not run: what follows `--` is for the self-test.");
        return Ok(());
    }
    let mut suite = in_wine(&["test", "--package", "wgpu-clamp", "--test", "gpu"]);
    suite.env("WGPU_CLAMP_REQUIRE", "dx12").args(["--", "--skip", SELF_TEST]);
    run_command(&mut suite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_finds_the_runner() {
        let (name, words) = &environment()[0];
        assert_eq!(*name, format!("CARGO_TARGET_{}_RUNNER", TARGET.to_uppercase().replace('-', "_")));
        // Cargo splits runners at spaces.
        assert_eq!(words.to_str().unwrap().split(' ').collect::<Vec<_>>(), RUNNER);
        assert!(root().unwrap().join(RUNNER[1]).is_file());
        assert!(PROGRAMS.iter().all(|directory| directory.contains(TARGET)));
    }

    #[test]
    fn the_test_that_is_left_out_is_there() {
        let name = SELF_TEST.strip_prefix("self_test::").unwrap();
        let tests = include_str!("../../../tests/gpu/self_test.rs");
        assert!(tests.contains(&format!("#[test]\nfn {name}()")));
    }
}
