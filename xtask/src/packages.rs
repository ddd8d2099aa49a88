//! Installs packages through the machine's package manager: drivers, and programs that single commands need.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};
use xshell::{Cmd, Shell, cmd};

use crate::machine::Machine;
use crate::shell::shell;

/// A library, program or driver that a command needs, and its package for each of [`MANAGERS`]. Packages of drivers are
/// Mesa's.
#[derive(Clone, Copy)]
pub struct Need {
    name: &'static str,
    find: Find,
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
        Find::Driver(|machine| machine.egl_driver(|_| true)),
        ["libegl-mesa0", "mesa-libEGL", "mesa"],
    ),
    need("GLES library", Find::Library("libGLESv2.so.2"), ["libgles2", "libglvnd-gles", "libglvnd"]),
    // Mesa's EGL needs this to draw anything; other vendors' EGL needs no package.
    need(
        "GL driver",
        Find::Driver(|machine| {
            let other = machine.egl_driver(|text| !text.contains("libEGL_mesa"));
            other.or_else(|| machine.gallium())
        }),
        ["libgl1-mesa-dri", "mesa-dri-drivers", "mesa"],
    ),
];

pub const NODE: Need = need("Node.js", Find::Program(&["node"]), ["nodejs", "nodejs", "nodejs"]);
pub const NPM: Need = need("npm", Find::Program(&["npm"]), ["npm", "nodejs-npm", "npm"]);
/// Makes virtual environments. Debian's Python has the module `venv` without its dependencies.
pub const VENV: Need = need("venv", Find::Python("ensurepip, venv"), ["python3-venv", "python3", "python"]);
/// Puts a Debian into a folder. Often not on the PATH of users.
pub const DEBOOTSTRAP: Need =
    need("debootstrap", Find::File(&["usr/sbin/debootstrap"]), ["debootstrap", "debootstrap", "debootstrap"]);
