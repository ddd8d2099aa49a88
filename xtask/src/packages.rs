//! Installs packages of the distribution: drivers, and programs that single commands need.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};
use xshell::{Cmd, Shell, cmd};

use crate::machine::Machine;
use crate::shell::shell;

/// What a command needs of the machine, and the packages that bring it.
#[derive(Clone, Copy)]
pub struct Need {
    name: &'static str,
    find: Find,
    /// With apt, dnf and pacman; Mesa's for drivers.
    packages: [&'static str; 3],
}

#[derive(Clone, Copy)]
enum Find {
    Library(&'static str),
    /// One of these programs.
    Program(&'static [&'static str]),
    /// One of these files.
    File(&'static [&'static str]),
    /// Modules of Python.
    Python(&'static str),
    Driver(fn(&Machine) -> Option<PathBuf>),
}

const fn need(name: &'static str, find: Find, packages: [&'static str; 3]) -> Need {
    Need { name, find, packages }
}

/// Without these there is no adapter of wgpu's `Backends::VULKAN`. Any driver will do.
pub const VULKAN: [Need; 2] = [
    need(
        "Vulkan loader",
        Find::Library("libvulkan.so.1"),
        ["libvulkan1", "vulkan-loader", "vulkan-icd-loader"],
    ),
    need(
        "Vulkan driver",
        Find::Driver(|machine| {
            let chosen = machine.chosen(&["VK_DRIVER_FILES", "VK_ICD_FILENAMES"]);
            chosen.or_else(|| machine.manifest("vulkan/icd.d", |_| true))
        }),
        ["mesa-vulkan-drivers", "mesa-vulkan-drivers", "vulkan-swrast"],
    ),
];

/// Khronos' validation layer for Vulkan.
pub const VALIDATION_LAYER: Need = need(
    "Vulkan layer",
    Find::Driver(|machine| {
        let is_it = |text: &str| text.contains("\"VK_LAYER_KHRONOS_validation\"");
        machine.chosen(&["VK_LAYER_PATH"]).or_else(|| machine.manifest("vulkan/explicit_layer.d", is_it))
    }),
    ["vulkan-validationlayers", "vulkan-validation-layers", "vulkan-validation-layers"],
);

/// Without these there is no adapter of wgpu's `Backends::GL`, which is GLES through EGL. Any driver will do.
pub const GL: [Need; 4] = [
    need("EGL loader", Find::Library("libEGL.so.1"), ["libegl1", "libglvnd-egl", "libglvnd"]),
    need(
        "EGL driver",
        Find::Driver(|machine| machine.chosen(&EGL_DRIVERS).or_else(|| machine.egl_driver(|_| true))),
        ["libegl-mesa0", "mesa-libEGL", "mesa"],
    ),
    need("GLES library", Find::Library("libGLESv2.so.2"), ["libgles2", "libglvnd-gles", "libglvnd"]),
    // What Mesa's EGL needs to draw anything; other vendors bring their own.
    need(
        "GL driver",
        Find::Driver(|machine| {
            let chosen = machine.chosen(&["LIBGL_DRIVERS_PATH"]).or_else(|| machine.chosen(&EGL_DRIVERS));
            let other = || machine.egl_driver(|text| !text.contains("libEGL_mesa"));
            chosen.or_else(other).or_else(|| machine.gallium())
        }),
        ["libgl1-mesa-dri", "mesa-dri-drivers", "mesa"],
    ),
];

const EGL_DRIVERS: [&str; 2] = ["__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"];

pub const SPIRV_VAL: Need = need("spirv-val", Find::Program(&["spirv-val"]), ["spirv-tools"; 3]);

pub const GLSLANG: Need =
    need("glslang", Find::Program(&["glslangValidator"]), ["glslang-tools", "glslang", "glslang"]);

pub const NODE: Need = need("Node.js", Find::Program(&["node"]), ["nodejs"; 3]);

pub const NPM: Need = need("npm", Find::Program(&["npm", "npm.cmd"]), ["npm", "nodejs-npm", "npm"]);

/// Fetches wheels.
pub const PIP: Need = need("pip", Find::Python("pip"), ["python3-pip", "python3-pip", "python-pip"]);

/// Makes virtual environments. Debian's Python has the module `venv` without its dependencies.
pub const VENV: Need = need("venv", Find::Python("ensurepip, venv"), ["python3-venv", "python3", "python"]);

/// Puts a Debian into a folder. Often not on the PATH of users.
pub const DEBOOTSTRAP: Need = need("debootstrap", Find::File(&["usr/sbin/debootstrap"]), ["debootstrap"; 3]);

