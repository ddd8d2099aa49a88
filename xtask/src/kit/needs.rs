//! Finds the libraries that a Linux program needs on another machine.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

/// Libraries on every Linux with glibc: glibc's own, and the compiler's `libgcc_s`, which Mesa needs too. `ld-linux` is
/// the loader; its name ends in the processor's.
const EVERYWHERE: [&str; 7] =
    ["ld-linux", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0", "librt.so.1"];

/// The numbers of a version of glibc, which compare as versions do.
type Glibc = Vec<u32>;

/// The oldest glibc with which all `programs` start. Fails where one of them needs a library that a machine may lack.
pub fn glibc(sh: &Shell, programs: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<String> {
    let mut least = Glibc::new();
    for program in programs {
        let program = program.as_ref();
        let dump = |option: &str| {
            let dump = cmd!(sh, "objdump {option} {program}").read();
            dump.context("objdump, of binutils, lists the libraries that a program needs, and failed")
        };
        let dynamic = dump("-p")?;
        let libraries = libraries(&dynamic);
        let is_rare = |name: &&&str| !EVERYWHERE.iter().any(|known| name.starts_with(known));
        let rare: Vec<_> = libraries.iter().filter(is_rare).collect();
        ensure!(rare.is_empty(), "{} needs {rare:?}, which a machine may lack", program.display());
        let version = symbols(&dump("-T")?);
        least =
            least.max(version.with_context(|| format!("{} names no version of glibc", program.display()))?);
    }
    Ok(shown(&least))
}

fn shown(version: &Glibc) -> String {
    version.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

/// The libraries in the output of `objdump -p`.
fn libraries(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| Some(line.trim().strip_prefix("NEEDED")?.trim())).collect()
}

/// The latest version that a symbol needs, from `objdump -T`. A weak symbol may be missing.
fn symbols(text: &str) -> Option<Glibc> {
    let version = |line: &str| {
        let mut words = line.split_whitespace();
        let is_weak = words.clone().nth(1) == Some("w");
        let version = words.find_map(|word| word.trim_matches(['(', ')']).strip_prefix("GLIBC_"))?;
        if is_weak { None } else { version.split('.').map(|number| number.parse().ok()).collect() }
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
        assert_eq!(shown(&symbols(text).unwrap()), "2.34");
        assert_eq!(symbols("DYNAMIC SYMBOL TABLE:\nno symbols\n"), None);
    }

    #[test]
    fn libraries_are_those_that_must_be_there() {
        let text = "Dynamic Section:\n  NEEDED               libc.so.6\n  NEEDED               libfoo.so.1\n  INIT  0x1\n";
        assert_eq!(libraries(text), ["libc.so.6", "libfoo.so.1"]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_program_needs_what_this_machine_has() {
        let sh = crate::shell::shell().unwrap();
        let least = glibc(&sh, [std::env::current_exe().unwrap()]).unwrap();
        assert!(least.starts_with("2."), "{least}");
        let error = format!("{:#}", glibc(&sh, ["/no/such/program"]).unwrap_err());
        assert!(error.contains("/no/such/program"), "{error}");
    }
}
