//! Finds drivers by looking at files as the loaders do.
//!
//! The files say whether an adapter can exist; only a device shows that it does. Asking the drivers
//! themselves would mean building wgpu first, or unsafe code.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::drivers::{Api, Part};
use crate::packages::Manager;

/// The files and variables that decide what a loader finds. The tests make one of a few files.
pub struct Machine {
    root: PathBuf,
    variables: BTreeMap<OsString, OsString>,
    /// Directories of the dynamic linker besides the usual ones.
    linker_dirs: Vec<PathBuf>,
    /// The ELF header that a library must have.
    target: Option<ElfTarget>,
}

/// Class, byte order and instruction set of an ELF file. A machine may also hold libraries for others: 32-bit
/// drivers for games, foreign ones for cross compilation.
type ElfTarget = [u8; 4];

fn elf_target(path: &Path) -> Option<ElfTarget> {
    let mut header = [0; 20];
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    header.starts_with(b"\x7fELF").then_some([header[4], header[5], header[18], header[19]])
}

impl Machine {
    /// The machine that this program runs on.
    pub fn this() -> Self {
        // Users' PATH may lack /sbin.
        let cache = ["/sbin/ldconfig", "ldconfig"]
            .iter()
            .find_map(|program| Command::new(program).arg("-p").output().ok())
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .unwrap_or_default();
        Self {
            root: PathBuf::from("/"),
            variables: std::env::vars_os().collect(),
            linker_dirs: linker_dirs(&cache),
            target: std::env::current_exe().ok().and_then(|exe| elf_target(&exe)),
        }
    }

    /// The root of its files.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its package manager, if known.
    pub fn manager(&self) -> Option<Manager> {
        let os_release = ["etc/os-release", "usr/lib/os-release"]
            .iter()
            .find_map(|file| fs::read_to_string(self.root.join(file)).ok())?;
        Manager::of(&os_release)
    }

    /// The parts of `apis` that are not there.
    pub fn missing(&self, apis: &[Api]) -> Vec<Part> {
        let parts = apis.iter().flat_map(|api| api.parts());
        parts.copied().filter(|part| self.find(*part).is_empty()).collect()
    }

    /// Prints the files behind each part of `apis`.
    pub fn print(&self, apis: &[Api]) {
        for part in apis.iter().flat_map(|api| api.parts()) {
            let found = self.find(*part);
            let mut found = found.iter().map(|path| path.display().to_string());
            let first = found.next().unwrap_or_else(|| "MISSING".into());
            println!("{:<14} {first}", part.name());
            for more in found {
                println!("{:<14} {more}", "");
            }
        }
    }

    /// The files of this part; none if it is missing.
    fn find(&self, part: Part) -> Vec<PathBuf> {
        let library = |name| self.library(name).into_iter().collect();
        match part {
            Part::VulkanLoader => library("libvulkan.so.1"),
            Part::VulkanDriver => self.usable(self.vulkan_manifests()),
            Part::ValidationLayer => {
                let mut layers = self.usable(self.layer_manifests());
                layers.retain(|layer| is_khronos_validation(layer));
                layers
            }
            Part::EglLoader => library("libEGL.so.1"),
            Part::EglVendor => self.egl_vendors(),
            Part::Gles => library("libGLESv2.so.2"),
            Part::GlDriver => {
                let others: Vec<_> =
                    self.egl_vendors().into_iter().filter(|vendor| !is_mesa(vendor)).collect();
                if others.is_empty() { self.gallium() } else { others }
            }
        }
    }

    /// The EGL drivers: the manifests, or `libEGL.so.1` itself where it is not libglvnd's, which would come
    /// with `libGLdispatch`.
    fn egl_vendors(&self) -> Vec<PathBuf> {
        match (self.library("libEGL.so.1"), self.library("libGLdispatch.so.0")) {
            (Some(driver), None) => vec![driver],
            _ => self.usable(self.egl_manifests()),
        }
    }

