//! Debian's archive, and a Debian in a folder.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::packages::{self, DEBOOTSTRAP, as_root};

/// This machine's Debian archive and release.
pub fn archive(sh: &Shell) -> Result<(String, String)> {
    let format = "$(REPO_URI) $(RELEASE) $(ORIGIN) $(COMPONENT)";
    let lines = cmd!(sh, "apt-get indextargets --format {format} 'Created-By: Packages'").read()?;
    first_archive(&lines).context("apt knows no archive of a stable Debian")
}

/// Parses apt's lines of archive, release, origin and component.
fn first_archive(lines: &str) -> Option<(String, String)> {
    lines.lines().find_map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
        // Archives of updates have a dash in the release.
        [archive, release, "Debian", "main"] if release.chars().all(|c| c.is_ascii_lowercase()) => {
            Some((archive.to_owned(), release.to_owned()))
        }
        _ => None,
    })
}

/// Puts a Debian with these packages into `folder`, unless one is there. Needs root and the network.
pub fn bootstrap(sh: &Shell, folder: &str, release: &str, packages: &str) -> Result<()> {
    // The folder gets this name when it is complete.
    if sh.path_exists(folder) {
        return Ok(());
    }
    let as_root =
        || as_root(sh).context("debootstrap needs root, and sudo is not there or asks for a password");
    packages::ensure(&[DEBOOTSTRAP])?;
    let unfinished = format!("{folder}.unfinished");
    as_root()?.args(["rm", "-rf", "--one-file-system", &unfinished]).run()?;
    sh.create_dir(&unfinished)?;
    // Debootstrap's mounts end with the namespace.
    let debootstrap = as_root()?.args(["unshare", "--mount", "debootstrap", "--variant=minbase"]);
    let debootstrap = debootstrap.args([&format!("--include={packages}"), release, &unfinished]);
    // If this machine has no Debian archive, debootstrap takes its default mirror.
    debootstrap.args(archive(sh).ok().map(|(archive, _)| archive)).run()?;
    as_root()?.args(["mv", &unfinished, folder]).run()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_that_of_a_release_of_debian() {
        let lines = "https://example.org/cloud stable Cloud main\n\
                     https://example.org/security bookworm-security Debian main\n\
                     https://example.org/debian bookworm Debian contrib\n\
                     https://example.org/debian bookworm Debian main\n\
                     https://example.org/later trixie Debian main\n";
        let expected = ("https://example.org/debian".to_owned(), "bookworm".to_owned());
        assert_eq!(first_archive(lines), Some(expected));
        for lines in ["", "https://example.org/ubuntu noble Ubuntu main\n", "a b Debian main more\n"] {
            assert_eq!(first_archive(lines), None, "{lines}");
        }
    }
}
