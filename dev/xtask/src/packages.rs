//! Installs by apt what commands need: drivers, and programs. Elsewhere it says what is missing.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use xshell::{Cmd, Shell, cmd};

use crate::shell::shell;

/// A library, program or driver that a command needs, and the Debian package that brings it.
#[derive(Clone, Copy)]
pub struct Need {
    name: &'static str,
    find: Find,
    package: &'static str,
}

#[derive(Clone, Copy)]
enum Find {
    /// A library that the linker's cache lists.
    Library(&'static str),
    /// One of these programs.
    Program(&'static [&'static str]),
    /// One of these files, or a file in one of these folders.
    File(&'static [&'static str]),
    /// Modules of Python.
    Python(&'static str),
}

const fn need(name: &'static str, find: Find, package: &'static str) -> Need {
    Need { name, find, package }
}

/// Without these there is no adapter of wgpu's `Backends::VULKAN`. Any driver will do; the package is Mesa's.
pub const VULKAN: [Need; 2] = [
    need("Vulkan loader", Find::Library("libvulkan.so.1"), "libvulkan1"),
    need(
        "Vulkan driver",
        Find::File(&["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"]),
        "mesa-vulkan-drivers",
    ),
];

/// AMD's driver, for its compiler.
pub const RADV: Need = need(
    "RADV",
    Find::File(&[
        "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json",
        "/usr/share/vulkan/icd.d/radeon_icd.aarch64.json",
    ]),
    "mesa-vulkan-drivers",
);

/// Without these there is no adapter of wgpu's `Backends::GL`, which is GLES through EGL.
pub const GL: [Need; 4] = [
    need("EGL loader", Find::Library("libEGL.so.1"), "libegl1"),
    need("EGL driver", Find::File(&["/usr/share/glvnd/egl_vendor.d"]), "libegl-mesa0"),
    need("GLES library", Find::Library("libGLESv2.so.2"), "libgles2"),
    // Mesa's EGL needs this to compute anything.
    need(
        "GL driver",
        Find::File(&[
            "/usr/lib/x86_64-linux-gnu/dri",
            "/usr/lib/aarch64-linux-gnu/dri",
            "/usr/lib64/dri",
            "/usr/lib/dri",
        ]),
        "libgl1-mesa-dri",
    ),
];

pub const NODE: Need = need("Node.js", Find::Program(&["node"]), "nodejs");
pub const NPM: Need = need("npm", Find::Program(&["npm"]), "npm");
/// Makes virtual environments. Debian's Python has the module `venv` without its dependencies.
pub const VENV: Need = need("venv", Find::Python("ensurepip, venv"), "python3-venv");
/// Puts a Debian into a folder. Often not on the PATH of users.
pub const DEBOOTSTRAP: Need = need("debootstrap", Find::File(&["/usr/sbin/debootstrap"]), "debootstrap");
/// Links programs for Windows.
pub const MINGW: Need = need("MinGW", Find::Program(&["x86_64-w64-mingw32-gcc"]), "gcc-mingw-w64-x86-64");
pub const CHROMIUM: Need = need(
    "Chromium",
    Find::Program(&["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]),
    "chromium",
);
/// The manifest of the driver inside Chromium.
pub const SWIFTSHADER: Need =
    need("SwiftShader", Find::File(&["/usr/lib/chromium/vk_swiftshader_icd.json"]), "chromium-common");

impl Need {
    /// The place on this machine; none if it is missing.
    fn find(&self) -> Option<PathBuf> {
        match self.find {
            Find::Library(name) => {
                // Users' PATH may lack /sbin.
                let said = Command::new("/sbin/ldconfig").arg("-p").output().ok()?;
                let said = String::from_utf8_lossy(&said.stdout).into_owned();
                let line = said.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")))?;
                Some(line.split_once("=> ")?.1.into())
            }
            Find::Program(names) => {
                let folders: Vec<_> = env::split_paths(&env::var_os("PATH")?).collect();
                names.iter().find_map(|name| {
                    folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file())
                })
            }
            Find::File(paths) => paths.iter().map(Path::new).find_map(|path| {
                let inside = || fs::read_dir(path).ok()?.next()?.ok().map(|file| file.path());
                if path.is_file() { Some(path.to_owned()) } else { inside() }
            }),
            Find::Python(modules) => {
                let python = Command::new("python3").args(["-c", &format!("import {modules}")]).output();
                python.is_ok_and(|said| said.status.success()).then(|| "python3".into())
            }
        }
    }
}

/// Installs the missing ones of `needs`; prints and returns the places of all.
pub fn ensure(needs: &[Need]) -> Result<Vec<PathBuf>> {
    let missing = needs.iter().filter(|need| need.find().is_none());
    let (names, packages): (Vec<_>, Vec<_>) = missing.map(|need| (need.name, need.package)).unzip();
    if !packages.is_empty() {
        install(&packages).with_context(|| {
            let (names, packages) = (names.join(", "), packages.join(" "));
            format!("missing: {names}. On Debian and Ubuntu this installs them:\n\n    sudo apt-get install {packages}\n")
        })?;
    }
    let place = |need: &Need| {
        let place = need.find().with_context(|| format!("{} is installed and not found", need.name))?;
        println!("{:<14} {}", need.name, place.display());
        Ok(place)
    };
    needs.iter().map(place).collect()
}

/// Installs Debian's packages without asking.
fn install(packages: &[&str]) -> Result<()> {
    ensure!(Path::new("/usr/bin/apt-get").is_file(), "there is no apt-get");
    let sh = shell()?;
    let as_root = || as_root(&sh).context("installing needs root, or a sudo that asks for no password");
    if as_root()?.args(["apt-get", "update"]).run().is_err() {
        println!("the list of packages may be old");
    }
    // A fresh machine may be busy with its own updates: wait for the lock. No terminal between apt and dpkg: a log needs no
    // progress bars.
    let apt = [
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "-oDPkg::Lock::Timeout=300",
        "-oDpkg::Use-Pty=0",
    ];
    let install = as_root()?.args(apt).args(["--yes", "--no-install-recommends", "install"]);
    Ok(install.args(packages).run()?)
}

/// Installs Mesa's software drivers where a driver is missing on Linux. Other systems bring theirs.
pub fn drivers(needs: &[Need]) -> Result<()> {
    if cfg!(target_os = "linux") {
        return ensure(needs).map(drop);
    }
    println!("the system brings its driver; nothing to install");
    Ok(())
}

/// [`drivers`] of both APIs.
pub fn all_drivers() -> Result<()> {
    drivers(&[&VULKAN[..], &GL].concat())
}

/// The start of a command that runs as root; `None` if this user cannot.
pub fn as_root(sh: &Shell) -> Option<Cmd<'_>> {
    if cmd!(sh, "id -u").read().ok()? == "0" {
        return Some(cmd!(sh, "env"));
    }
    // -n: fail where a password is needed, rather than ask for one in the middle of a log.
    cmd!(sh, "sudo -n true").ignore_stderr().read().is_ok().then(|| cmd!(sh, "sudo -n"))
}