    /// Mesa's GL: one `libgallium-*.so` since 24.2, `dri/*_dri.so` before.
    fn gallium(&self) -> Vec<PathBuf> {
        let wanted = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (name.starts_with("libgallium") && name.contains(".so")) || name.ends_with("swrast_dri.so")
        };
        let mut dirs = self.paths_in("LIBGL_DRIVERS_PATH");
        for dir in self.library_dirs() {
            dirs.push(dir.join("dri"));
            dirs.push(dir);
        }
        let files = dirs.iter().flat_map(|dir| sorted_files(dir));
        files.filter(wanted).find(|path| self.fits(path)).into_iter().collect()
    }

    fn vulkan_manifests(&self) -> Vec<PathBuf> {
        self.vulkan_places(&["VK_DRIVER_FILES", "VK_ICD_FILENAMES"], "VK_ADD_DRIVER_FILES", "icd.d")
    }

    fn layer_manifests(&self) -> Vec<PathBuf> {
        self.vulkan_places(&["VK_LAYER_PATH"], "VK_ADD_LAYER_PATH", "explicit_layer.d")
    }

    /// The places where the loader looks for manifests: the value of the first variable in `instead` that is set, else
    /// the values of `before` and `dir` in the usual places.
    fn vulkan_places(&self, instead: &[&str], before: &str, dir: &str) -> Vec<PathBuf> {
        if let Some(name) = instead.iter().find(|name| self.variable(name).is_some()) {
            return self.paths_in(name);
        }
        let home = PathBuf::from(self.variable("HOME").cloned().unwrap_or_default());
        let listed = |name: &str, default: &[&str]| {
            if self.variable(name).is_some() {
                self.paths_in(name)
            } else {
                default.iter().map(|dir| self.inside(&home.join(dir))).collect()
            }
        };
        // In the loader's order, so that the printed order is the loader's.
        let bases = [
            listed("XDG_CONFIG_HOME", &[".config"]),
            listed("XDG_CONFIG_DIRS", &["/etc/xdg"]),
            vec![self.root.join("usr/local/etc"), self.root.join("etc")],
            listed("XDG_DATA_HOME", &[".local/share"]),
            listed("XDG_DATA_DIRS", &["/usr/local/share", "/usr/share"]),
        ];
        let mut places = self.paths_in(before);
        places.extend(bases.concat().into_iter().map(|base| base.join("vulkan").join(dir)));
        places
    }

    fn egl_manifests(&self) -> Vec<PathBuf> {
        for name in ["__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"] {
            if self.variable(name).is_some() {
                return self.paths_in(name);
            }
        }
        ["etc/glvnd/egl_vendor.d", "usr/share/glvnd/egl_vendor.d"].map(|dir| self.root.join(dir)).into()
    }

    /// The manifests among these files and directories whose library is really there: a container often gets
    /// the manifest of a GPU's driver without the driver.
    fn usable(&self, places: Vec<PathBuf>) -> Vec<PathBuf> {
        let mut manifests: Vec<_> = places
            .into_iter()
            .flat_map(|place| if place.is_dir() { sorted_files(&place) } else { vec![place] })
            .filter(|file| file.extension().is_some_and(|extension| extension == "json"))
            .filter(|manifest| self.library_of(manifest).is_some())
            .collect();
        manifests.dedup();
        manifests
    }

    /// The library of a manifest, where it exists.
    fn library_of(&self, manifest: &Path) -> Option<PathBuf> {
        let named = named_library(manifest)?;
        if named.is_absolute() {
            Some(self.inside(&named)).filter(|path| self.fits(path))
        } else if named.components().count() > 1 {
            Some(manifest.parent()?.join(named)).filter(|path| self.fits(path))
        } else {
            self.library(named.to_str()?)
        }
    }

    fn library(&self, name: &str) -> Option<PathBuf> {
        self.library_dirs().into_iter().map(|dir| dir.join(name)).find(|path| self.fits(path))
    }

    /// Whether this file is a library that a program of this machine can load.
    fn fits(&self, library: &Path) -> bool {
        let target = elf_target(library);
        target.is_some() && target == self.target
    }

    /// Roughly the directories of the dynamic linker.
    fn library_dirs(&self) -> Vec<PathBuf> {
        let mut dirs = self.paths_in("LD_LIBRARY_PATH");
        dirs.extend(self.linker_dirs.iter().map(|dir| self.inside(dir)));
        for dir in ["usr/local/lib", "lib64", "usr/lib64", "lib", "usr/lib"] {
            let dir = self.root.join(dir);
            dirs.extend(sorted_files(&dir).into_iter().filter(|path| {
                path.is_dir()
                    && path.file_name().is_some_and(|name| name.to_string_lossy().contains("-linux-"))
            }));
            dirs.push(dir);
        }
        dirs
    }

    /// A variable. An empty value counts as not set, as for the loaders.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(OsStr::new(name)).filter(|value| !value.is_empty())
    }

    /// The paths that a variable lists.
    fn paths_in(&self, name: &str) -> Vec<PathBuf> {
        let value = self.variable(name).cloned().unwrap_or_default();
        std::env::split_paths(&value)
            .filter(|path| !path.as_os_str().is_empty())
            .map(|path| self.inside(&path))
            .collect()
    }

    /// An absolute path as seen from this machine's root; a relative one as it is.
    fn inside(&self, path: &Path) -> PathBuf {
        path.strip_prefix("/").map_or_else(|_| path.to_path_buf(), |below| self.root.join(below))
    }
}

/// The `library_path` of a manifest, which is JSON of a fixed form: too little to want a parser for.
fn named_library(manifest: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(manifest).ok()?;
    let (_, after) = text.split_once("\"library_path\"")?;
    let value = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    Some(PathBuf::from(value.split_once('"')?.0.replace("\\/", "/")))
}

fn is_mesa(vendor: &Path) -> bool {
    named_library(vendor).is_some_and(|library| library.to_string_lossy().contains("libEGL_mesa"))
}

fn is_khronos_validation(layer: &Path) -> bool {
    fs::read_to_string(layer).is_ok_and(|text| text.contains("\"VK_LAYER_KHRONOS_validation\""))
}

/// What a directory holds, by name; nothing where it cannot be read.
fn sorted_files(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files
}

/// The directories in the output of `ldconfig -p`, whose lines end in `=> /path/of/library`.
fn linker_dirs(cache: &str) -> Vec<PathBuf> {
    let mut dirs: Vec<_> = cache
        .lines()
        .filter_map(|line| Some(Path::new(line.rsplit_once("=> ")?.1).parent()?.to_path_buf()))
        .collect();
    dirs.sort();
    dirs.dedup();
    dirs
}

#[cfg(test)]
mod tests;
