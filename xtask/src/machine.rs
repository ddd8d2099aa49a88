//! Finds drivers and programs by looking at files, roughly as the loaders do.
//!
//! The files say whether an adapter can exist; only a device shows that it does. Asking the drivers themselves would
//! mean building wgpu first, or unsafe code.

use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files and variables that decide what a loader finds. The tests make a machine of a few files.
pub struct Machine {
    root: PathBuf,
    variables: HashMap<OsString, OsString>,
    /// The output of `ldconfig -p`: lines such as `libm.so.6 (libc6,x86-64) => /lib/libm.so.6`.
    linker_cache: String,
}

impl Machine {
    /// The machine that this program runs on.
    pub fn this() -> Self {
        // Users' PATH may lack /sbin.
        let mut programs = ["/sbin/ldconfig", "ldconfig"].iter();
        let cache = programs.find_map(|program| Command::new(program).arg("-p").output().ok());
        Self {
            root: PathBuf::from("/"),
            variables: env::vars_os().collect(),
            linker_cache: cache.map_or_else(String::new, |said| String::from_utf8_lossy(&said.stdout).into()),
        }
    }

    #[cfg(test)]
    pub fn of(root: &Path, (variable, value): (&str, &str), linker_cache: String) -> Self {
        let variables = HashMap::from([(variable.into(), value.into())]);
        Self { root: root.to_owned(), variables, linker_cache }
    }

    /// The value of the first of these variables that is set: a driver that the user has chosen. It is not checked.
    pub fn chosen(&self, variables: &[&str]) -> Option<PathBuf> {
        variables.iter().find_map(|name| self.variable(name)).map(PathBuf::from)
    }

    /// The first of these files.
    pub fn file(&self, paths: &[&str]) -> Option<PathBuf> {
        paths.iter().map(|path| self.root.join(path)).find(|path| path.is_file())
    }

    /// The first of these programs on the PATH.
    pub fn program(&self, names: &[&str]) -> Option<PathBuf> {
        let dirs: Vec<_> = self.paths_in("PATH").collect();
        let files = |name: &&str| {
            let plain = dirs.iter().map(|dir| dir.join(name));
            plain.chain(dirs.iter().map(|dir| dir.join(format!("{name}.exe")))).find(|file| file.is_file())
        };
        names.iter().find_map(files)
    }

    /// A library that the dynamic linker finds. A machine may also hold libraries of other processors, for games.
    pub fn library(&self, name: &str) -> Option<PathBuf> {
        let fits = |line: &&str| line.contains("x86-64") == cfg!(target_arch = "x86_64");
        let mut known = self.linker_cache.lines().map(str::trim).filter(fits);
        let known = known.find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
        let known = known.and_then(|line| Some(self.inside(line.split_once("=> ")?.1)));
        let listed = self.paths_in("LD_LIBRARY_PATH").map(|dir| dir.join(name));
        // Linkers without a cache, such as musl's, look in these folders.
        let folders =
            if self.linker_cache.is_empty() { &["usr/local/lib", "usr/lib", "lib"][..] } else { &[] };
        let usual = folders.iter().map(|folder| self.root.join(folder).join(name));
        listed.chain(known).chain(usual).find(|path| path.is_file())
    }

    /// A manifest of a driver or layer, from the usual places, whose text is `wanted` and whose library exists: a
    /// container often gets the manifest of a GPU's driver without the driver.
    pub fn manifest(&self, folder: &str, wanted: impl Fn(&str) -> bool) -> Option<PathBuf> {
        let home = self.variable("HOME").map(|home| self.inside(home).join(".local/share"));
        let bases = ["usr/local/etc", "etc", "usr/local/share", "usr/share"].map(|base| self.root.join(base));
        let bases = home.into_iter().chain(bases).chain(self.paths_in("XDG_DATA_DIRS"));
        let folders = bases.map(|base| base.join(folder));
        folders.flat_map(|folder| files(&folder)).find(|file| {
            fs::read_to_string(file).is_ok_and(|text| wanted(&text) && self.has_library(file, &text))
        })
    }

    /// Whether the library of a manifest exists. A manifest is JSON of a fixed form.
    fn has_library(&self, manifest: &Path, text: &str) -> bool {
        let path = text.split_once("\"library_path\"").and_then(|(_, rest)| rest.split('"').nth(1));
        path.is_some_and(|path| match manifest.parent() {
            Some(_) if path.starts_with('/') => self.inside(path).is_file(),
            Some(folder) if path.contains('/') => folder.join(path).is_file(),
            _ => self.library(path).is_some(),
        })
    }

    /// A driver of EGL: a manifest, or `libEGL.so.1` itself if it is not libglvnd's loader. libglvnd comes with
    /// `libGLdispatch`.
    pub fn egl_driver(&self, wanted: impl Fn(&str) -> bool) -> Option<PathBuf> {
        let chosen = self.chosen(&["__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"]);
        let own = || self.library("libEGL.so.1").filter(|_| self.library("libGLdispatch.so.0").is_none());
        chosen.or_else(own).or_else(|| self.manifest("glvnd/egl_vendor.d", wanted))
    }

    /// Mesa's GL driver: a `libgallium-*.so` beside `libEGL`; before Mesa 24.2, `dri/swrast_dri.so`.
    pub fn gallium(&self) -> Option<PathBuf> {
        if let Some(chosen) = self.chosen(&["LIBGL_DRIVERS_PATH"]) {
            return Some(chosen);
        }
        let folder = self.library("libEGL.so.1")?.parent()?.to_owned();
        let mut drivers = files(&folder).into_iter().chain(files(&folder.join("dri")));
        drivers.find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (name.starts_with("libgallium") && name.contains(".so")) || name == "swrast_dri.so"
        })
    }

    /// A variable. An empty value counts as not set, as for the loaders.
    fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(OsStr::new(name)).filter(|value| !value.is_empty())
    }

    /// The paths that a variable lists.
    fn paths_in(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let paths = self.variable(name).into_iter().flat_map(env::split_paths);
        paths.filter(|path| path.is_absolute()).map(|path| self.inside(path))
    }

    /// An absolute path as seen from this machine's root.
    fn inside(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        path.strip_prefix("/").map_or_else(|_| path.to_owned(), |below| self.root.join(below))
    }
}

/// The contents of a folder, by name; nothing where it cannot be read.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    files
}
