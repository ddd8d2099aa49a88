//! Direct3D 12 on Linux: Windows programs under Wine, whose Direct3D computes on Mesa's lavapipe. A Debian 13 in a
//! folder has both; Wine 8 of Debian 12 computes wrong numbers.

use std::ffi::OsString;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::debian;
use crate::packages::{self, MINGW};
use crate::tools;

/// The target triple.
const TARGET: &str = "x86_64-pc-windows-gnu";

/// The builds' folders from the repository's root: programs and tests.
const PROGRAMS: [&str; 2] =
    ["target/x86_64-pc-windows-gnu/release", "target/x86_64-pc-windows-gnu/release/deps"];

/// Debian 13, with Wine 10 and Mesa 25.
const RELEASE: &str = "trixie";

/// Wine, lavapipe, and a display, without which Wine has no adapter.
const PACKAGES: &str = "wine,wine64,mesa-vulkan-drivers,libvulkan1,xvfb";

/// Microsoft's HLSL compiler from Dawn for Node. With Wine's own the device is lost.
const COMPILER: &str = "target/web/node_modules/webgpu/dist/win32-x64/d3dcompiler_47.dll";

/// The command that runs a Windows program. Its paths start at the repository's root; no word has a space.
const RUNNER: [&str; 3] = ["sh", "dev/xtask/wine/run.sh", "target/proof/wine"];

/// The GPU suite's self-test. The suite skips it, because the columns already have it.
pub const SELF_TEST: &str = "self_test::every_pair_agrees_with_the_reference_on_every_kernel";

/// Installs what building and running needs.
pub fn prepare(sh: &Shell) -> Result<()> {
    debian::bootstrap(sh, "target/proof/wine/debian", RELEASE, PACKAGES)?;
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

/// The environment as words of `env`, so that the printed commands can be repeated.
fn environment() -> [String; 6] {
    [
        format!("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER={}", RUNNER.join(" ")),
        "WGPU_BACKEND=dx12".to_owned(),
        "WGPU_DX12_COMPILER=fxc".to_owned(),
        "WINEDLLOVERRIDES=d3dcompiler_47=n".to_owned(),
        // Makes DXGI report the adapter's real name.
        "WINE_D3D_CONFIG=renderer=vulkan".to_owned(),
        "WINEDEBUG=-all".to_owned(),
    ]
}

/// Writes the columns to `json`, a path from the repository's root as Wine sees it. Then runs the GPU suite, unless
/// `args` select a part of the self-test. An element that differs is counted in the file and is no error.
pub fn columns(sh: &Shell, name: &str, json: &str, args: &[OsString]) -> Result<()> {
    let environment = &environment();
    let build = ["--release", "--target", TARGET, "--target-dir", "target"];
    let columns = cmd!(
        sh,
        "env {environment...} cargo run {build...} --package clamp-proof -- run {name} --json {json}"
    );
    columns.args(args).run()?;
    if !args.is_empty() {
        println!("The GPU suite does not run: the arguments after `--` are for the self-test.");
        return Ok(());
    }
    let suite = ["--package", "wgpu-clamp", "--test", "gpu", "--", "--skip", SELF_TEST];
    Ok(cmd!(sh, "env {environment...} WGPU_CLAMP_REQUIRE=dx12 cargo test {build...} {suite...}").run()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::root;

    #[test]
    fn cargo_finds_the_runner() {
        let variable = format!("CARGO_TARGET_{}_RUNNER=", TARGET.to_uppercase().replace('-', "_"));
        let words = environment()[0].strip_prefix(&variable).unwrap().to_owned();
        // Cargo splits runners at spaces.
        assert_eq!(words.split(' ').collect::<Vec<_>>(), RUNNER);
        assert!(root().join(RUNNER[1]).is_file());
        assert!(PROGRAMS.iter().all(|directory| directory.contains(TARGET)));
    }
}
