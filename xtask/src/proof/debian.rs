//! Debian's archive, and a Debian in a folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::packages::privilege;
use crate::steps::run as run_command;
use crate::tools::{self, Tool};

/// This machine's Debian archive and release.
///
/// # Errors
///
/// There is no apt, or it has another distribution's packages.
pub fn archive() -> Result<(String, String)> {
    let format = "$(REPO_URI) $(RELEASE) $(ORIGIN) $(COMPONENT)";
    let output = Command::new("apt-get")
        .args(["indextargets", "--format", format, "Created-By: Packages"])
        .output()
        .context("apt-get is not here")?;
    let Some((archive, release)) = first_archive(&String::from_utf8_lossy(&output.stdout)) else {
        bail!("apt knows no archive of a stable Debian");
    };
    Ok((archive, release))
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

/// Puts a Debian with these packages into `folder`, unless one is there.
///
/// # Errors
///
/// This user cannot become root, debootstrap cannot be had, or it fails: without a network, for example.
pub fn bootstrap(folder: &Path, release: &str, packages: &[&str]) -> Result<()> {
    // The folder gets this name when it is complete.
    if folder.exists() {
        return Ok(());
    }
    let prefix =
        privilege().context("debootstrap needs root, and sudo is not there or asks for a password")?;
    let as_root = |words: &[&str]| {
        let words = [prefix, words].concat();
        run_command(Command::new(words[0]).args(&words[1..]))
    };
    tools::ensure(&[Tool::Debootstrap])?;
    let parent = folder.parent().context("a folder lies in another one")?;
    fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    let unfinished = folder.with_extension("unfinished");
    let path = unfinished.to_str().context("debootstrap takes no such path")?;
    as_root(&["rm", "-rf", "--one-file-system", path])?;
    let include = format!("--include={}", packages.join(","));
    let mirror = archive().ok().map(|(archive, _)| archive);
    as_root(&words(&[&include, release, path], mirror.as_deref()))?;
    fs::rename(&unfinished, folder).with_context(|| folder.display().to_string())
}

/// The command line: debootstrap's words, then the mirror, if given. Its mounts end with it.
fn words<'a>(what: &[&'a str], mirror: Option<&'a str>) -> Vec<&'a str> {
    let program = ["unshare", "--mount", "debootstrap", "--variant=minbase"];
    program.iter().chain(what).copied().chain(mirror).collect()
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

    #[test]
    fn without_a_mirror_debootstrap_takes_its_own() {
        let what = ["--include=a,b", "trixie", "to"];
        let line = |mirror| words(&what, mirror).join(" ");
        assert_eq!(line(None), "unshare --mount debootstrap --variant=minbase --include=a,b trixie to");
        assert_eq!(line(Some("https://example.org")), line(None) + " https://example.org");
    }
}
