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

/// The files and variables that decide what a loader finds. The tests make one of a few files.
pub struct Machine {
    pub root: PathBuf,
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

    /// The value of the first variable that is set. Its user has chosen a driver, right or wrong.
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
        listed.chain(known).find(|path| path.is_file())
    }

    /// A driver's or layer's manifest in one of the usual places whose text is `wanted`, and whose library is really
    /// there: a container often gets the manifest of a GPU's driver without the driver.
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

    /// A driver of EGL: a manifest, or `libEGL.so.1` itself where it is not libglvnd's, which comes with
    /// `libGLdispatch`.
    pub fn egl_driver(&self, wanted: impl Fn(&str) -> bool) -> Option<PathBuf> {
        let own = self.library("libEGL.so.1").filter(|_| self.library("libGLdispatch.so.0").is_none());
        own.or_else(|| self.manifest("glvnd/egl_vendor.d", wanted))
    }

    /// Mesa's GL: one `libgallium-*.so` beside `libEGL` since 24.2, `dri/swrast_dri.so` before.
    pub fn gallium(&self) -> Option<PathBuf> {
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

#[cfg(test)]
pub mod tests {
    use xshell::{Shell, TempDir};

    use super::*;

    const DIR: &str = "/usr/lib/x86_64-linux-gnu";

    /// A machine of a few files.
    pub struct Fake {
        /// Deletes the files at the end.
        _root: TempDir,
        sh: Shell,
        pub machine: Machine,
    }

    impl Fake {
        pub fn new() -> Self {
            let sh = Shell::new().unwrap();
            let root = sh.create_temp_dir().unwrap();
            sh.change_dir(root.path());
            let machine = Machine {
                root: root.path().to_owned(),
                variables: HashMap::new(),
                linker_cache: "1 libs found in cache `/etc/ld.so.cache'\n".to_owned(),
            };
            Self { _root: root, sh, machine }
        }

        pub fn file(&mut self, path: &str, content: &str) -> &mut Self {
            self.sh.write_file(path.trim_start_matches('/'), content).unwrap();
            self
        }

        fn library_for(&mut self, path: &str, processor: &str) -> &mut Self {
            let name = path.rsplit('/').next().unwrap();
            self.machine.linker_cache += &format!("\t{name} (libc6{processor}) => {path}\n");
            self.file(path, "")
        }

        fn library(&mut self, name: &str) -> &mut Self {
            self.library_for(
                &format!("{DIR}/{name}"),
                if cfg!(target_arch = "x86_64") { ",x86-64" } else { "" },
            )
        }

        fn manifest(&mut self, path: &str, library: &str) -> &mut Self {
            self.file(path, &format!("{{ \"ICD\": {{\n  \"library_path\" : \"{library}\" }} }}"))
        }

        fn set(&mut self, name: &str, value: &str) -> &mut Self {
            self.machine.variables.insert(name.into(), value.into());
            self
        }

        pub fn with_vulkan(&mut self) -> &mut Self {
            let manifest = "usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
            self.library("libvulkan.so.1")
                .library("libvulkan_lvp.so")
                .manifest(manifest, &format!("{DIR}/libvulkan_lvp.so"))
        }

        pub fn with_glvnd(&mut self) -> &mut Self {
            self.library("libEGL.so.1").library("libGLdispatch.so.0").library("libGLESv2.so.2")
        }

        pub fn with_mesa_egl(&mut self) -> &mut Self {
            self.library("libEGL_mesa.so.0")
                .manifest("usr/share/glvnd/egl_vendor.d/50_mesa.json", "libEGL_mesa.so.0")
        }

        fn vulkan_driver(&self) -> bool {
            self.machine.manifest("vulkan/icd.d", |_| true).is_some()
        }
    }

    #[test]
    fn mesa_old_and_new_is_complete() {
        for driver in ["dri/swrast_dri.so", "libgallium-25.0.7.so"] {
            let mut fake = Fake::new();
            fake.with_glvnd().with_mesa_egl();
            assert!(fake.machine.egl_driver(|_| true).is_some() && fake.machine.gallium().is_none());
            fake.file(&format!("{DIR}/{driver}"), "");
            assert!(fake.machine.gallium().is_some(), "{driver}");
        }
    }

    #[test]
    fn the_driver_of_a_gpu_is_enough() {
        let mut fake = Fake::new();
        fake.with_glvnd()
            .library("libGLX_nvidia.so.0")
            .library("libEGL_nvidia.so.0")
            .manifest("etc/vulkan/icd.d/nvidia_icd.json", "libGLX_nvidia.so.0")
            .manifest("usr/share/glvnd/egl_vendor.d/10_nvidia.json", "libEGL_nvidia.so.0");
        let other_than_mesa = fake.machine.egl_driver(|text| !text.contains("libEGL_mesa"));
        assert_eq!(other_than_mesa, fake.machine.file(&["usr/share/glvnd/egl_vendor.d/10_nvidia.json"]));
        assert!(other_than_mesa.is_some() && fake.vulkan_driver());
    }

    #[test]
    fn a_manifest_without_its_library_does_not_count() {
        let mut fake = Fake::new();
        fake.manifest("etc/vulkan/icd.d/nvidia_icd.json", "libGLX_nvidia.so.0")
            .manifest("etc/vulkan/icd.d/relative.json", "../lib/libdriver.so")
            .file("etc/vulkan/icd.d/empty.json", "{}");
        assert!(!fake.vulkan_driver());
        fake.file("etc/vulkan/lib/libdriver.so", "");
        assert!(fake.vulkan_driver());
    }

    #[test]
    fn the_validation_layer_is_one_of_many() {
        let mut fake = Fake::new();
        let layer = |name: &str| format!("{{ \"name\": \"{name}\", \"library_path\": \"libVkLayer.so\" }}");
        fake.library("libVkLayer.so").file("usr/share/vulkan/explicit_layer.d/other.json", &layer("OTHER"));
        let has = |fake: &Fake| {
            fake.machine.manifest("vulkan/explicit_layer.d", |text| text.contains("KHRONOS")).is_some()
        };
        assert!(!has(&fake));
        fake.file("usr/share/vulkan/explicit_layer.d/khronos.json", &layer("KHRONOS"));
        assert!(has(&fake));
    }

    #[test]
    fn libraries_for_another_processor_do_not_count() {
        let mut fake = Fake::new();
        let other = if cfg!(target_arch = "x86_64") { "" } else { ",x86-64" };
        fake.library_for("/usr/lib/i386-linux-gnu/libvulkan.so.1", other);
        assert_eq!(fake.machine.library("libvulkan.so.1"), None);
        fake.library("libvulkan.so.1");
        assert_eq!(fake.machine.library("libvulkan.so"), None);
        assert_eq!(
            fake.machine.library("libvulkan.so.1"),
            fake.machine.file(&["usr/lib/x86_64-linux-gnu/libvulkan.so.1"])
        );
    }

    #[test]
    fn an_egl_outside_libglvnd_is_its_own_driver() {
        let mut fake = Fake::new();
        fake.library("libEGL.so.1");
        assert_eq!(fake.machine.egl_driver(|_| false), fake.machine.library("libEGL.so.1"));
    }

    #[test]
    fn variables_replace_or_extend_the_search() {
        let mut fake = Fake::new();
        let icd = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"];
        assert_eq!(fake.set("VK_DRIVER_FILES", "").machine.chosen(&icd), None);
        fake.set("VK_ICD_FILENAMES", "/opt/sw.json");
        assert_eq!(fake.machine.chosen(&["VK_ICD_FILENAMES"]), Some("/opt/sw.json".into()));
        fake.file("here/libsw.so", "").manifest("usr/share/vulkan/icd.d/sw.json", "libsw.so");
        assert!(!fake.vulkan_driver());
        assert!(fake.set("LD_LIBRARY_PATH", "/here").vulkan_driver());
    }

    #[test]
    fn a_driver_may_lie_at_home_or_where_a_variable_says() {
        for (folder, variable, value) in
            [("home/ada/.local/share", "HOME", "/home/ada"), ("data", "XDG_DATA_DIRS", "/nowhere:/data")]
        {
            let mut fake = Fake::new();
            fake.library("libsw.so").manifest(&format!("{folder}/vulkan/icd.d/sw.json"), "libsw.so");
            assert!(!fake.vulkan_driver());
            assert!(fake.set(variable, value).vulkan_driver(), "{variable}");
        }
    }
}
