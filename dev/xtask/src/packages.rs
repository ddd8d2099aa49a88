//! Installs by apt what commands need: drivers, and programs. Elsewhere it says what is missing.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use xshell::{Cmd, Shell, cmd};

use crate::shell::shell;

/// A program, library or file that a command needs under one of these names, and the Debian package that brings it.
pub struct Need(&'static [&'static str], &'static str);

/// Folders with programs and libraries, behind those of the PATH, which may lack /usr/sbin.
const FOLDERS: [&str; 6] = [
    "/usr/sbin",
    "/usr/local/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
];

/// Without these there is no adapter of wgpu's `Backends::VULKAN`. Any driver will do; the package is Mesa's.
pub const VULKAN: [Need; 2] = [
    Need(&["libvulkan.so.1"], "libvulkan1"),
    Need(&["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"], "mesa-vulkan-drivers"),
];

/// AMD's driver, for its compiler.
pub const RADV: Need = Need(
    &["/usr/share/vulkan/icd.d/radeon_icd.x86_64.json", "/usr/share/vulkan/icd.d/radeon_icd.aarch64.json"],
    "mesa-vulkan-drivers",
);

/// Without these there is no adapter of wgpu's `Backends::GL`, which is GLES through EGL.
pub const GL: [Need; 4] = [
    Need(&["libEGL.so.1"], "libegl1"),
    Need(&["/usr/share/glvnd/egl_vendor.d"], "libegl-mesa0"),
    Need(&["libGLESv2.so.2"], "libgles2"),
    // Mesa's EGL needs this to compute anything.
    Need(&["dri"], "libgl1-mesa-dri"),
];

pub const NODE: [Need; 2] = [Need(&["node"], "nodejs"), Need(&["npm"], "npm")];
/// Puts a Debian into a folder.
pub const DEBOOTSTRAP: Need = Need(&["debootstrap"], "debootstrap");
/// Links programs for Windows.
pub const MINGW: Need = Need(&["x86_64-w64-mingw32-gcc"], "gcc-mingw-w64-x86-64");
pub const CHROMIUM: Need =
    Need(&["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"], "chromium");
/// The manifest of the driver inside Chromium.
pub const SWIFTSHADER: Need = Need(&["/usr/lib/chromium/vk_swiftshader_icd.json"], "chromium-common");

impl Need {
    /// The place on this machine: a file, or a folder that is not empty.
    fn find(&self) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<_> = env::split_paths(&path).chain(FOLDERS.map(PathBuf::from)).collect();
        // An absolute name stays as it is.
        let mut places = self.0.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        places.find(|place| fs::read_dir(place).map_or(place.is_file(), |mut inside| inside.next().is_some()))
    }
}

/// Installs the missing ones of `needs`; prints and returns the places of all.
pub fn ensure(needs: &[Need]) -> Result<Vec<PathBuf>> {
    let missing = needs.iter().filter(|need| need.find().is_none());
    let (names, packages): (Vec<_>, Vec<_>) =
        missing.map(|Need(names, package)| (names[0], *package)).unzip();
    if !packages.is_empty() {
        install(&packages).with_context(|| {
            let (names, packages) = (names.join(", "), packages.join(" "));
            format!("missing: {names}. On Debian and Ubuntu this installs them:\n\n    sudo apt-get install {packages}\n")
        })?;
    }
    let place = |need: &Need| {
        let place = need.find().with_context(|| format!("{} is installed and not found", need.0[0]))?;
        println!("{}", place.display());
        Ok(place)
    };
    needs.iter().map(place).collect()
}

/// Installs Debian's packages without asking.
pub fn install(packages: &[&str]) -> Result<()> {
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
    drivers(&VULKAN)?;
    drivers(&GL)
}

/// The start of a command that runs as root; `None` if this user cannot.
pub fn as_root(sh: &Shell) -> Option<Cmd<'_>> {
    if cmd!(sh, "id -u").read().ok()? == "0" {
        return Some(cmd!(sh, "env"));
    }
    // -n: fail where a password is needed, rather than ask for one in the middle of a log.
    cmd!(sh, "sudo -n true").ignore_stderr().read().is_ok().then(|| cmd!(sh, "sudo -n"))
}