/// Links programs for Windows.
pub const MINGW: Need = need(
    "MinGW",
    Find::Program(&["x86_64-w64-mingw32-gcc"]),
    ["gcc-mingw-w64-x86-64", "mingw64-gcc", "mingw-w64-gcc"],
);

pub const CHROMIUM: Need = need(
    "Chromium",
    Find::Program(&["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]),
    ["chromium"; 3],
);

/// The manifest of the driver inside Chromium.
pub const SWIFTSHADER: Need = need(
    "SwiftShader",
    Find::File(&[
        "usr/lib/chromium/vk_swiftshader_icd.json",
        "usr/lib64/chromium-browser/vk_swiftshader_icd.json",
        "usr/lib/chromium-browser/vk_swiftshader_icd.json",
    ]),
    ["chromium-common", "chromium", "chromium"],
);

impl Need {
    /// The place on this machine; none if it is missing.
    fn find(&self, machine: &Machine) -> Option<PathBuf> {
        match self.find {
            Find::Library(name) => machine.library(name),
            Find::Program(names) => machine.program(names),
            Find::File(paths) => machine.file(paths),
            Find::Python(modules) => {
                let import = format!("import {modules}");
                let python = Command::new("python3").args(["-c", &import]).output();
                python.is_ok_and(|said| said.status.success()).then(|| "python3".into())
            }
            Find::Driver(find) => find(machine),
        }
    }
}

/// Prints where each need is, installs those that are missing, and returns all places.
///
/// Systems other than Linux bring their drivers.
pub fn ensure(needs: &[Need]) -> Result<Vec<PathBuf>> {
    let mut machine = Machine::this();
    let missing: Vec<_> = needs.iter().filter(|need| need.find(&machine).is_none()).collect();
    if !missing.is_empty() {
        let names = missing.iter().map(|need| need.name).collect::<Vec<_>>().join(", ");
        let unknown = || format!("missing: {names}; which packages bring it here is not known");
        Manager::on(&machine).with_context(unknown)?.install(&missing)?;
        machine = Machine::this();
    }
    needs
        .iter()
        .map(|need| {
            let place = need.find(&machine).with_context(|| {
                format!(
                    "{} is not found, although its package is installed: does a variable hide it?",
                    need.name
                )
            })?;
            println!("{:<14} {}", need.name, place.display());
            Ok(place)
        })
        .collect()
}

/// Installs Mesa's software drivers where a driver is missing on Linux. Other systems bring theirs.
pub fn drivers(needs: &[Need]) -> Result<()> {
    if cfg!(target_os = "linux") { ensure(needs).map(drop) } else { Ok(()) }
}

/// A package manager, known by the distribution that uses it: the index of its packages in [`Need`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manager {
    /// Debian, Ubuntu and their relatives.
    Apt,
    /// Fedora and its relatives.
    Dnf,
    /// Arch and its relatives.
    Pacman,
}

impl Manager {
    /// The package manager of a machine, if known.
    fn on(machine: &Machine) -> Option<Self> {
        let os_release = machine.file(&["etc/os-release", "usr/lib/os-release"])?;
        Self::of(&fs::read_to_string(os_release).ok()?)
    }

    /// The package manager of the distribution that an `os-release` file describes.
    fn of(os_release: &str) -> Option<Self> {
        let field = |name: &str| {
            let value = os_release.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
            value.unwrap_or("").trim_matches(['"', '\''])
        };
        // ID_LIKE lists the closest relative first.
        field("ID").split_whitespace().chain(field("ID_LIKE").split_whitespace()).find_map(|id| match id {
            "debian" | "ubuntu" => Some(Self::Apt),
            "fedora" | "rhel" | "centos" => Some(Self::Dnf),
            "arch" => Some(Self::Pacman),
            _ => None,
        })
    }

    /// The packages of `needs`, each once.
    fn packages(self, needs: &[&Need]) -> Vec<&'static str> {
        let mut packages: Vec<_> = needs.iter().map(|need| need.packages[self as usize]).collect();
        packages.sort_unstable();
        packages.dedup();
        packages
    }

    /// Installs without asking. An optional extra that a package recommends stays out.
    fn command(self) -> &'static [&'static str] {
        match self {
            // A fresh machine may be busy with its own updates: wait for the lock. No terminal between apt and dpkg: a
            // log needs no progress bars.
            Self::Apt => &[
                "env",
                "DEBIAN_FRONTEND=noninteractive",
                "apt-get",
                "-oDPkg::Lock::Timeout=300",
                "-oDpkg::Use-Pty=0",
                "install",
                "--yes",
                "--no-install-recommends",
            ],
            Self::Dnf => &["dnf", "install", "--assumeyes", "--setopt=install_weak_deps=False"],
            Self::Pacman => &["pacman", "-S", "--noconfirm", "--needed"],
        }
    }

    fn install(self, needs: &[&Need]) -> Result<()> {
        let (command, packages) = (self.command(), self.packages(needs));
        let advice = format!("\n\n    sudo {} {}\n", command.join(" "), packages.join(" "));
        let sh = shell()?;
        let as_root = || {
            as_root(&sh).with_context(|| {
                format!("installing needs root, and sudo is not there or asks for a password. Run:{advice}")
            })
        };
        // dnf fetches the list of packages by itself. With pacman that is an upgrade of the whole machine, which is for its
        // owner to start.
        if self == Self::Apt && as_root()?.args(["apt-get", "update"]).run().is_err() {
            println!("the list of packages may be old");
        }
        let install = as_root()?.args(command).args(packages).run();
        install.with_context(|| format!("to install by hand:{advice}"))
    }
}

