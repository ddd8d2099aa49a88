//! Installs packages through the machine's package manager.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, anyhow, bail};

use crate::drivers::Part;
use crate::steps::{run, succeeds};

/// A package manager, known by the distribution that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manager {
    /// Debian, Ubuntu and their relatives.
    Apt,
    /// Fedora and its relatives.
    Dnf,
    /// Arch and its relatives.
    Pacman,
}

impl Manager {
    /// The package manager of the distribution that an `os-release` file describes.
    pub fn of(os_release: &str) -> Option<Self> {
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

    /// The package of a part; Mesa's for drivers.
    fn package(self, part: Part) -> &'static str {
        match (self, part) {
            (Self::Apt, Part::VulkanLoader) => "libvulkan1",
            (Self::Apt, Part::ValidationLayer) => "vulkan-validationlayers",
            (Self::Apt, Part::EglLoader) => "libegl1",
            (Self::Apt, Part::EglVendor) => "libegl-mesa0",
            (Self::Apt, Part::Gles) => "libgles2",
            (Self::Apt, Part::GlDriver) => "libgl1-mesa-dri",
            (Self::Dnf, Part::VulkanLoader) => "vulkan-loader",
            (Self::Apt | Self::Dnf, Part::VulkanDriver) => "mesa-vulkan-drivers",
            (Self::Dnf | Self::Pacman, Part::ValidationLayer) => "vulkan-validation-layers",
            (Self::Dnf, Part::EglLoader) => "libglvnd-egl",
            (Self::Dnf, Part::EglVendor) => "mesa-libEGL",
            (Self::Dnf, Part::Gles) => "libglvnd-gles",
            (Self::Dnf, Part::GlDriver) => "mesa-dri-drivers",
            (Self::Pacman, Part::VulkanLoader) => "vulkan-icd-loader",
            (Self::Pacman, Part::VulkanDriver) => "vulkan-swrast",
            (Self::Pacman, Part::EglLoader | Part::Gles) => "libglvnd",
            (Self::Pacman, Part::EglVendor | Part::GlDriver) => "mesa",
        }
    }

    /// The packages of all `parts`, each once.
    pub fn packages(self, parts: &[Part]) -> Vec<&'static str> {
        let mut packages: Vec<_> = parts.iter().map(|part| self.package(*part)).collect();
        packages.sort_unstable();
        packages.dedup();
        packages
    }

    /// The command line that installs `packages`.
    pub fn advice(self, packages: &[&str]) -> String {
        let packages = packages.join(" ");
        match self {
            Self::Apt => format!("sudo apt-get update && sudo apt-get install {packages}"),
            Self::Dnf => format!("sudo dnf install {packages}"),
            Self::Pacman => format!("sudo pacman -Syu --needed {packages}"),
        }
    }

    /// Installs without asking. An optional extra that a package recommends stays out.
    fn install_words<'a>(self, packages: &[&'a str]) -> Vec<&'a str> {
        let words: &[&str] = match self {
            // A fresh machine may be busy with its own updates: wait for the lock. No terminal between apt
            // and dpkg: a log needs no progress bars.
            Self::Apt => &[
                "env",
                "DEBIAN_FRONTEND=noninteractive",
                "apt-get",
                "-o",
                "DPkg::Lock::Timeout=300",
                "-o",
                "Dpkg::Use-Pty=0",
                "install",
                "--yes",
                "--no-install-recommends",
            ],
            Self::Dnf => &["dnf", "install", "--assumeyes", "--setopt=install_weak_deps=False"],
            Self::Pacman => &["pacman", "-S", "--noconfirm", "--needed"],
        };
        [words, packages].concat()
    }

    /// Fetches the list of packages. dnf does so by itself; with pacman that is an upgrade of the whole
    /// machine, which is for its owner to start.
    fn refresh_words(self) -> Option<Vec<&'static str>> {
        match self {
            Self::Apt => Some(vec!["apt-get", "update"]),
            Self::Dnf | Self::Pacman => None,
        }
    }

    /// Whether the list of packages was never fetched, as in a container image.
    fn has_no_list(self, root: &Path) -> bool {
        self == Self::Apt
            && !std::fs::read_dir(root.join("var/lib/apt/lists")).is_ok_and(|mut files| {
                files.any(|file| {
                    file.is_ok_and(|file| file.file_name().to_string_lossy().contains("_Packages"))
                })
            })
    }

    /// Installs `packages`. Fetches the list of packages first only if needed.
    ///
    /// # Errors
    ///
    /// No right to install, or the package manager fails; the error says what to type.
    pub fn install(self, packages: &[&str], root: &Path) -> Result<()> {
        let advice = self.advice(packages);
        let Some(prefix) = privilege() else {
            bail!(
                "installing needs root, and sudo is not there or asks for a password. Run:\n\n    {advice}\n"
            );
        };
        println!("\nInstalling {}; this may take a minute.", packages.join(", "));
        let run_words = |words: &[&str]| {
            let words = [prefix, words].concat();
            run(Command::new(words[0]).args(&words[1..]))
        };
        let install = self.install_words(packages);
        let result = match self.refresh_words() {
            None => run_words(&install),
            Some(refresh) => {
                let installed = if self.has_no_list(root) { None } else { run_words(&install).ok() };
                // An old list names versions that the servers no longer have.
                installed.map_or_else(|| run_words(&refresh).and_then(|()| run_words(&install)), Ok)
            }
        };
        result.map_err(|error| anyhow!("{error}\nTo install by hand:\n\n    {advice}\n"))
    }
}

