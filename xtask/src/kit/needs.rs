//! Finds the libraries that a Linux program needs on another machine.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// Libraries on every Linux with glibc: glibc's own, and the compiler's, which Mesa needs too. `ld-linux` is the
/// loader; its name ends in the processor's.
const EVERYWHERE: [&str; 7] =
    ["ld-linux", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "librt.so.1"];

/// A version of glibc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glibc([u32; 3]);

impl Glibc {
    /// Parses a text such as `2.2.5`.
    fn of(text: &str) -> Option<Self> {
        let mut numbers = [0; 3];
        let mut words = text.split('.');
        for (number, word) in numbers.iter_mut().zip(&mut words) {
            *number = word.parse().ok()?;
        }
        words.next().is_none().then_some(Self(numbers))
    }
}

impl fmt::Display for Glibc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [major, minor, 0] => write!(f, "{major}.{minor}"),
            [major, minor, patch] => write!(f, "{major}.{minor}.{patch}"),
        }
    }
}

/// The oldest glibc with which all `programs` start.
///
/// # Errors
///
/// One of them needs a library that a machine may lack, or binutils are missing.
pub fn glibc(programs: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Glibc> {
    let mut least = Glibc::default();
    for program in programs {
        let program = program.as_ref();
        let libraries = libraries(&objdump("-p", program)?);
        ensure!(!libraries.is_empty(), "objdump finds no library that {} needs", program.display());
        let rare: Vec<_> =
            libraries.iter().filter(|name| !EVERYWHERE.iter().any(|known| name.starts_with(known))).collect();
        ensure!(rare.is_empty(), "{} needs {rare:?}, which a machine may lack", program.display());
        let version = symbols(&objdump("-T", program)?);
        least =
            least.max(version.with_context(|| format!("{} names no version of glibc", program.display()))?);
    }
    Ok(least)
}

fn objdump(option: &str, program: &Path) -> Result<String> {
    let output = Command::new("objdump").arg(option).arg(program).output();
    let output =
        output.context("objdump says what the programs need, and is part of the package binutils")?;
    if !output.status.success() {
        bail!("objdump {option} {} failed: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The libraries in the output of `objdump -p`.
fn libraries(text: &str) -> BTreeSet<String> {
    let name = |line: &str| Some(line.trim().strip_prefix("NEEDED")?.trim().to_owned());
    text.lines().filter_map(name).collect()
}

/// The latest version that a symbol needs, from `objdump -T`. A weak symbol may be missing.
fn symbols(text: &str) -> Option<Glibc> {
    let version = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let is_weak = words.get(1) == Some(&"w");
        let version = words.iter().find_map(|word| word.trim_matches(['(', ')']).strip_prefix("GLIBC_"))?;
        if is_weak { None } else { Glibc::of(version) }
    };
    text.lines().filter_map(version).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_version_of_a_symbol_counts_unless_it_may_be_missing() {
        let text = "\
DYNAMIC SYMBOL TABLE:
0000000000000000      DF *UND*	0000000000000000 (GLIBC_2.2.5) memcpy
0000000000000000      DF *UND*	0000000000000000  GLIBC_2.34  __libc_start_main
0000000000000000      DF *UND*	0000000000000000 (GCC_3.0) _Unwind_Resume
0000000000000000  w   DF *UND*	0000000000000000 (GLIBC_2.39) pidfd_getpid
0000000000000000      DF *UND*	0000000000000000 (GLIBC_PRIVATE) internal
0000000000000000      DF *UND*	0000000000000000 (GLIBC_2.9) older
";
        assert_eq!(symbols(text).unwrap().to_string(), "2.34");
        assert_eq!(symbols("DYNAMIC SYMBOL TABLE:\nno symbols\n"), None);
        assert_eq!(Glibc::of("2.2.5").unwrap().to_string(), "2.2.5");
    }

    #[test]
    fn libraries_are_those_that_must_be_there() {
        let text = "Dynamic Section:\n  NEEDED               libc.so.6\n  NEEDED               libfoo.so.1\n  INIT  0x1\n";
        assert_eq!(libraries(text).into_iter().collect::<Vec<_>>(), ["libc.so.6", "libfoo.so.1"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_program_needs_what_this_machine_has() {
        let least = glibc([std::env::current_exe().unwrap()]).unwrap();
        assert!(least >= Glibc::of("2.17").unwrap(), "{least}");
        let error = glibc(["/no/such/program"]).unwrap_err().to_string();
        assert!(error.contains("/no/such/program"), "{error}");
    }
}
