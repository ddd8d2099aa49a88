//! A newer Mesa than the machine's, from Debian's backports, unpacked below target/.

use std::path::Path;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::debian;
use crate::shell::root;

/// The packages of lavapipe, and of libraries that it needs in newer versions than the machine has.
const PACKAGES: [&str; 3] = ["mesa-vulkan-drivers", "libdrm2", "libdrm-amdgpu1"];

/// Chooses lavapipe of the newer Mesa. Downloads and unpacks it first, if that was not done before. Installs nothing.
pub fn of_backports(sh: &Shell) -> Result<()> {
    let unpacked = root().join("target/proof/mesa/root");
    let manifest = || {
        let files = sh.read_dir(unpacked.join("usr/share/vulkan/icd.d")).unwrap_or_default();
        files
            .into_iter()
            .find(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lvp_icd")))
    };
    if manifest().is_none() {
        unpack(sh, &unpacked)?;
    }
    let manifest = manifest().context("the package holds no manifest of lavapipe")?;
    let folders = sh.read_dir(unpacked.join("usr/lib"))?;
    let libraries = folders.iter().find(|folder| folder.join("libvulkan_lvp.so").exists());
    sh.set_var("WGPU_BACKEND", "vulkan");
    sh.set_var("LD_LIBRARY_PATH", libraries.context("the package holds no libvulkan_lvp.so")?);
    sh.set_var("VK_ICD_FILENAMES", manifest);
    Ok(())
}

fn unpack(sh: &Shell, to: &Path) -> Result<()> {
    let (archive, release) = debian::archive(sh).context("only a stable Debian has backports")?;
    let home = root().join("target/proof/mesa");
    let (lists, downloads, sources) = (home.join("lists"), home.join("downloads"), home.join("sources.list"));
    sh.create_dir(lists.join("partial"))?;
    sh.create_dir(&downloads)?;
    sh.create_dir(to)?;
    let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
    sh.write_file(&sources, format!("deb [signed-by={keys}] {archive} {release}-backports main\n"))?;
    // A separate list of packages, so that the machine's own list does not change.
    let options = &[
        format!("-oDir::Etc::SourceList={}", sources.display()),
        "-oDir::Etc::SourceParts=/dev/null".to_owned(),
        format!("-oDir::State::Lists={}", lists.display()),
        // apt's sandbox user could not write to this folder.
        "-oAPT::Sandbox::User=root".to_owned(),
    ];
    let _there = sh.push_dir(&downloads);
    cmd!(sh, "apt-get {options...} update").run()?;
    cmd!(sh, "apt-get {options...} download {PACKAGES...}").run()?;
    for file in sh.read_dir(&downloads)? {
        cmd!(sh, "dpkg -x {file} {to}").run()?;
    }
    Ok(())
}