/// Links programs for Windows.
pub const MINGW: Need = need(
    "MinGW",
    Find::Program(&["x86_64-w64-mingw32-gcc"]),
    ["gcc-mingw-w64-x86-64", "mingw64-gcc", "mingw-w64-gcc"],
);
pub const CHROMIUM: Need = need(
    "Chromium",
    Find::Program(&["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]),
    ["chromium", "chromium", "chromium"],
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

/// A package manager.
struct Manager {
    program: &'static str,
    /// The word that fetches the list of packages. dnf fetches it by itself. With pacman, a new list requires an
    /// upgrade of the whole machine, which is left to its owner.
    refresh: Option<&'static str>,
    /// Words that install without asking. An optional extra that a package recommends stays out.
    install: &'static [&'static str],
}

/// The package managers of Debian, of Fedora, and of Arch with their relatives.
const MANAGERS: [Manager; 3] = [
    Manager {
        program: "apt-get",
        refresh: Some("update"),
        // A fresh machine may be busy with its own updates: wait for the lock. No terminal between apt and dpkg: a log
        // needs no progress bars.
        install: &[
            "-oDPkg::Lock::Timeout=300",
            "-oDpkg::Use-Pty=0",
            "--yes",
            "--no-install-recommends",
            "install",
        ],
    },
    Manager {
        program: "dnf",
        refresh: None,
        install: &["install", "--assumeyes", "--setopt=install_weak_deps=False"],
    },
    Manager { program: "pacman", refresh: None, install: &["-S", "--noconfirm", "--needed"] },
];

/// Installs the missing ones of `needs`; prints and returns the places of all.
pub fn ensure(needs: &[Need]) -> Result<Vec<PathBuf>> {
    let mut machine = Machine::this();
    let missing: Vec<_> = needs.iter().filter(|need| need.find(&machine).is_none()).collect();
    if !missing.is_empty() {
        let names: Vec<_> = missing.iter().map(|need| need.name).collect();
        let names = names.join(", ");
        let manager = MANAGERS.iter().zip(0..).find(|(known, _)| machine.program(&[known.program]).is_some());
        let (manager, which) = manager.with_context(|| {
            let debian: Vec<_> = missing.iter().map(|need| need.packages[0]).collect();
            format!("missing: {names}; in Debian these packages bring them: {}", debian.join(", "))
        })?;
        let packages = packages(&missing, which);
        manager.install(&packages).with_context(|| {
            let words = [&["sudo", manager.program], manager.install, &packages].concat();
            format!("missing: {names}. To install by hand:\n\n    {}\n", words.join(" "))
        })?;
        machine = Machine::this();
    }
    needs
        .iter()
        .map(|need| {
            let place = need.find(&machine);
            let place = place.with_context(|| format!("{} is installed and not found", need.name))?;
            println!("{:<14} {}", need.name, place.display());
            Ok(place)
        })
        .collect()
}

/// The packages of all `needs` with a manager of [`MANAGERS`], each once.
fn packages(needs: &[&Need], manager: usize) -> Vec<&'static str> {
    let mut packages: Vec<_> = needs.iter().map(|need| need.packages[manager]).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

impl Manager {
    fn install(&self, packages: &[&str]) -> Result<()> {
        let sh = shell()?;
        let as_root = || as_root(&sh).context("installing needs root, or a sudo that asks for no password");
        if let Some(refresh) = self.refresh
            && as_root()?.args([self.program, refresh]).run().is_err()
        {
            println!("the list of packages may be old");
        }
        let install = as_root()?.args(["env", "DEBIAN_FRONTEND=noninteractive", self.program]);
        Ok(install.args(self.install).args(packages).run()?)
    }
}

/// Installs Mesa's software drivers where a driver is missing on Linux. Other systems bring theirs.
pub fn drivers(needs: &[Need]) -> Result<()> {
    if cfg!(target_os = "linux") {
        return ensure(needs).map(drop);
    }
    println!("the system brings its driver; nothing to install");
    Ok(())
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

    #[test]
    fn each_manager_installs_its_own_packages_once_and_asks_nothing() {
        let needs: Vec<_> = VULKAN.iter().chain(&GL).collect();
        let debian =
            ["libegl-mesa0", "libegl1", "libgl1-mesa-dri", "libgles2", "libvulkan1", "mesa-vulkan-drivers"];
        let fedora = [
            "libglvnd-egl",
            "libglvnd-gles",
            "mesa-dri-drivers",
            "mesa-libEGL",
            "mesa-vulkan-drivers",
            "vulkan-loader",
        ];
        let arch = ["libglvnd", "mesa", "vulkan-icd-loader", "vulkan-swrast"];
        for (i, (program, flag, expected)) in [
            ("apt-get", "--yes", &debian[..]),
            ("dnf", "--assumeyes", &fedora),
            ("pacman", "--noconfirm", &arch),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(packages(&needs, i), expected);
            assert!(MANAGERS[i].program == program && MANAGERS[i].install.contains(&flag), "{program}");
        }
    }

    const ICD: &str = "usr/share/vulkan/icd.d/a.json";
    const LAYER: &str = "usr/share/vulkan/explicit_layer.d/a.json";
    const EGL: &str = "usr/share/glvnd/egl_vendor.d/a.json";

    /// A path, and for a manifest two words: its name and its library.
    type File = (&'static str, &'static str);

    const LOADER: File = ("usr/lib/here/libvulkan.so.1", "");
    const EGL_LOADER: File = ("usr/lib/here/libEGL.so.1", "");
    const GLES: File = ("usr/lib/here/libGLESv2.so.2", "");
    const DISPATCH: File = ("usr/lib/here/libGLdispatch.so.0", "");
    const LAVAPIPE: [File; 2] =
        [("usr/lib/here/libvulkan_lvp.so", ""), (ICD, "lvp /usr/lib/here/libvulkan_lvp.so")];
    const MESA_EGL: [File; 2] = [("usr/lib/here/libEGL_mesa.so.0", ""), (EGL, "mesa libEGL_mesa.so.0")];

    /// The parts of [`VULKAN`], [`VALIDATION_LAYER`] and [`GL`] that a machine of a few files has. The linker's cache
    /// lists libraries below `usr/lib/here` for this processor, and libraries below `usr/lib/other` for another one.
    fn found(files: &[File], variable: (&str, &str)) -> String {
        let sh = Shell::new().unwrap();
        let root = sh.create_temp_dir().unwrap();
        let mut processors = ["(libc6)", "(libc6,x86-64)"];
        if cfg!(target_arch = "x86_64") {
            processors.reverse();
        }
        let mut cache = "9 libs found in cache `/etc/ld.so.cache'\n".to_owned();
        for (path, words) in files {
            let (name, library) = words.split_once(' ').unwrap_or_default();
            let text =
                format!("{{ \"ICD\": {{ \"name\": \"{name}\",\n  \"library_path\" : \"{library}\" }} }}");
            sh.write_file(root.path().join(path), if words.is_empty() { "" } else { &text }).unwrap();
            for (folder, processor) in ["usr/lib/here/lib", "usr/lib/other/lib"].iter().zip(processors) {
                if let Some(library) = path.strip_prefix(folder) {
                    cache += &format!("\tlib{library} {processor} => /{path}\n");
                }
            }
        }
        let machine = Machine::of(root.path(), variable, cache);
        let needs = [&VULKAN[..], &[VALIDATION_LAYER], &GL].concat();
        let found = needs.iter().filter(|need| need.find(&machine).is_some()).map(|need| need.name);
        found.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn drivers_are_found_as_the_loaders_do() {
        const NONE: (&str, &str) = ("", "");
        let glvnd = [EGL_LOADER, DISPATCH, GLES];
        let mesa = [&glvnd[..], &MESA_EGL].concat();
        let nvidia = [("usr/lib/here/libEGL_nvidia.so.0", ""), (EGL, "nvidia libEGL_nvidia.so.0")];
        let software: [File; 2] = [("here/libsw.so", ""), (ICD, "sw libsw.so")];
        let home: [File; 2] =
            [("usr/lib/here/libsw.so", ""), ("home/ada/.local/share/vulkan/icd.d/sw.json", "sw libsw.so")];
        let data: [File; 2] = [("usr/lib/here/libsw.so", ""), ("data/vulkan/icd.d/sw.json", "sw libsw.so")];
        let khronos = (LAYER, "VK_LAYER_KHRONOS_validation libVkLayer.so");
        let layer = ("usr/lib/here/libVkLayer.so", "");
        for (case, files, variable, expected) in [
            ("a bare machine", &[][..], NONE, ""),
            ("lavapipe", &[&[LOADER][..], &LAVAPIPE].concat(), NONE, "Vulkan loader, Vulkan driver"),
            ("EGL without Mesa's GL", &mesa, NONE, "EGL loader, EGL driver, GLES library"),
            (
                "Mesa before 24.2",
                &[&mesa[..], &[("usr/lib/here/dri/swrast_dri.so", "")]].concat(),
                NONE,
                "EGL loader, EGL driver, GLES library, GL driver",
            ),
            (
                "Mesa",
                &[&mesa[..], &[("usr/lib/here/libgallium-25.0.7.so", "")]].concat(),
                NONE,
                "EGL loader, EGL driver, GLES library, GL driver",
            ),
            (
                "the driver of a GPU",
                &[&glvnd[..], &nvidia].concat(),
                NONE,
                "EGL loader, EGL driver, GLES library, GL driver",
            ),
            (
                "an EGL outside libglvnd, which is its own driver",
                &[EGL_LOADER, GLES],
                NONE,
                "EGL loader, EGL driver, GLES library, GL driver",
            ),
            ("a manifest without its library", &[(ICD, "nvidia libGLX_nvidia.so.0")], NONE, ""),
            ("a relative library that is not there", &[(ICD, "a ../lib/libdriver.so")], NONE, ""),
            (
                "a relative library",
                &[(ICD, "a ../lib/libdriver.so"), ("usr/share/vulkan/lib/libdriver.so", "")],
                NONE,
                "Vulkan driver",
            ),
            ("a manifest without a library", &[(ICD, "")], NONE, ""),
            ("another layer", &[layer, (LAYER, "VK_LAYER_OTHER libVkLayer.so")], NONE, ""),
            ("the layer", &[layer, khronos], NONE, "Vulkan layer"),
            ("a layer that the user names", &[], ("VK_LAYER_PATH", "/layers"), "Vulkan layer"),
            (
                "libraries for another processor",
                &[("usr/lib/other/libvulkan.so.1", ""), ("usr/lib/other/libsw.so", ""), (ICD, "sw libsw.so")],
                NONE,
                "",
            ),
            ("another version of a library", &[("usr/lib/here/libvulkan.so.12", "")], NONE, ""),
            ("a driver that the user names", &[], ("VK_ICD_FILENAMES", "/opt/sw.json"), "Vulkan driver"),
            ("an empty variable", &[], ("VK_DRIVER_FILES", ""), ""),
            ("a library that the linker does not look for", &software, NONE, ""),
            ("the same, with its folder", &software, ("LD_LIBRARY_PATH", "/here"), "Vulkan driver"),
            ("a driver at somebody else's home", &home, NONE, ""),
            ("a driver at home", &home, ("HOME", "/home/ada"), "Vulkan driver"),
            (
                "a driver in another folder of data",
                &data,
                ("XDG_DATA_DIRS", "/nowhere:/data"),
                "Vulkan driver",
            ),
        ] {
            assert_eq!(found(files, variable), expected, "{case}");
        }
    }
}