/// The start of a command that runs as root; `None` if this user cannot.
pub fn as_root(sh: &Shell) -> Option<Cmd<'_>> {
    if cmd!(sh, "id -u").read().ok()? == "0" {
        return Some(cmd!(sh, "env"));
    }
    // -n: fail where a password is needed, rather than ask for one in the middle of a log.
    cmd!(sh, "sudo -n true").ignore_stderr().read().is_ok().then(|| cmd!(sh, "sudo -n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::Fake;

    fn missing(fake: &Fake, needs: &[Need]) -> Vec<&'static str> {
        needs.iter().filter(|need| need.find(&fake.machine).is_none()).map(|need| need.name).collect()
    }

    #[test]
    fn a_bare_machine_lacks_everything() {
        let mut fake = Fake::new();
        assert_eq!(missing(&fake, &VULKAN), ["Vulkan loader", "Vulkan driver"]);
        assert_eq!(missing(&fake, &GL), ["EGL loader", "EGL driver", "GLES library", "GL driver"]);
        assert_eq!(missing(&fake, &[VALIDATION_LAYER, CHROMIUM, DEBOOTSTRAP]).len(), 3);
        fake.with_vulkan().with_glvnd().with_mesa_egl();
        assert_eq!(missing(&fake, &[&VULKAN[..], &GL].concat()), ["GL driver"]);
    }

    #[test]
    fn the_package_manager_follows_from_os_release() {
        let cases = [
            ("PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n", Some(Manager::Apt)),
            ("ID_LIKE=debian\nID=ubuntu\n", Some(Manager::Apt)),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", Some(Manager::Apt)),
            ("ID=fedora\nVERSION_ID=42\n", Some(Manager::Dnf)),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", Some(Manager::Dnf)),
            ("ID=arch\n", Some(Manager::Pacman)),
            ("ID='endeavouros'\nID_LIKE='arch'\n", Some(Manager::Pacman)),
            ("ID=nixos\n", None),
            ("VARIANT_ID=debian\n", None),
            ("", None),
        ];
        for (os_release, manager) in cases {
            assert_eq!(Manager::of(os_release), manager, "{os_release:?}");
        }
    }

    #[test]
    fn the_distribution_is_read_from_either_place() {
        let mut fake = Fake::new();
        assert_eq!(Manager::on(&fake.machine), None);
        fake.file("usr/lib/os-release", "ID=arch\n");
        assert_eq!(Manager::on(&fake.machine), Some(Manager::Pacman));
        fake.file("etc/os-release", "ID=debian\n");
        assert_eq!(Manager::on(&fake.machine), Some(Manager::Apt));
    }

    #[test]
    fn only_what_is_missing_is_installed_and_once() {
        let all: Vec<_> = VULKAN.iter().chain(&GL).chain([&VALIDATION_LAYER]).collect();
        assert_eq!(Manager::Apt.packages(&all[1..2]), ["mesa-vulkan-drivers"]);
        assert_eq!(
            Manager::Apt.packages(&all),
            [
                "libegl-mesa0",
                "libegl1",
                "libgl1-mesa-dri",
                "libgles2",
                "libvulkan1",
                "mesa-vulkan-drivers",
                "vulkan-validationlayers"
            ]
        );
        assert_eq!(
            Manager::Pacman.packages(&all),
            ["libglvnd", "mesa", "vulkan-icd-loader", "vulkan-swrast", "vulkan-validation-layers"]
        );
    }

    #[test]
    fn nothing_waits_for_an_answer() {
        for (manager, flag) in
            [(Manager::Apt, "--yes"), (Manager::Dnf, "--assumeyes"), (Manager::Pacman, "--noconfirm")]
        {
            assert!(manager.command().contains(&flag), "{manager:?}");
        }
    }
}
