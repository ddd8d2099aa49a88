//! What is missing, on machines made of a few files.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;

const BOTH: [Api; 2] = [Api::Vulkan, Api::Gl];
const X86_64: ElfTarget = [2, 1, 62, 0];
const X86: ElfTarget = [1, 1, 3, 0];
const DIR: &str = "usr/lib/x86_64-linux-gnu";

struct Fake {
    root: TempDir,
    machine: Machine,
}

impl Fake {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let machine = Machine {
            root: root.path().to_path_buf(),
            variables: BTreeMap::new(),
            linker_dirs: vec![],
            target: Some(X86_64),
        };
        Self { root, machine }
    }

    fn file(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn library_for(&self, path: &str, target: ElfTarget) -> &Self {
        let mut header = [0; 64];
        header[..4].copy_from_slice(b"\x7fELF");
        header[4..6].copy_from_slice(&target[..2]);
        header[18..20].copy_from_slice(&target[2..]);
        self.file(path, header)
    }

    fn library(&self, path: &str) -> &Self {
        self.library_for(path, X86_64)
    }

    fn manifest(&self, path: &str, library: &str) -> &Self {
        self.file(path, format!("{{ \"ICD\": {{\n  \"library_path\" : \"{library}\" }} }}"))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn set(&mut self, name: &str, value: &str) -> &Self {
        self.machine.variables.insert(name.into(), value.into());
        self
    }

    fn missing(&self) -> Vec<Part> {
        self.machine.missing(&BOTH)
    }

    fn with_vulkan(&self) -> &Self {
        self.library(&format!("{DIR}/libvulkan.so.1"))
            .library(&format!("{DIR}/libvulkan_lvp.so"))
            .manifest("usr/share/vulkan/icd.d/lvp_icd.x86_64.json", &format!("/{DIR}/libvulkan_lvp.so"))
    }

    fn with_glvnd(&self) -> &Self {
        for library in ["libEGL.so.1", "libGLdispatch.so.0", "libGLESv2.so.2"] {
            self.library(&format!("{DIR}/{library}"));
        }
        self
    }

    fn with_mesa_egl(&self) -> &Self {
        self.library(&format!("{DIR}/libEGL_mesa.so.0"))
            .manifest("usr/share/glvnd/egl_vendor.d/50_mesa.json", "libEGL_mesa.so.0")
    }
}

#[test]
fn a_bare_machine_lacks_everything() {
    let all = [
        Part::VulkanLoader,
        Part::VulkanDriver,
        Part::EglLoader,
        Part::EglVendor,
        Part::Gles,
        Part::GlDriver,
    ];
    assert_eq!(Fake::new().missing(), all);
    assert_eq!(Fake::new().machine.missing(&[Api::Vulkan]), all[..2]);
}

#[test]
fn mesa_old_and_new_is_complete() {
    for driver in ["dri/swrast_dri.so", "libgallium-25.0.7.so"] {
        let fake = Fake::new();
        fake.with_vulkan().with_glvnd().with_mesa_egl();
        assert_eq!(fake.missing(), [Part::GlDriver]);
        fake.library(&format!("{DIR}/{driver}"));
        assert_eq!(fake.missing(), [], "{driver}");
    }
}

#[test]
fn the_driver_of_a_gpu_is_enough() {
    let fake = Fake::new();
    fake.with_glvnd()
        .library("lib64/libvulkan.so.1")
        .library(&format!("{DIR}/libGLX_nvidia.so.0"))
        .library(&format!("{DIR}/libEGL_nvidia.so.0"))
        .manifest("etc/vulkan/icd.d/nvidia_icd.json", "libGLX_nvidia.so.0")
        .manifest("usr/share/glvnd/egl_vendor.d/10_nvidia.json", "libEGL_nvidia.so.0");
    assert_eq!(fake.missing(), []);
    assert_eq!(fake.machine.find(Part::GlDriver), [fake.path("usr/share/glvnd/egl_vendor.d/10_nvidia.json")]);
}

#[test]
fn a_manifest_without_its_library_does_not_count() {
    let fake = Fake::new();
    fake.library(&format!("{DIR}/libvulkan.so.1"))
        .manifest("etc/vulkan/icd.d/nvidia_icd.json", "libGLX_nvidia.so.0")
        .manifest("etc/vulkan/icd.d/relative.json", "../lib/libdriver.so")
        .file("etc/vulkan/icd.d/empty.json", "{}");
    assert_eq!(fake.machine.missing(&[Api::Vulkan]), [Part::VulkanDriver]);
    fake.library("etc/vulkan/lib/libdriver.so");
    assert_eq!(fake.machine.missing(&[Api::Vulkan]), []);
}

#[test]
fn the_validation_layer_is_one_of_many() {
    let mut fake = Fake::new();
    fake.with_vulkan()
        .library(&format!("{DIR}/libVkLayer_khronos_validation.so"))
        .library(&format!("{DIR}/libVkLayer_other.so"));
    let layer = |name: &str, library: &str| {
        format!("{{ \"layer\": {{ \"name\": \"{name}\", \"library_path\": \"{library}\" }} }}")
    };
    let other = layer("VK_LAYER_OTHER", "libVkLayer_other.so");
    fake.file("usr/share/vulkan/explicit_layer.d/other.json", other);
    let missing = |fake: &Fake| fake.machine.missing(&[Api::ValidatedVulkan]);
    assert_eq!(missing(&fake), [Part::ValidationLayer]);
    let own = layer("VK_LAYER_KHRONOS_validation", "libVkLayer_khronos_validation.so");
    fake.file("usr/share/vulkan/explicit_layer.d/khronos.json", own);
    assert_eq!(missing(&fake), []);
    fake.set("VK_LAYER_PATH", "/nowhere");
    assert_eq!(missing(&fake), [Part::ValidationLayer]);
}

#[test]
fn libraries_for_another_processor_do_not_count() {
    let fake = Fake::new();
    fake.library_for("usr/lib/i386-linux-gnu/libvulkan.so.1", X86)
        .library_for("usr/lib/i386-linux-gnu/libvulkan_lvp.so", X86)
        .manifest("usr/share/vulkan/icd.d/lvp.i686.json", "/usr/lib/i386-linux-gnu/libvulkan_lvp.so")
        .file("usr/lib/libvulkan.so.1", "not a library");
    assert_eq!(fake.machine.missing(&[Api::Vulkan]), [Part::VulkanLoader, Part::VulkanDriver]);
}

#[test]
fn an_egl_outside_libglvnd_is_its_own_driver() {
    let fake = Fake::new();
    fake.with_vulkan().library("usr/lib/libEGL.so.1").library("usr/lib/libGLESv2.so.2");
    assert_eq!(fake.missing(), []);
}

#[test]
fn variables_replace_or_extend_the_search() {
    let mut fake = Fake::new();
    fake.with_vulkan().library("opt/sw/libsw.so").manifest("opt/sw/sw.json", "./libsw.so");
    let drivers = |fake: &Fake| fake.machine.find(Part::VulkanDriver);
    let usual = fake.path("usr/share/vulkan/icd.d/lvp_icd.x86_64.json");
    let special = [fake.path("opt/sw/sw.json")];
    assert_eq!(drivers(&fake), std::slice::from_ref(&usual));
    assert_eq!(drivers(fake.set("VK_ADD_DRIVER_FILES", "/opt/sw/sw.json")), [special[0].clone(), usual]);
    assert_eq!(drivers(fake.set("VK_ICD_FILENAMES", "/opt/sw/sw.json")), special);
    assert_eq!(drivers(fake.set("VK_DRIVER_FILES", "/nowhere.json")), Vec::<PathBuf>::new());
    assert_eq!(drivers(fake.set("VK_DRIVER_FILES", "/opt/sw")), special);

    let mut fake = Fake::new();
    fake.library("here/libsw.so").manifest("data/vulkan/icd.d/sw.json", "libsw.so");
    assert_eq!(drivers(fake.set("XDG_DATA_DIRS", "/data")), Vec::<PathBuf>::new());
    assert_eq!(drivers(fake.set("LD_LIBRARY_PATH", "/here")).len(), 1);
}

#[test]
fn a_user_may_have_a_driver_at_home() {
    let mut fake = Fake::new();
    fake.set("HOME", "/home/ada");
    fake.library("usr/lib/libsw.so").manifest("home/ada/.local/share/vulkan/icd.d/sw.json", "libsw.so");
    assert_eq!(fake.machine.find(Part::VulkanDriver).len(), 1);
}

#[test]
fn the_linkers_cache_gives_directories() {
    let cache = "2 libs found in cache `/etc/ld.so.cache'\n\
                 \tlibvulkan.so.1 (libc6,x86-64) => /opt/lib/libvulkan.so.1\n\
                 \tlibz.so.1 (libc6) => /lib32/libz.so.1\n\
                 \tlibm.so.6 (libc6,x86-64) => /opt/lib/libm.so.6\n\
                 Cache generated by: ldconfig\n";
    assert_eq!(linker_dirs(cache), [Path::new("/lib32"), Path::new("/opt/lib")]);
    let mut fake = Fake::new();
    fake.library("opt/lib/libvulkan.so.1");
    assert_eq!(fake.machine.find(Part::VulkanLoader).len(), 0);
    fake.machine.linker_dirs = linker_dirs(cache);
    assert_eq!(fake.machine.find(Part::VulkanLoader), [fake.path("opt/lib/libvulkan.so.1")]);
}

#[test]
fn the_distribution_is_read_from_either_place() {
    let fake = Fake::new();
    assert_eq!(fake.machine.manager(), None);
    fake.file("usr/lib/os-release", "ID=arch\n");
    assert_eq!(fake.machine.manager(), Some(Manager::Pacman));
    fake.file("etc/os-release", "ID=debian\n");
    assert_eq!(fake.machine.manager(), Some(Manager::Apt));
}