/// The words before a command that runs as root; `None` if this user cannot.
pub fn privilege() -> Option<&'static [&'static str]> {
    let id = Command::new("id").arg("-u").output().ok()?;
    if id.stdout.trim_ascii() == b"0" {
        Some(&[])
    } else {
        // -n: fail where a password is needed, rather than ask for one in the middle of a log.
        succeeds(Command::new("sudo").args(["-n", "true"])).then_some(&["sudo", "-n"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Part; 7] = [
        Part::VulkanLoader,
        Part::VulkanDriver,
        Part::ValidationLayer,
        Part::EglLoader,
        Part::EglVendor,
        Part::Gles,
        Part::GlDriver,
    ];

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
    fn only_what_is_missing_is_installed_and_once() {
        assert_eq!(Manager::Apt.packages(&[Part::VulkanDriver]), ["mesa-vulkan-drivers"]);
        assert_eq!(
            Manager::Apt.packages(&ALL),
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
            Manager::Pacman.packages(&ALL),
            ["libglvnd", "mesa", "vulkan-icd-loader", "vulkan-swrast", "vulkan-validation-layers"]
        );
    }

    #[test]
    fn nothing_waits_for_an_answer() {
        for (manager, flag) in
            [(Manager::Apt, "--yes"), (Manager::Dnf, "--assumeyes"), (Manager::Pacman, "--noconfirm")]
        {
            let words = manager.install_words(&["a", "b"]);
            assert!(words.contains(&flag) && words.ends_with(&["a", "b"]), "{words:?}");
        }
    }

    #[test]
    fn an_image_without_package_lists_is_noticed() {
        let root = tempfile::tempdir().unwrap();
        assert!(Manager::Apt.has_no_list(root.path()));
        assert!(!Manager::Dnf.has_no_list(root.path()));
        let lists = root.path().join("var/lib/apt/lists");
        std::fs::create_dir_all(&lists).unwrap();
        std::fs::write(lists.join("lock"), "").unwrap();
        assert!(Manager::Apt.has_no_list(root.path()));
        std::fs::write(lists.join("example_dists_stable_main_binary-amd64_Packages.lz4"), "").unwrap();
        assert!(!Manager::Apt.has_no_list(root.path()));
    }
}
