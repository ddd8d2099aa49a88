//! A newer Mesa than the machine's, from Debian's backports, unpacked below target/.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Environment, debian};
use crate::steps::run as run_command;

/// lavapipe's packages that the machine's own Mesa lacks.
const PACKAGES: [&str; 3] = ["mesa-vulkan-drivers", "libdrm2", "libdrm-amdgpu1"];

/// Downloads and unpacks it, unless that was done before. Installs nothing.
pub fn of_backports(target: &Path) -> Result<Environment> {
    let home = target.join("mesa");
    let root = home.join("root");
    let manifest = |root: &Path| {
        let mut files = fs::read_dir(root.join("usr/share/vulkan/icd.d")).ok()?;
        files.find_map(|file| {
            let path = file.ok()?.path();
            path.file_name()?.to_str()?.starts_with("lvp_icd").then_some(path)
        })
    };
    if manifest(&root).is_none() {
        unpack(&home, &root)?;
    }
    let manifest = manifest(&root).context("the package holds no manifest of lavapipe")?;
    let libraries = fs::read_dir(root.join("usr/lib"))?.find_map(|dir| {
        let path = dir.ok()?.path();
        path.join("libvulkan_lvp.so").exists().then_some(path)
    });
    let libraries = libraries.context("the package holds no libvulkan_lvp.so")?;
    Ok(vec![
        ("WGPU_BACKEND", "vulkan".into()),
        ("LD_LIBRARY_PATH", libraries.into()),
        ("VK_ICD_FILENAMES", manifest.into()),
    ])
}

fn unpack(home: &Path, root: &Path) -> Result<()> {
    let (archive, release) = debian::archive().context("only a stable Debian has backports")?;
    let (lists, downloads) = (home.join("lists"), home.join("downloads"));
    for dir in [&lists.join("partial"), &downloads, &root.to_owned()] {
        fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
    }
    let sources = home.join("sources.list");
    let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
    fs::write(&sources, format!("deb [signed-by={keys}] {archive} {release}-backports main\n"))?;
    // A separate list of packages; the machine's list stays.
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        for (name, path) in
            [("Dir::Etc::SourceList", sources.as_path()), ("Dir::Etc::SourceParts", Path::new("/dev/null"))]
        {
            command.arg("-o").arg(format!("{name}={}", path.display()));
        }
        command.arg("-o").arg(format!("Dir::State::Lists={}", lists.display()));
        // apt's sandbox could not write here.
        command.args(["-o", "APT::Sandbox::User=root"]).args(words).current_dir(&downloads);
        run_command(&mut command)
    };
    apt(&["update"])?;
    apt(&[&["download"][..], &PACKAGES].concat())?;
    for file in fs::read_dir(&downloads)? {
        run_command(Command::new("dpkg").arg("-x").arg(file?.path()).arg(root))?;
    }
    Ok(())
}
