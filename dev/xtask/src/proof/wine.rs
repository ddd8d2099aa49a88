//! Direct3D 12 on Linux: Windows programs under Wine, whose Direct3D computes on Mesa's lavapipe. A Debian 13 in a
//! folder has both; Wine 8 of Debian 12 computes wrong numbers.

use std::ffi::OsString;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::packages::{self, DEBOOTSTRAP, MINGW, as_root};
use crate::tools;

/// The target triple.
const TARGET: &str = "x86_64-pc-windows-gnu";

/// The builds' folders from the repository's root: programs and tests.
const PROGRAMS: [&str; 2] =
    ["target/x86_64-pc-windows-gnu/release", "target/x86_64-pc-windows-gnu/release/deps"];

/// Wine, lavapipe, and a display, without which Wine has no adapter.
const PACKAGES: &str = "--include=wine,wine64,mesa-vulkan-drivers,libvulkan1,xvfb";

/// Microsoft's HLSL compiler from Dawn for Node. With Wine's own the device is lost.
const COMPILER: &str = "dev/xtask/web/node_modules/webgpu/dist/win32-x64/d3dcompiler_47.dll";

/// The command that runs a Windows program. Its paths start at the repository's root; no word has a space.
const RUNNER: [&str; 3] = ["sh", "dev/xtask/wine/run.sh", "target/proof/wine"];

/// Installs what building and running needs.
pub fn prepare(sh: &Shell) -> Result<()> {
    bootstrap(sh, "target/proof/wine/debian")?;
    // Wine's Debian runs in namespaces. If these are forbidden, stop here, before anything else is installed.
    sh.cmd(RUNNER[0]).args(&RUNNER[1..]).args(["cmd", "/c", "ver"]).env("WINEDEBUG", "-all").run().context(
        "Wine does not start; in a container, or for others than root, `unshare` may be forbidden",
    )?;
    tools::rust_target(sh, TARGET)?;
    packages::ensure(&[MINGW])?;
    tools::npm(sh)?;
    for directory in PROGRAMS {
        // Windows looks for libraries beside the program first.
        sh.create_dir(directory)?;
        sh.copy_file(COMPILER, directory)?;
    }
    Ok(())
}

/// Puts a Debian 13 with Wine 10 and Mesa 25 into `folder`, unless one is there. Needs root and the network.
fn bootstrap(sh: &Shell, folder: &str) -> Result<()> {
    // The folder gets this name when it is complete.
    if sh.path_exists(folder) {
        return Ok(());
    }
    let as_root =
        || as_root(sh).context("debootstrap needs root, and sudo is not there or asks for a password");
    packages::ensure(&[DEBOOTSTRAP])?;
    // This machine's own archive; on a system that has none, debootstrap takes its default.
    let format = "$(REPO_URI)";
    let of_debian = ["Created-By: Packages", "Origin: Debian", "Label: Debian"];
    let archives = cmd!(sh, "apt-get indextargets --format {format} {of_debian...}").read()?;
    let unfinished = format!("{folder}.unfinished");
    as_root()?.args(["rm", "-rf", "--one-file-system", &unfinished]).run()?;
    sh.create_dir(&unfinished)?;
    // Debootstrap's mounts end with the namespace.
    let debootstrap = as_root()?.args(["unshare", "--mount", "debootstrap", "--variant=minbase"]);
    debootstrap.args([PACKAGES, "trixie", &unfinished]).args(archives.lines().next()).run()?;
    Ok(as_root()?.args(["mv", &unfinished, folder]).run()?)
}

/// Runs the self-test. The variables are words of `env`, so that the printed command can be repeated, also with other
/// programs and tests of cargo.
pub fn self_test(sh: &Shell, name: &str, args: &[OsString]) -> Result<String> {
    let environment = &[
        &format!("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER={}", RUNNER.join(" ")),
        "WGPU_BACKEND=dx12",
        "WGPU_DX12_COMPILER=fxc",
        "WINEDLLOVERRIDES=d3dcompiler_47=n",
        // Makes DXGI report the adapter's real name.
        "WINE_D3D_CONFIG=renderer=vulkan",
        "WINEDEBUG=-all",
    ];
    let build = ["--release", "--target", TARGET, "--target-dir", "target"];
    let run =
        cmd!(sh, "env {environment...} cargo run {build...} --package clamp-proof -- run {name} {args...}");
    Ok(run.read()?)
}
